"""Are the stored blocks whole, in their place and up to date, and do they come out again?"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.errors import StudyError
from losaw.study.files.adoption import ADOPTED, count_adoptions
from losaw.study.files.block_file import load_block, load_named, problem_of
from losaw.study.files.folder import other_blocks
from losaw.study.files.healing import Finding, damaged_small_files
from losaw.study.files.made import altered_outputs
from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_text
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.runner import run_blocks
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
    adoptions : list of dict
        The adoptions of good blocks, each with its number of ``blocks``.
    """

    n_good: int
    n_absent: int
    n_failed: int
    n_others: int
    findings: list[Finding]
    adoptions: list[dict[str, Any]]


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
    beside = damaged_small_files([*blocks, *others])
    findings = [finding for finding in beside if finding.path not in places]
    findings += [Finding(path, problem) for path, problem in altered_outputs(plans)]
    n_good = n_absent = n_failed = 0
    histories = []
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
        histories.append(file.footer.get(ADOPTED, ()))
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
    adoptions = count_adoptions(histories)
    return Verification(n_good, n_absent, n_failed, n_others, findings, adoptions)


def _in_block(block: Block, problem: str) -> Finding:
    """A block is removed with the record of how it was run."""
    return Finding(block.path, problem, block.record_path)


@dataclass(frozen=True)
class Recomputed:
    """A block that was computed again.

    Attributes
    ----------
    block : Block
    same_bytes : bool
        Whether the files are equal.
    same_numbers : bool
        Whether all rows are equal, bit for bit; footers may name other library versions.
    largest_difference : float
        Largest difference of two values, relative to the larger of 1 and the stored one; infinite
        if rows differ in more than their numbers.
    other_libraries : dict
        Library -> (stored, here), where they differ.
    """

    block: Block
    same_bytes: bool
    same_numbers: bool
    largest_difference: float
    other_libraries: dict[str, tuple[str, str]]

    def __str__(self) -> str:
        words = "same bytes" if self.same_bytes else "same numbers"
        if not self.same_numbers:
            words = f"DIFFERS, by up to {self.largest_difference:.3g}"
        others = [f"{name} {a} then, {b} now" for name, (a, b) in self.other_libraries.items()]
        return f"{self.block.name}: {words}" + (f" ({', '.join(others)})" if others else "")


def recompute(
    blocks: Iterable[Block], n_blocks: int, seed: int, jobs: int = 1
) -> Iterator[Recomputed]:
    """Compute a random sample of the stored blocks again, in a folder of their own, and compare.

    Parameters
    ----------
    blocks : iterable of Block
        Those that have a file are sampled from.
    n_blocks : int
        Size of the sample; all stored blocks if there are fewer.
    seed : int
        Decides the sample: the same for everybody who has the same blocks.
    """
    stored = [block for block in blocks if block.path.exists()]
    if not stored:
        raise StudyError("the results folder contains none of the requested blocks")
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(stored), size=min(n_blocks, len(stored)), replace=False)
    sample = [stored[index] for index in sorted(drawn)]
    with tempfile.TemporaryDirectory(prefix="losaw-recompute-") as folder:
        again = {block: block.placed_in(Path(folder)) for block in sample}
        # A joint law is what blocks are made of, not what is tested here.
        for block in sample:
            if block.law_path is not None and block.law_path.exists():
                write_text(again[block].law_path, block.law_path.read_text(encoding="utf-8"))
        fit_laws(again.values())
        for task in run_blocks(again.values(), jobs):
            yield _compare(stored[stored.index(task.block)], task.block)


def _compare(stored: Block, again: Block) -> Recomputed:
    old, new = load_named(stored.path, stored.name), load_named(again.path, again.name)
    before, now = old.footer["libraries"], new.footer["libraries"]
    return Recomputed(
        stored,
        old.sha256 == new.sha256,
        _same_rows(old.table, new.table),
        _largest_difference(old.table, new.table),
        {name: (before.get(name, "-"), now[name]) for name in now if before.get(name) != now[name]},
    )


def _same_rows(old: pa.Table, new: pa.Table) -> bool:
    # Arrow takes NaN for unequal to itself: compare what the rows print as.
    return old.num_rows == new.num_rows and repr(old.to_pylist()) == repr(new.to_pylist())


def _largest_difference(old: pa.Table, new: pa.Table) -> float:
    numbers = [field.name for field in BLOCK_SCHEMA if "double" in str(field.type)]
    if old.num_rows != new.num_rows or not old.drop(numbers).equals(new.drop(numbers)):
        return float("inf")
    largest = 0.0
    for name in numbers:
        columns = []
        for table in (old, new):
            column = table[name].combine_chunks()
            if not pa.types.is_floating(column.type):
                column = column.flatten()
            columns.append(column.to_numpy(zero_copy_only=False))
        first, second = columns
        if first.shape != second.shape or not np.array_equal(np.isnan(first), np.isnan(second)):
            return float("inf")
        if len(first):
            scale = np.maximum(1.0, np.abs(first))
            largest = max(largest, float(np.nanmax(np.abs(first - second) / scale, initial=0.0)))
    return largest
