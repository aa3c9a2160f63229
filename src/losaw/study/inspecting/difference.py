"""Differences between two results folders: moved cells, by how much, and the likely cause."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BlockFile, load_named

CELL = ["study", "setting_id", "learner", "importance", "metric"]
_SAID_OF_ROWS = ("results_version", "part_versions", "block")
_SHOWN = 20


@dataclass(frozen=True)
class Difference:
    """The differences between two results folders.

    Attributes
    ----------
    n_blocks : int
        Blocks that both hold.
    n_equal : int
        Those of them whose files are equal, byte for byte.
    only : (int, int)
        Blocks that only the first, or only the second holds.
    cells : DataFrame
        One row per study, setting, learner, importance and metric with a value that moved:
        ``n_pairs`` seeds of both, ``n_moved`` of them, the means ``first`` and ``second`` over
        them, ``difference``, its paired Monte Carlo error ``mc_se``, and ``z``; largest |z| first.
    causes : Counter
        What footers of blocks of one name say otherwise -> number of blocks.
    """

    n_blocks: int
    n_equal: int
    only: tuple[int, int]
    cells: pd.DataFrame
    causes: Counter[str]

    @property
    def is_equal(self) -> bool:
        """True if both contain the same blocks with the same bytes."""
        return self.n_equal == self.n_blocks and self.only == (0, 0)

    def __str__(self) -> str:
        if self.is_equal:
            return f"equal, byte for byte: {self.n_blocks} blocks"
        lines = [
            f"{self.n_blocks} blocks in both, {self.n_equal} of them equal byte for byte; "
            f"{self.only[0]} only in the first, {self.only[1]} only in the second"
        ]
        lines += [f"  {number} blocks: {what}" for what, number in self.causes.most_common()]
        return "\n".join([*lines, *shown(self.cells, "cells")])


def shown(cells: pd.DataFrame, what: str) -> Iterator[str]:
    """How many moved, and the first of them."""
    yield f"{len(cells)} {what} moved"
    if len(cells):
        yield cells.head(_SHOWN).to_string(index=False)
    if len(cells) > _SHOWN:
        yield f"… and {len(cells) - _SHOWN} more (--csv writes all)"


def largest_first(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells in the order of the size of their z."""
    order = cells["z"].abs().fillna(0.0).sort_values(ascending=False, kind="stable").index
    return cells.loc[order].reset_index(drop=True)


def difference(first: Path, second: Path) -> Difference:
    """Compare the blocks of two results folders.

    Values are paired by study, setting, learner, importance, metric and seed, whichever files
    hold them; equal seeds have seen equal data, so the error of a difference is that of its pairs.

    Raises
    ------
    StudyError
        If a folder holds no blocks, or one that is damaged.
    """
    names = [_names(folder) for folder in (first, second)]
    both = [name for name in names[0] if name in set(names[1])]
    causes: Counter[str] = Counter()
    n_equal = 0
    for name in both:
        old, new = (load_named(folder / name.relative_path, name) for folder in (first, second))
        n_equal += old.sha256 == new.sha256
        causes.update(set(_causes(old, new)))
    is_equal = n_equal == len(names[0]) == len(names[1])
    moved = pd.DataFrame()
    if not is_equal:
        moved = _moved(_values(first, names[0]), _values(second, names[1]))
    return Difference(
        len(both),
        n_equal,
        (len(names[0]) - len(both), len(names[1]) - len(both)),
        moved,
        causes,
    )


def _names(folder: Path) -> list[BlockName]:
    paths = sorted(folder.glob("*/blocks/*/*/seeds_*.parquet"))
    if not paths:
        raise StudyError(f"{folder}: holds no blocks; name a results folder or an archive")
    return [BlockName.from_path(path) for path in paths]


def _causes(old: BlockFile, new: BlockFile) -> Iterator[str]:
    """Return the differences of two footers: a parameter, a library, a source."""
    parts = [file.footer.get("part_versions", {}) for file in (old, new)]
    for part in sorted(parts[0].keys() | parts[1].keys()):
        versions = [versions.get(part, "absent") for versions in parts]
        if versions[0] != versions[1]:
            what = f"importance {part}" if part else "data, fit or predictions"
            yield f"results version of {what}: {versions[0]} -> {versions[1]}"
    for key in sorted(old.footer.keys() | new.footer.keys()):
        if key not in _SAID_OF_ROWS:
            yield from _changes(key, old.footer.get(key), new.footer.get(key))


def _changes(name: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from _changes(f"{name} {key}", old.get(key, "absent"), new.get(key, "absent"))
    elif old != new and not name.endswith("sha256"):
        yield f"{name}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _values(folder: Path, names: list[BlockName]) -> pd.DataFrame:
    columns = [*CELL, "seed", "value", "status"]
    tables = [load_named(folder / name.relative_path, name).table for name in names]
    frame = pd.concat([table.select(columns).to_pandas() for table in tables])
    frame = frame[(frame["status"] == "ok") & ~frame["metric"].isin(["", "scores"])]
    return frame.drop(columns="status").drop_duplicates([*CELL, "seed"])


def _moved(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    pairs = first.merge(second, on=[*CELL, "seed"], suffixes=("_first", "_second"))
    pairs["difference"] = pairs["value_second"] - pairs["value_first"]
    pairs["moved"] = pairs["difference"] != 0
    grouped = pairs.groupby(CELL, sort=False)
    cells = pd.DataFrame(
        {
            "n_pairs": grouped.size(),
            "n_moved": grouped["moved"].sum(),
            "first": grouped["value_first"].mean(),
            "second": grouped["value_second"].mean(),
            "difference": grouped["difference"].mean(),
            "mc_se": grouped["difference"].std(ddof=1) / np.sqrt(grouped.size()),
        }
    ).reset_index()
    cells = cells[cells["n_moved"] > 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return largest_first(cells.assign(z=cells["difference"] / cells["mc_se"]))
