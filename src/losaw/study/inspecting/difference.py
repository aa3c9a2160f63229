"""Differences between two results folders or reference runs: moved cells and the likely cause."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BlockFile, digest_of, load_named
from losaw.study.files.output_digests import altered

EQUAL = "equal, byte for byte"
EQUAL_ROWS = "equal rows, bit for bit; the footer names other versions"
DIFFERS = "DIFFERS"
OTHER_VERSION = "not comparable: what decides its numbers has changed since"

# Of a study of a reference run.
BLOCKS = "blocks.csv"
CELL = ["study", "setting_id", "learner", "importance", "metric"]
_SAID_OF_ROWS = ("results_version", "part_versions", "block")
_SHOWN = 20


@dataclass(frozen=True)
class KeptBlock:
    """A block of a reference run, of which digests are stored and no rows.

    Attributes
    ----------
    file : str
        ``<study>/blocks/<setting>/<learner>/seeds_<first>-<last>.parquet``.
    results_version : str
        Of what decided its numbers.
    sha256, rows_sha256 : str
        Of the file, and of its rows alone.
    """

    file: str
    results_version: str
    sha256: str
    rows_sha256: str


KEPT_COLUMNS = tuple(field.name for field in fields(KeptBlock))


def kept_blocks(study: Path) -> list[KeptBlock]:
    """Return the blocks of a study of a reference run; other columns are not read."""
    listing = pd.read_csv(study / BLOCKS, dtype=str, usecols=KEPT_COLUMNS)
    return [KeptBlock(*line) for line in listing.itertuples(index=False)]


def is_reference(folder: Path) -> bool:
    """Return whether a folder is a reference run: digests of blocks, no blocks."""
    for listing in folder.glob(f"*/{BLOCKS}"):
        with listing.open(encoding="utf-8") as lines:
            # The list that a results folder has of its blocks knows no digests of rows.
            if "rows_sha256" in next(lines, ""):
                return True
    return False


@dataclass(frozen=True)
class Difference:
    """The differences between two folders.

    Attributes
    ----------
    verdicts : Counter
        Verdict -> number of blocks that both hold.
    only : (int, int)
        Blocks that only the first, or only the second holds.
    causes : Counter
        What footers of blocks of one name say otherwise -> number of blocks.
    cells : DataFrame
        One row per study, setting, learner, importance and metric that moved: the means ``first``
        and ``second``, ``difference``, its Monte Carlo error ``mc_se`` and ``z``; largest |z|
        first. Of two results folders values are paired by seed: ``n_pairs`` seeds of both,
        ``n_moved`` of them. Of a reference run there are only means, of ``n_first`` and
        ``n_second`` runs that are taken as independent: of shared seeds the error is too large.
    not_collected : list of str
        Studies whose means are not there.
    """

    verdicts: Counter[str]
    only: tuple[int, int]
    causes: Counter[str]
    cells: pd.DataFrame
    not_collected: list[str]

    @property
    def is_equal(self) -> bool:
        """True if both contain the same blocks with the same rows, and the same means."""
        others = self.verdicts.total() - self.verdicts[EQUAL] - self.verdicts[EQUAL_ROWS]
        is_moved = len(self.cells) or self.causes or self.not_collected
        return not (others or any(self.only) or is_moved)

    def __str__(self) -> str:
        n_blocks = self.verdicts.total()
        if self.is_equal and self.verdicts[EQUAL] == n_blocks:
            return f"{EQUAL}: {n_blocks} blocks"
        lines = [
            f"{n_blocks} blocks in both; {self.only[0]} only in the first, "
            f"{self.only[1]} only in the second"
        ]
        counted = [*self.verdicts.most_common(), *self.causes.most_common()]
        lines += [f"  {number} blocks: {what}" for what, number in counted]
        lines += [
            f"not collected: {name}; `losaw report --study {name}` makes its means"
            for name in self.not_collected
        ]
        lines.append(f"{len(self.cells)} cells moved")
        if len(self.cells):
            lines.append(self.cells.head(_SHOWN).to_string(index=False))
        if len(self.cells) > _SHOWN:
            lines.append(f"… and {len(self.cells) - _SHOWN} more (--csv writes all)")
        return "\n".join(lines)


def difference(first: Path, second: Path) -> Difference:
    """Compare two results folders or reference runs.

    Next to a reference run only the studies of both count. Of two results folders values are paired
    by study, setting, learner, importance, metric and seed, whichever files hold them; equal seeds
    have seen equal data, so the error of a difference is that of its pairs.

    Raises
    ------
    StudyError
        If a folder holds no blocks, or one that is damaged, or a summary that was edited, or the
        two hold no study in common.
    """
    folders = (first, second)
    blocks = [_blocks(folder) for folder in folders]
    by_means = any(map(is_reference, folders))
    if by_means:
        shared = sorted(set.intersection(*({name.study for name in side} for side in blocks)))
        if not shared:
            raise StudyError(f"{first} and {second} hold no study in common")
        blocks = [{n: side[n] for n in side if n.study in shared} for side in blocks]
    verdicts: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for name in blocks[0].keys() & blocks[1].keys():
        old, new = (_opened(side[name]) for side in blocks)
        verdicts[verdict_on(old, new)] += 1
        if isinstance(old, BlockFile) and isinstance(new, BlockFile):
            causes.update(set(_causes(old, new)))
    only = (len(blocks[0].keys() - blocks[1].keys()), len(blocks[1].keys() - blocks[0].keys()))
    moved, not_collected = pd.DataFrame({"z": []}), []
    if by_means:
        places = {study: [folder / study for folder in folders] for study in shared}
        not_collected = [s for s in shared if not all(map(_is_collected, places[s]))]
        means = [_moved_means(*places[s]) for s in shared if s not in not_collected]
        moved = pd.concat(means, ignore_index=True) if means else moved
    elif any(only) or verdicts[EQUAL] < verdicts.total():
        moved = _moved_values(*(_values(side.values()) for side in blocks))
    order = moved["z"].abs().fillna(0.0).sort_values(ascending=False, kind="stable").index
    cells = moved.loc[order].reset_index(drop=True)
    return Difference(verdicts, only, causes, cells, not_collected)


def _blocks(folder: Path) -> dict[BlockName, KeptBlock | Path]:
    """The blocks that a folder holds: files, or what is kept of them."""
    if is_reference(folder):
        studies = [path.parent for path in sorted(folder.glob(f"*/{BLOCKS}"))]
        kept = [block for study in studies for block in kept_blocks(study)]
        return {BlockName.from_path(Path(block.file)): block for block in kept}
    paths = sorted(folder.glob("*/blocks/*/*/seeds_*.parquet"))
    if not paths:
        raise StudyError(f"{folder}: holds no blocks; name a results folder")
    return {BlockName.from_path(path): path for path in paths}


def _opened(block: KeptBlock | Path) -> KeptBlock | BlockFile:
    return load_named(block, BlockName.from_path(block)) if isinstance(block, Path) else block


def verdict_on(old: KeptBlock | BlockFile, new: KeptBlock | BlockFile) -> str:
    """Return how two blocks of one name compare."""
    if old.sha256 == new.sha256:
        return EQUAL
    if _rows_digest(old) == _rows_digest(new):
        return EQUAL_ROWS
    return DIFFERS if _version(old) == _version(new) else OTHER_VERSION


def _rows_digest(block: KeptBlock | BlockFile) -> str:
    return block.rows_sha256 if isinstance(block, KeptBlock) else digest_of(block.table, {})


def _version(block: KeptBlock | BlockFile) -> str:
    if isinstance(block, KeptBlock):
        return block.results_version
    return str(block.footer.get("results_version"))


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
        yield f"{name}: {old!s:.60} -> {new!s:.60}"


def _values(paths: Any) -> pd.DataFrame:
    columns = [*CELL, "seed", "value", "status"]
    tables = [load_named(path, BlockName.from_path(path)).table for path in paths]
    frame = pd.concat([table.select(columns).to_pandas() for table in tables])
    frame = frame[(frame["status"] == "ok") & ~frame["metric"].isin(["", "scores"])]
    return frame.drop(columns="status").drop_duplicates([*CELL, "seed"])


def _moved_values(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The cells with a value that moved, paired by seed."""
    pairs = first.merge(second, on=[*CELL, "seed"], suffixes=("_first", "_second"))
    pairs["difference"] = pairs["value_second"] - pairs["value_first"]
    undefined = pairs["value_first"].isna() & pairs["value_second"].isna()
    pairs["moved"] = (pairs["difference"] != 0) & ~undefined
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
    return _with_z(cells[cells["n_moved"] > 0])


