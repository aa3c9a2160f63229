"""Outputs of a study that are not what its blocks give: found by writing them once more."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from losaw.report.results import StudyResults
from losaw.report.tables import write_tables
from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.errors import StudyError
from losaw.study.files.healing import Finding
from losaw.study.files.output_digests import sums_path
from losaw.study.results.collected_files import lists_the_blocks
from losaw.study.results.outputs import measuring_first, write_outputs

# The manifest says when and where it was written; figures have no bytes of their own for the same
# numbers. Their digests are checked by losaw.study.files.output_digests. The list of blocks is
# compared by what it names.
_LIST = "blocks.csv"
_NOT_COMPARED = ("manifest.json", _LIST)
_PROBLEM = (
    "is not what its blocks give: it was edited, or blocks, study file or program have changed "
    "since"
)


def differing_outputs(plans: Sequence[StudyPlan]) -> Iterator[Finding]:
    """Yield summaries, comparisons, lists of blocks and tables that the blocks do not give.

    They are written once more into a temporary folder, from the blocks as they are, and compared
    byte for byte; of the list of blocks, which depends on the request, the files that it names are
    compared. So an edited file is found although its digest was edited with it, and so is a
    summary that is older than its blocks. A study that was not collected, or was collected at
    another scale, is left out; so is one whose blocks cannot be collected, which is a finding of
    its own.
    """
    with tempfile.TemporaryDirectory(prefix="losaw-remade-") as name:
        results = Path(name)
        for plan in measuring_first(plans):
            draws = plan.study.file.between_draws
            if draws is not None and not (results / draws).exists():
                (results / draws).symlink_to((plan.results / draws).resolve())
                sums = sums_path(results, draws)
                sums.parent.mkdir(exist_ok=True)
                sums.symlink_to(sums_path(plan.results, draws).resolve())
            place = results / plan.study.name
            if not (plan.folder / "summary.csv").is_file() or not _is_of_this_scale(plan):
                continue
            place.mkdir()
            for part in ("blocks", "runs"):
                (place / part).symlink_to((plan.folder / part).resolve())
            try:
                again = _in(plan, results)
                write_outputs(again)
                comparison = StudyResults(place).comparison
                write_tables(plan.study, comparison, place / "tables")
            except StudyError:
                continue
            yield from _differing(place, plan.folder)
            if not lists_the_blocks(plan.folder / _LIST, place / _LIST, plan.results):
                yield Finding(plan.folder / _LIST, _PROBLEM)


def _is_of_this_scale(plan: StudyPlan) -> bool:
    try:
        return bool(StudyResults(plan.folder).manifest["scale"] == plan.scale)
    except (StudyError, KeyError):
        return True


def _in(plan: StudyPlan, results: Path) -> StudyPlan:
    """Return the plan with its outputs in another folder, into which its blocks are linked."""

    def placed(block: Block) -> Block:
        return block.placed_in(results)

    return replace(
        plan,
        results=results,
        blocks=tuple(map(placed, plan.blocks)),
        block=lambda name: placed(plan.block(name)),
    )


def _differing(made: Path, written: Path) -> Iterator[Finding]:
    for path in sorted([*made.glob("*.*"), *made.glob("tables/*")]):
        there = written / path.relative_to(made)
        if path.name in _NOT_COMPARED or not there.is_file():
            continue
        if there.read_bytes() != path.read_bytes():
            yield Finding(there, _PROBLEM)
