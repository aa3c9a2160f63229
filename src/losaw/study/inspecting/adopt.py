"""Adopt stored blocks of another version after a random sample of them was recomputed.

A change of the sources makes blocks stale although most changes change no number. A sample of the
stale blocks is drawn, stratified by study, method and kind of data, and recomputed. If every block
of it has the stored rows, to the last bit, the others are taken over: their footers get the new
version, and a record of what was done (:class:`losaw.study.files.adoption.Adoption`).
"""

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import losaw
from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.plan import StudyPlan, other_blocks
from losaw.study.errors import StudyError
from losaw.study.files.adoption import ADOPTED, Adoption
from losaw.study.files.block_file import BlockFile, load_named, write_table_of_block
from losaw.study.files.footer import footer_of
from losaw.study.files.run_record import commit
from losaw.study.files.writing import write_file
from losaw.study.inspecting.comparison import Comparison, compare_rows, compute_again
from losaw.study.inspecting.sampling import chance_of_missing, draw

SHARES = (0.01, 0.05)
EVERYTHING = "all that was selected"
# Of a footer: what a study file says of a block. A block with another description is another one.
_DESCRIPTION = ("experiment", "generator", "learner", "importances", "metrics")


# A stored block of another version: its ``block`` as this version defines it, and
# ``compare(recomputed)``, which compares what is stored with a block that was recomputed.
Stale = Any


@dataclass(frozen=True)
class StaleFile:
    """A block's file of another version in a results folder."""

    block: Block
    results_version: str

    def compare(self, recomputed: Block) -> Comparison:
        old = load_named(self.block.path, self.block.name).table
        return compare_rows(old, load_named(recomputed.path, recomputed.name).table)


@dataclass
class Decision:
    """The outcome for one group of blocks: all of them, or those of a study and method.

    Attributes
    ----------
    scope : str
    stale : list of Stale
        All blocks of the group.
    recomputed : dict
        Of the sample: the stale block's name -> the recomputed block.
    comparisons : list of (Stale, Comparison)
    adoption : Adoption or None
        None: the sample differs, nothing may be taken over.
    """

    scope: str
    stale: list[Stale]
    recomputed: dict[BlockName, Block] = field(default_factory=dict)
    comparisons: list[tuple[Stale, Comparison]] = field(default_factory=list)
    adoption: Adoption | None = None

    def __str__(self) -> str:
        n_equal = sum(comparison.is_equal for _, comparison in self.comparisons)
        found = f"{n_equal} of {len(self.comparisons)} recomputed blocks are equal"
        done = "adopted" if self.adoption else "NOT adopted"
        return f"{self.scope}: {found}; {len(self.stale)} blocks {done}"


@dataclass(frozen=True)
class Sample:
    """The size of a sample of blocks, its seed, and the rule that decides about it.

    Attributes
    ----------
    n_blocks, seed : int
    within : float or None
        The bound on differences; None: rows must be equal.
    each_method : bool
        Decide for every method of every study apart, not for all blocks together.
    """

    n_blocks: int
    seed: int
    within: float | None = None
    each_method: bool = False


def decide(
    stale: Sequence[Stale],
    sample: Sample,
    folder: Path,
    jobs: int = 1,
    keep_laws: bool = True,
    report: Callable[[str], object] = print,
) -> list[Decision]:
    """Recompute a sample of stale blocks in ``folder`` and decide which blocks can be adopted.

    Parameters
    ----------
    stale : sequence of Stale
    sample : Sample
    folder : Path
        An empty folder for the recomputed blocks, which a caller may keep.
    jobs : int, default 1
        Processes.
    keep_laws : bool, default True
        Use the stored joint laws; False fits them again.
    report : callable
        Called with a line for every block.

    Raises
    ------
    StudyError
        If the sample is smaller than the number of methods of studies, or a block cannot begin.
    """
    strata = _strata(stale, sample.n_blocks)
    drawn = draw(strata, sample.n_blocks, sample.seed)
    report(
        f"{sum(map(len, drawn.values()))} of {len(stale)} blocks of another version are "
        f"recomputed, from {len(strata)} strata (--sample-seed {sample.seed})"
    )
    sample_of = {item.block.name: item for items in drawn.values() for item in items}
    again, compared = {}, {}
    blocks = [item.block for item in sample_of.values()]
    for block in compute_again(blocks, folder, jobs, keep_laws):
        again[block.name] = block
        compared[block.name] = comparison = sample_of[block.name].compare(block)
        report(f"{block.name}: {comparison}")
    decisions = []
    for scope, keys in _scopes(strata, sample.each_method).items():
        decision = Decision(scope, [item for key in keys for item in strata[key]])
        of_scope = [item for key in keys for item in drawn[key]]
        decision.recomputed = {item.block.name: again[item.block.name] for item in of_scope}
        decision.comparisons = [(item, compared[item.block.name]) for item in of_scope]
        sizes = [(len(strata[key]), len(drawn[key])) for key in keys]
        if all(comparison.is_within(sample.within) for _, comparison in decision.comparisons):
            decision.adoption = _adoption(decision, sizes, sample)
        decisions.append(decision)
    return decisions


