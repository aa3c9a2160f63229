"""A check of stored files: blocks that are whole, in their place and up to date, and outputs."""

from collections.abc import Sequence
from dataclasses import dataclass

from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan, other_blocks
from losaw.study.errors import StudyError
from losaw.study.files.block_file import load_block, problem_of
from losaw.study.files.healing import Finding, damaged_small_files
from losaw.study.files.output_digests import altered_outputs
from losaw.support.whole_files import TEMPORARY


@dataclass(frozen=True)
class Verification:
    """The findings in a session's results folder.

    Attributes
    ----------
    n_good : int
        Blocks that are whole, in their place and up to date.
    n_absent : int
        Requested blocks that have not been run.
    n_failed : int
        Good blocks that hold failed fits.
    n_others : int
        Good blocks that lie there and are not asked for.
    findings : list of Finding
        Unusable blocks, joint laws, run records, summaries, tables, figures and reports, and
        temporary files that a killed process has left.
    """

    n_good: int
    n_absent: int
    n_failed: int
    n_others: int
    findings: list[Finding]


def verify(plans: Sequence[StudyPlan], failed: bool = False) -> Verification:
    """Check all requested or stored files: blocks, joint laws, run records, outputs.

    Parameters
    ----------
    failed : bool, default False
        Report blocks with failed fits too, so that they can be removed and run again.
    """
    blocks = [block for plan in plans for block in plan.blocks]
    others = [block for plan in plans for block in other_blocks(plan)]
    at_other_scales = {plan.study.name: plan.blocks_at_other_scales for plan in plans}
    places = {block.path for block in [*blocks, *others]}
    damaged = damaged_small_files([*blocks, *others])
    findings = [finding for finding in damaged if finding.path not in places]
    findings += [Finding(path, problem) for path, problem in altered_outputs(plans)]
    n_good = n_absent = n_failed = 0
    for block in blocks:
        if not block.path.exists():
            n_absent += 1
            continue
        try:
            file = load_block(block)
        except StudyError as error:
            findings.append(_in_block(block, str(error).partition(": ")[2]))
            continue
        n_good += 1
        messages = [text for text in file.table["message"].unique().to_pylist() if text]
        if messages:
            n_failed += 1
            if failed:
                findings.append(_in_block(block, f"failed fits: {messages[0]}"))
    n_others = 0
    for block in others:
        problem = problem_of(block)
        of_scales = at_other_scales[block.name.study](block.name) if problem else ()
        if problem is None or any(problem_of(twin) is None for twin in of_scales):
            n_others += 1
        else:
            findings.append(_in_block(block, f"{problem} (not asked for)"))
    for plan in plans:
        for path in plan.folder.rglob(f"*{TEMPORARY}"):
            findings.append(Finding(path, "left by a killed process"))
    return Verification(n_good, n_absent, n_failed, n_others, findings)


def _in_block(block: Block, problem: str) -> Finding:
    """Return a finding on a block, which is removed together with its run record."""
    return Finding(block.path, problem, block.record_path)
