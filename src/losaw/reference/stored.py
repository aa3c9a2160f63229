"""The stored files of a reference run, read back."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.report.results import StudyResults
from losaw.study.errors import StudyError

MANIFEST, BLOCKS, FIGURES = "manifest.json", "blocks.csv", "figures"


@dataclass(frozen=True)
class KeptBlock:
    """A block of the reference run.

    Attributes
    ----------
    file : str
        ``<study>/blocks/<setting>/<learner>/seeds_<first>-<last>.parquet``.
    results_version : str
        Of what decided its numbers.
    sha256, rows_sha256 : str
        Of the file, and of its rows alone.
    adopted : str
        The versions that the block had before it was adopted, each with the number of the adoption
        in the study's manifest (from 1): ``4499c61f/1 81ab77cd/2``. Empty: computed by
        ``results_version`` itself.
    """

    file: str
    results_version: str
    sha256: str
    rows_sha256: str
    adopted: str = ""


class KeptStudy(StudyResults):
    """One study of a reference run: ``reference/<study>``."""

    @property
    def name(self) -> str:
        """The study's name."""
        return self.folder.name

    @property
    def kept_blocks(self) -> list[KeptBlock]:
        """Every block with its digests."""
        return [
            KeptBlock(*(str(value) for value in line))
            for line in self.blocks.fillna("").itertuples(index=False)
        ]

    @property
    def adoptions(self) -> list[dict[str, Any]]:
        """The adoptions of blocks, each with its number of ``blocks``, in the order of time."""
        return list(self.manifest.get("adoptions", ()))

    @property
    def figures(self) -> list[Path]:
        """The small pictures."""
        return sorted((self.folder / FIGURES).glob("*.png"))

    @property
    def tables(self) -> list[Path]:
        """The tables in Markdown."""
        return sorted((self.folder / "tables").glob("*.md"))


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
        """Name -> study."""
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
