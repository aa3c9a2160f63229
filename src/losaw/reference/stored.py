"""The stored files of a reference run, read back."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.report.results import StudyResults
from losaw.study.errors import StudyError
from losaw.study.inspecting.difference import KeptBlock, kept_blocks

MANIFEST, FIGURES = "manifest.json", "figures"


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
        """Every block with its digests."""
        return kept_blocks(self.folder)

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
