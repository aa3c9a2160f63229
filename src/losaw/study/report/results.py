"""The stored results of a study, read back for tables, drawings and pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.results.summary import complete_summary


@dataclass(frozen=True)
class StudyResults:
    """The collected files of one study, each read when it is first asked for.

    A StudyError names one that is missing or damaged. The folder is ``<results>/<study>``, as
    :func:`losaw.study.results.outputs.write_outputs` fills it, or ``reference/<study>``.
    """

    folder: Path
    study: Study | None = None  # completes a summary of the reference run

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row per measured value (``losaw.study.results.collect.RESULT_COLUMNS``)."""
        return self._read("results.parquet", pd.read_parquet)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per score vector (``losaw.study.results.collect.SCORE_COLUMNS``)."""
        return self._read("scores.parquet", pd.read_parquet)

    def scores_of(self, learner: str | None, importance: str) -> pd.DataFrame:
        """The score vectors of one importance, of one learner or of all that have it."""
        scores = self.scores[self.scores["importance"] == importance]
        return scores if learner is None else scores[scores["learner"] == learner]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Mean and Monte Carlo standard error of every measured number."""
        summary = self._read_csv("summary.csv", "importance")
        return summary if self.study is None else complete_summary(self.study, summary)

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """Every cell of the published tables, published and reproduced."""
        return self._read_csv("comparison.csv", "explained", "noted")

    def _read_csv(self, name: str, *texts: str) -> pd.DataFrame:
        """Read a table whose columns of ``texts`` may be empty, all of them even."""
        types = dict.fromkeys(texts, str)
        table = self._read(name, lambda path: pd.read_csv(path, dtype=types))
        return table.fillna(dict.fromkeys(texts, ""))

    def _read(self, name: str, read: Callable[[Path], Any]) -> Any:
        path = self.folder / name
        try:
            return read(path)
        except FileNotFoundError:
            reason = "no such file"
        except (OSError, ValueError) as error:
            reason = f"cannot be read: {error}"
        raise StudyError(f"{path}: {reason}; run the study {self.folder.name!r} again")
