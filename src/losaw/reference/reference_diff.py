"""Results compared with a reference run, which has no blocks: equal blocks, moved means."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from losaw.reference.recompute import DIFFERS, EQUAL, EQUAL_ROWS, OTHER_VERSION
from losaw.reference.stored import BLOCKS, KeptBlock, Reference
from losaw.report.results import StudyResults
from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BlockFile, load_named
from losaw.study.files.digest import digest_of
from losaw.study.files.made import altered
from losaw.study.inspecting.difference import CELL, largest_first, shown


@dataclass(frozen=True)
class Beside:
    """The differences between two folders, one of them a reference run, of their common studies.

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
        """True if both contain the same blocks with the same rows, and the same means."""
        n_equal = self.verdicts[EQUAL] + self.verdicts[EQUAL_ROWS]
        same_blocks = n_equal == self.verdicts.total() and self.only == (0, 0)
        return same_blocks and self.cells.empty and not self.not_collected

    def __str__(self) -> str:
        lines = [
            f"{self.verdicts.total()} blocks in both; {self.only[0]} only in the first, "
            f"{self.only[1]} only in the second"
        ]
        lines += [f"  {number} blocks: {what}" for what, number in self.verdicts.most_common()]
        lines += [
            f"not collected: {name}; `losaw report --study {name}` makes its means"
            for name in self.not_collected
        ]
        return "\n".join([*lines, *shown(self.cells, "means")])


def is_reference(folder: Path) -> bool:
    """Return whether a folder is a reference run: digests of blocks, no blocks."""
    for listing in folder.glob(f"*/{BLOCKS}"):
        with listing.open(encoding="utf-8") as lines:
            # The list that a results folder has of its blocks knows no digests of rows.
            if "rows_sha256" in next(lines, ""):
                return True
    return False


def beside(first: Path, second: Path) -> Beside:
    """Compare two folders; either may be a reference run.

    Blocks are compared by the digests of their files and rows, cells by the means that
    ``summary.csv`` holds.

    Raises
    ------
    StudyError
        If a folder holds no blocks, or one that is damaged, or a summary that was edited, or the
        two hold no study in common.
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
        places = [folder / study for folder in (first, second)]
        for place in places:
            _check_summary(place)
        if all((place / "summary.csv").is_file() for place in places):
            moved.append(_moved(*(StudyResults(place).summary for place in places)))
        else:
            not_collected.append(study)
    cells = pd.concat(moved, ignore_index=True) if moved else pd.DataFrame({"z": []})
    return Beside(verdicts, (only[0], only[1]), largest_first(cells), not_collected)


def _check_summary(place: Path) -> None:
    """Refuse the summary of a results folder that is not what was written."""
    path = place / "summary.csv"
    if path.is_file() and not is_reference(place.parent):
        for file, problem in altered(place.parent, place.name, [path]):
            raise StudyError(f"{file}: {problem}; `losaw report --study {place.name}` writes it")


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
    here, there = _opened(first), _opened(second)
    if here.sha256 == there.sha256:
        return EQUAL
    if _rows_digest(here) == _rows_digest(there):
        return EQUAL_ROWS
    return DIFFERS if _version(here) == _version(there) else OTHER_VERSION


def _opened(block: KeptBlock | Path) -> KeptBlock | BlockFile:
    if isinstance(block, KeptBlock):
        return block
    return load_named(block, BlockName.from_path(block))


def _rows_digest(block: KeptBlock | BlockFile) -> str:
    return block.rows_sha256 if isinstance(block, KeptBlock) else digest_of(block.table, {})


def _version(block: KeptBlock | BlockFile) -> str:
    if isinstance(block, KeptBlock):
        return block.results_version
    return str(block.footer.get("results_version"))


def _moved(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The cells of a study whose means are not equal."""
    # A study without importances has a column that is read as one of numbers.
    text = dict.fromkeys(CELL, "string")
    sides = [side.astype(text).fillna({"importance": ""}) for side in (first, second)]
    both = sides[0].merge(sides[1], on=CELL, suffixes=("_first", "_second"))
    both = both[(both["n_seeds_first"] > 0) & (both["n_seeds_second"] > 0)]
    both = both[both["mean_first"] != both["mean_second"]]
    both = both[~(both["mean_first"].isna() & both["mean_second"].isna())]
    difference = both["mean_second"] - both["mean_first"]
    error = np.hypot(both["mc_se_first"], both["mc_se_second"])
    return pd.DataFrame(
        {
            **{name: both[name] for name in CELL},
            "n_first": both["n_seeds_first"],
            "n_second": both["n_seeds_second"],
            "first": both["mean_first"],
            "second": both["mean_second"],
            "difference": difference,
            "mc_se": error,
            "z": difference / error.where(error > 0),
        }
    )
