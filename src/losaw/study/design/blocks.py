"""Blocks: a fixed range of seeds of one setting and one learner, and the file that holds it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from losaw.study.design.grid import Study
from losaw.study.design.series import Series
from losaw.study.design.settings import Setting, first_match
from losaw.study.errors import StudyError

DEFAULT_BOUNDARIES = (50,)
_FILE_NAME = re.compile(r"^seeds_(\d{5,})-(\d{5,})$")


@dataclass(frozen=True, order=True)
class BlockName:
    """Seeds ``first``..``last`` (both included) of one setting and one learner.

    The range is fixed by the study file, not by the machine: it is part of the file's name.
    """

    study: str
    setting: str
    learner: str
    first: int
    last: int

    @property
    def seeds(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def stem(self) -> str:
        return f"seeds_{self.first:05d}-{self.last:05d}"

    @property
    def relative_path(self) -> Path:
        """Path of the block's Parquet file below the results folder."""
        return Path(self.study) / "blocks" / self.setting / self.learner / f"{self.stem}.parquet"

    @property
    def run_record_path(self) -> Path:
        """Path of the record of how the block was run (host, seconds), below the results folder."""
        return Path(self.study) / "runs" / self.setting / self.learner / f"{self.stem}.json"

    @classmethod
    def from_path(cls, path: Path) -> "BlockName":
        """The block of a file named as :attr:`relative_path` says, wherever the folder lies."""
        match = _FILE_NAME.match(path.stem)
        if match is None or len(path.parts) < 5 or path.parts[-4] != "blocks":
            raise StudyError(
                f"{path}: not a block file; expected "
                "<study>/blocks/<setting>/<learner>/seeds_<first>-<last>.parquet"
            )
        return cls(path.parts[-5], path.parts[-3], path.parts[-2], *map(int, match.groups()))

    def __str__(self) -> str:
        return self.relative_path.as_posix()


@dataclass(frozen=True)
class Limits:
    """Limits of a block: minutes in all, megabytes at once (None: most of the memory)."""

    minutes: float
    megabytes: float | None


@dataclass(frozen=True)
class Block:
    """A resolved block: its name, what decides its numbers, and the place of its file.

    Whoever computes, stores, collects or inspects a block asks nothing but the block. Two blocks
    of one name are equal.
    """

    name: BlockName
    series: Series = field(compare=False, repr=False)
    results: Path = field(compare=False)
    limits: Limits = field(compare=False, repr=False)

    @property
    def seeds(self) -> range:
        return self.name.seeds

    @property
    def path(self) -> Path:
        """The block's file."""
        return self.results / self.name.relative_path

    @property
    def record_path(self) -> Path:
        """The file with the record of how the block was run."""
        return self.results / self.name.run_record_path

    @property
    def law_path(self) -> Path | None:
        """The file of the joint law that its data are drawn from; None if there is none."""
        return None if self.series.law is None else law_file(self.results, self.series.law)

    @property
    def company(self) -> tuple[str | int, ...]:
        """Blocks of the same company draw the same knockoffs; one process makes them once."""
        own = self.name
        if self.series.draws_knockoffs:
            return (own.study, self.series.setting.data_identifier, own.first)
        return (own.study, own.setting, own.learner, own.first)

    def placed_in(self, results: Path) -> "Block":
        """The same block in another results folder."""
        return replace(self, results=results)


def companies(blocks: Iterable[Block]) -> list[list[Block]]:
    """Cut blocks, in their order, where the company changes."""
    return [list(part) for _, part in groupby(blocks, key=lambda block: block.company)]


def law_file(results: Path, law: str) -> Path:
    """Return the file of a fitted joint law, which all studies share."""
    return results / "laws" / f"{law}.json"


def cut(study: Study, setting: Setting, n_seeds: int) -> Iterator[range]:
    """Cut the seeds 0..n_seeds-1 of a setting at the study's boundaries.

    Past the last boundary the width of the last block repeats. Asking for more seeds adds
    ranges; only a range that ended between two boundaries is replaced by a longer one.
    """
    entry = first_match(study.file.seed_blocks, setting, ("boundaries",))
    boundaries = list(entry["boundaries"]) if entry else list(DEFAULT_BOUNDARIES)
    width = boundaries[-1] - (boundaries[-2] if len(boundaries) > 1 else 0)
    while boundaries[-1] < n_seeds:
        boundaries.append(boundaries[-1] + width)
    first = 0
    for boundary in boundaries:
        end = min(boundary, n_seeds)
        if end > first:
            yield range(first, end)
        first = end
