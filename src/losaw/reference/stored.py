"""The stored files of a reference run, read back."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.report.results import StudyResults
from losaw.study.errors import StudyError

MANIFEST, BLOCKS, FIGURES = "manifest.json", "blocks.csv", "figures"


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


def is_reference(folder: Path) -> bool:
    """Return whether a folder is a reference run: digests of blocks, no blocks."""
    for listing in folder.glob(f"*/{BLOCKS}"):
        with listing.open(encoding="utf-8") as lines:
            # The list that a results folder has of its blocks knows no digests of rows.
            if "rows_sha256" in next(lines, ""):
                return True
    return False


def commits_of(manifest: Mapping[str, Any]) -> list[str]:
    """The commits that computed the blocks; several if they were kept at different times."""
    return list(manifest.get("commits", [manifest["commit"]]))


class KeptStudy(StudyResults):
    """One study of a reference run: ``reference/<study>``."""

    @property
    def name(self) -> str:
        """The study's name."""
        return self.folder.name

    @property
    def kept_blocks(self) -> list[KeptBlock]:
        """Every block with its digests; other columns are not read."""
        listing = pd.read_csv(self.folder / BLOCKS, dtype=str, usecols=KEPT_COLUMNS)
        return [KeptBlock(*line) for line in listing.itertuples(index=False)]

    @property
    def figures(self) -> list[Path]:
        """The small pictures."""
        return sorted((self.folder / FIGURES).glob("*.png"))


@dataclass(frozen=True)
class Reference:
    """All studies of a reference run.

    Parameters
    ----------
    folder : Path
        As :func:`losaw.reference.store.keep` fills it.

    Raises
    ------
    StudyError
        If the folder holds no study.
    """

    folder: Path

    @cached_property
    def studies(self) -> dict[str, KeptStudy]:
        """The studies by name."""
        studies = {
            path.parent.name: KeptStudy(path.parent)
            for path in sorted(self.folder.glob(f"*/{MANIFEST}"))
        }
        if not studies:
            raise StudyError(
                f"{self.folder}: holds no study of a reference run; `losaw reference keep` "
                "puts those of a results folder there"
            )
        return studies

    def summary(self, study: str) -> pd.DataFrame | None:
        """Means and Monte Carlo errors of a study; None if it is not kept."""
        kept = self.studies.get(study)
        return None if kept is None else kept.summary