def _is_collected(place: Path) -> bool:
    """Return whether a study has a summary; one that was edited is refused."""
    path = place / "summary.csv"
    if path.is_file() and not is_reference(place.parent):
        for file, problem in altered(place.parent, place.name, [path]):
            raise StudyError(f"{file}: {problem}; `losaw report --study {place.name}` writes it")
    return path.is_file()


def _moved_means(*places: Path) -> pd.DataFrame:
    """The cells of a study whose means are not equal."""
    text = dict.fromkeys(CELL, "string")
    sides = [
        pd.read_csv(place / "summary.csv", dtype=text).fillna({"importance": ""})
        for place in places
    ]
    both = sides[0].merge(sides[1], on=CELL, suffixes=("_first", "_second"))
    both = both[(both["n_seeds_first"] > 0) & (both["n_seeds_second"] > 0)]
    names = {"n_seeds": "n", "mean": ""}
    renamed = {
        f"{old}_{side}": f"{new}_{side}".strip("_")
        for old, new in names.items()
        for side in ("first", "second")
    }
    cells = both.rename(columns=renamed)
    cells = cells.assign(
        difference=cells["second"] - cells["first"],
        mc_se=np.hypot(cells["mc_se_first"], cells["mc_se_second"]),
    )
    cells = cells[[*CELL, *renamed.values(), "difference", "mc_se"]]
    is_none = cells["first"].isna() & cells["second"].isna()
    return _with_z(cells[(cells["first"] != cells["second"]) & ~is_none])


def _with_z(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.assign(z=cells["difference"] / cells["mc_se"])
