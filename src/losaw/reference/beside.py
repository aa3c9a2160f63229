"""Results beside a reference run, which has no blocks: which are equal, which means moved."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from losaw.reference.recompute import DIFFERS, EQUAL, EQUAL_ROWS, OTHER_VERSION
from losaw.reference.stored import BLOCKS, MANIFEST, KeptBlock, Reference
from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import load_named
from losaw.study.files.digest import digest_of

_CELL = ["study", "setting_id", "learner", "importance", "metric"]
_SHOWN = 20


@dataclass(frozen=True)
class Beside:
    """What two folders, one of them a reference run, differ in; of the studies that both hold.

    Attributes
    ----------
    verdicts : Counter
        Verdict -> number of blocks that both hold.
    only : (int, int)
        Blocks that only the first, or only the second holds.
    cells : DataFrame
        One row per study, setting, learner, importance and metric whose mean moved: the numbers of
        runs ``n_first`` and ``n_second``, the means ``first`` and ``second``, ``difference``, its
        Monte Carlo error ``mc_se`` and ``z``, the largest first. The runs are taken as
        independent: of two folders that share seeds the error is too large.
    not_collected : list of str
        Studies whose means are not there.
    """

    verdicts: Counter[str]
    only: tuple[int, int]
    cells: pd.DataFrame
    not_collected: list[str]

    @property
    def is_equal(self) -> bool:
        """Whether both hold the same blocks with the same rows."""
        n_equal = self.verdicts[EQUAL] + self.verdicts[EQUAL_ROWS]
        return n_equal == self.verdicts.total() and self.only == (0, 0)

    def __str__(self) -> str:
        lines = [
            f"{self.verdicts.total()} blocks in both; {self.only[0]} only in the first, "
            f"{self.only[1]} only in the second"
        ]
        lines += [f"  {number} blocks: {what}" for what, number in self.verdicts.most_common()]
        lines += [
            f"not collected: {name}; `losaw collect --study {name}` makes its means"
            for name in self.not_collected
        ]
        lines.append(f"{len(self.cells)} means moved")
        if len(self.cells):
            lines.append(self.cells.head(_SHOWN).to_string(index=False))
        if len(self.cells) > _SHOWN:
            lines.append(f"… and {len(self.cells) - _SHOWN} more (--csv writes all)")
        return "\n".join(lines)


def is_reference(folder: Path) -> bool:
    """Whether a folder is what ``losaw reference keep`` fills: digests of blocks, no blocks."""
    return any(
        (path.parent / BLOCKS).is_file() and not (path.parent / "blocks").exists()
        for path in folder.glob(f"*/{MANIFEST}")
    )


def beside(first: Path, second: Path) -> Beside:
    """Compare two folders; either may be a reference run.

    Blocks are compared by the digests of their files and rows, cells by the means that
    ``summary.csv`` holds.

    Raises
    ------
    StudyError
        If a folder holds no blocks, or one that is damaged, or the two hold no study in common.
    """
    of_studies = [_blocks(folder) for folder in (first, second)]
    shared = sorted(of_studies[0].keys() & of_studies[1].keys())
    if not shared:
        raise StudyError(f"{first} and {second} hold no study in common")
    verdicts: Counter[str] = Counter()
    only = [0, 0]
    moved, not_collected = [], []
    for study in shared:
        here, there = (blocks[study] for blocks in of_studies)
        verdicts.update(_verdict(here[name], there[name]) for name in here.keys() & there.keys())
        only[0] += len(here.keys() - there.keys())
        only[1] += len(there.keys() - here.keys())
        means = [folder / study / "summary.csv" for folder in (first, second)]
        if all(path.is_file() for path in means):
            moved.append(_moved(*map(pd.read_csv, means)))
        else:
            not_collected.append(study)
    cells = pd.concat(moved, ignore_index=True) if moved else pd.DataFrame({"z": []})
    order = cells["z"].abs().fillna(0.0).sort_values(ascending=False, kind="stable").index
    return Beside(
        verdicts, (only[0], only[1]), cells.loc[order].reset_index(drop=True), not_collected
    )


Blocks = Mapping[BlockName, KeptBlock | Path]


def _blocks(folder: Path) -> dict[str, Blocks]:
    """The blocks of every study that a folder holds: files, or what is kept of them."""
    found: dict[str, dict[BlockName, KeptBlock | Path]] = {}
    if is_reference(folder):
        for study in Reference(folder).studies.values():
            found[study.name] = {BlockName.from_path(Path(b.file)): b for b in study.kept_blocks}
        return dict(found)
    for path in sorted(folder.glob("*/blocks/*/*/seeds_*.parquet")):
        name = BlockName.from_path(path)
        found.setdefault(name.study, {})[name] = path
    if not found:
        raise StudyError(f"{folder}: holds no blocks; name a results folder or an archive")
    return dict(found)


def _verdict(first: KeptBlock | Path, second: KeptBlock | Path) -> str:
    here, there = _kept(first), _kept(second)
    if here.sha256 == there.sha256:
        return EQUAL
    if here.rows_sha256 == there.rows_sha256:
        return EQUAL_ROWS
    return DIFFERS if here.results_version == there.results_version else OTHER_VERSION


def _kept(block: KeptBlock | Path) -> KeptBlock:
    """What a reference run keeps of a block."""
    if isinstance(block, KeptBlock):
        return block
    name = BlockName.from_path(block)
    file = load_named(block, name)
    version = str(file.footer.get("results_version"))
    return KeptBlock(str(name.relative_path), version, file.sha256, digest_of(file.table, {}))


def _moved(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The cells of a study whose means are not equal."""
    both = first.merge(second, on=_CELL, suffixes=("_first", "_second"))
    both = both[(both["mean_first"] != both["mean_second"]) & (both["n_seeds_first"] > 0)]
    both = both[both["n_seeds_second"] > 0]
    difference = both["mean_second"] - both["mean_first"]
    error = np.hypot(both["mc_se_first"], both["mc_se_second"])
    return pd.DataFrame(
        {
            **{name: both[name].fillna("") for name in _CELL},
            "n_first": both["n_seeds_first"],
            "n_second": both["n_seeds_second"],
            "first": both["mean_first"],
            "second": both["mean_second"],
            "difference": difference,
            "mc_se": error,
            "z": difference / error.where(error > 0),
        }
    )
