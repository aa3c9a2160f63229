"""Blocks that are computed again, and their rows compared with the stored ones."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.files.block_file import digest_of, load_named
from losaw.study.files.rows import SCORES
from losaw.study.files.writing import write_text
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.runner import run_blocks

_ROW = ["seed", "importance", "metric"]


@dataclass(frozen=True)
class Comparison:
    """A recomputed block compared with what is stored of it.

    Attributes
    ----------
    is_equal : bool
        All rows are equal to the last bit.
    largest, largest_error : float
        The largest mean difference over importances and metrics, paired by seed, in standard
        deviations of a run, and its standard error; infinite where it cannot be measured.
    where : str
        Importance and metric of the largest difference.
    """

    is_equal: bool
    largest: float = 0.0
    largest_error: float = 0.0
    where: str = ""

    def __str__(self) -> str:
        if self.is_equal:
            return "equal"
        if not np.isfinite(self.largest):
            return f"DIFFERS{self.where and ' in ' + self.where}"
        return (
            f"DIFFERS, most in {self.where}: {self.largest:.3g} ± {self.largest_error:.2g} "
            "standard deviations of a run"
        )


def compare_rows(old: pa.Table, new: pa.Table) -> Comparison:
    """Compare the rows of a block, first to the last bit, then in standard deviations of a run.

    The differences d of new and old values are paired by seed. For each importance and metric the
    mean of d and its standard error, both divided by the standard deviation s of the old values:
    ``mean(d) / s`` and ``sd(d) / (s sqrt(n))``. Rows of other seeds, importances or metrics, or
    with another state, and values that differ where s is 0 or unknown, differ without bound.
    Scores of features are not measured, only metrics of them.
    """
    if digest_of(old, {}) == digest_of(new, {}):
        return Comparison(True)
    columns = [*_ROW, "status", "value"]
    first, second = (
        table.filter(pc.not_equal(table["metric"], SCORES))
        .select(columns)
        .to_pandas()
        .sort_values(_ROW, kind="stable", ignore_index=True)
        for table in (old, new)
    )
    same = [*_ROW, "status"]
    if not first[same].equals(second[same]):
        return Comparison(False, np.inf, 0.0, "the rows that are there")
    both = first.assign(difference=second["value"] - first["value"])
    if not (first["value"].isna() == second["value"].isna()).all():
        return Comparison(False, np.inf, 0.0, "the values that are missing")
    worst = Comparison(False)
    for (importance, metric), rows in both.dropna(subset="value").groupby(_ROW[1:]):
        found = _measured(rows, f"{importance} {metric}".strip())
        worst = max(worst, found, key=lambda each: each.largest + 2 * each.largest_error)
    return worst


def _measured(rows: pd.DataFrame, where: str) -> Comparison:
    differences = rows["difference"].to_numpy()
    if not differences.any():
        return Comparison(False, 0.0, 0.0, where)
    deviation = float(rows["value"].std())  # not a number for a single seed
    if not deviation > 0:
        return Comparison(False, np.inf, 0.0, where)
    error = float(np.std(differences, ddof=1)) / np.sqrt(len(rows))
    return Comparison(False, abs(float(differences.mean())) / deviation, error / deviation, where)


def compute_again(blocks: Iterable[Block], folder: Path, jobs: int = 1) -> Iterator[Block]:
    """Compute blocks again in another folder; yield each when its file is there.

    A joint law is what blocks are made of, not what is tested: stored ones are used.
    """
    again = {block: block.placed_in(folder) for block in blocks}
    for block, copy in again.items():
        if block.law_path and copy.law_path and block.law_path.exists():
            write_text(copy.law_path, block.law_path.read_text(encoding="utf-8"))
    fit_laws(again.values())
    for task in run_blocks(again.values(), jobs):
        yield task.block


@dataclass(frozen=True)
class Recomputed:
    """A block that was computed again.

    Attributes
    ----------
    block : Block
    same_bytes : bool
        The files are equal.
    comparison : Comparison
        Of the rows; footers may name other library versions.
    other_libraries : dict
        Library -> (stored, here), where they differ.
    """

    block: Block
    same_bytes: bool
    comparison: Comparison
    other_libraries: dict[str, tuple[str, str]]

    def __str__(self) -> str:
        words = "same numbers" if self.comparison.is_equal else str(self.comparison)
        others = [f"{name} {a} then, {b} now" for name, (a, b) in self.other_libraries.items()]
        named = f" ({', '.join(others)})" if others else ""
        return f"{self.block.name}: {'same bytes' if self.same_bytes else words}{named}"


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
    sample = {stored[index].name: stored[index] for index in sorted(drawn)}
    with tempfile.TemporaryDirectory(prefix="losaw-recompute-") as folder:
        for again in compute_again(sample.values(), Path(folder), jobs):
            block = sample[again.name]
            old, new = load_named(block.path, block.name), load_named(again.path, again.name)
            before, now = old.footer["libraries"], new.footer["libraries"]
            others = {n: (before.get(n, "-"), now[n]) for n in now if before.get(n) != now[n]}
            comparison = compare_rows(old.table, new.table)
            yield Recomputed(block, old.sha256 == new.sha256, comparison, others)