Key = tuple[str, ...]


def _strata(stale: Sequence[Stale], n_blocks: int) -> dict[Key, list[Stale]]:
    """Blocks by study, method and kind of data; without the kind if the sample is too small."""
    fine: dict[Key, list[Stale]] = {}
    coarse: dict[Key, list[Stale]] = {}
    for item in stale:
        name = item.block.name
        kind = [str(v) for v in item.block.series.setting.axes.values() if isinstance(v, str)]
        fine.setdefault((name.study, name.learner, *kind), []).append(item)
        coarse.setdefault((name.study, name.learner), []).append(item)
    return fine if len(fine) <= n_blocks else coarse


def _scopes(strata: Iterable[Key], each_method: bool) -> dict[str, list[Key]]:
    if not each_method:
        return {EVERYTHING: list(strata)}
    scopes: dict[str, list[Key]] = {}
    for key in strata:
        scopes.setdefault(" ".join(key[:2]), []).append(key)
    return scopes


def _adoption(decision: Decision, sizes: list[tuple[int, int]], sample: Sample) -> Adoption:
    stored, drawn = zip(*sizes, strict=True)
    are_equal = all(comparison.is_equal for _, comparison in decision.comparisons)
    worst = max(
        (comparison for _, comparison in decision.comparisons),
        key=lambda comparison: comparison.largest + 2 * comparison.largest_error,
    )
    return Adoption(
        scope=decision.scope,
        losaw=losaw.__version__,
        commit=commit(),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        n_recomputed=sum(drawn),
        n_blocks=sum(stored),
        n_strata=len(sizes),
        sample_seed=sample.seed,
        missed=tuple((share, *chance_of_missing(stored, drawn, share)) for share in SHARES),
        within=None if are_equal else sample.within,
        largest=worst.largest,
        largest_error=worst.largest_error,
    )


def stale_files(plans: Sequence[StudyPlan]) -> tuple[list[StaleFile], list[str]]:
    """The requested stored blocks of another version, whatever seeds they contain.

    Returns
    -------
    stale : list of StaleFile
    left : list of str
        Blocks that cannot be adopted, each with the reason: damaged, or described otherwise by
        the study file of today.
    """
    stale, left = [], []
    for plan in plans:
        series = {(block.name.setting, block.name.learner) for block in plan.blocks}
        others = [b for b in other_blocks(plan) if (b.name.setting, b.name.learner) in series]
        for block in [*plan.blocks, *others]:
            if not block.path.exists():
                continue
            try:
                file = load_named(block.path, block.name)
            except StudyError as error:
                left.append(str(error))
                continue
            version = str(file.footer.get("results_version"))
            if version == block.series.version:
                continue
            problem = _problem(block, file)
            if problem:
                left.append(f"{block.path}: {problem}")
            else:
                stale.append(StaleFile(block, version))
    return stale, left


def _problem(block: Block, file: BlockFile) -> str:
    now = json.loads(json.dumps(footer_of(block, None)))
    others = [key for key in _DESCRIPTION if file.footer.get(key) != now[key]]
    return f"was computed with another {', '.join(others)}" if others else ""


def take_over(decision: Decision) -> int:
    """Store the blocks of an adopted group under this version, the recomputed ones as they are.

    Returns
    -------
    int
        Number of blocks that were taken over without being recomputed.
    """
    if decision.adoption is None:
        return 0
    n_taken_over = 0
    for item in decision.stale:
        block, again = item.block, decision.recomputed.get(item.block.name)
        if again is not None:
            for source, place in ((again.record_path, block.record_path), (again.path, block.path)):
                write_file(place, partial(_copy, source))
            continue
        file = load_named(block.path, block.name)
        entry = decision.adoption.of_block(item.results_version)
        footer = {
            **file.footer,
            "results_version": block.series.version,
            "part_versions": dict(block.series.part_versions),
            ADOPTED: [*file.footer.get(ADOPTED, ()), entry],
        }
        write_table_of_block(block.path, file.table, footer)
        n_taken_over += 1
    return n_taken_over


def _copy(source: Path, place: Path) -> None:
    place.write_bytes(source.read_bytes())


def stale_summary(stale: Iterable[Stale]) -> Iterator[str]:
    """One line per study and method with its number of stale blocks."""
    numbers: dict[str, int] = {}
    for item in stale:
        key = f"{item.block.name.study} {item.block.name.learner}"
        numbers[key] = numbers.get(key, 0) + 1
    yield from (f"  {key}: {number}" for key, number in numbers.items())
