"""The stored results of a study, read back for tables, drawings and pages."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.request.grid import Study
from losaw.study.request.settings import as_own
from losaw.study.results.summary import SUMMARY, complete_summary
from losaw.study.stored_tables import read_stored
from losaw.support.errors import LosawError
from losaw.support.sources import digest_of

# Columns of a comparison that must be there, with their types.
WORDS = dict.fromkeys(("metric", "method", "verdict", "runs_to_decide", "explained", "noted"), str)
COMPARISON = {**WORDS, "published": float, "reproduced": float, "n_seeds": int}
DIFFERENCES = {**dict.fromkeys(("method", "minus", "metric"), str), "difference": float}


@dataclass(frozen=True)
class StudyResults:
    """The collected files of one study, each read when it is first asked for.

    A LosawError names one that is missing or damaged. The folder is ``<results>/<study>``, as
    :func:`losaw.study.results.outputs.write_outputs` fills it, or ``reference/<study>``.
    """

    folder: Path
    study: Study | None = None  # completes a summary of the reference run, and has the axes' values

    def _read(self, name: str, types: Mapping[str, type]) -> pd.DataFrame:
        """Read a table of cells, with the values of axes that the study has: "01" is no 1."""
        axes = self.study.file.axes if self.study else {}
        self.check_whole(name)
        table = read_stored(self.folder / name, {**types, **dict.fromkeys(axes, str)})
        own = {axis: as_own(table[axis], values) for axis, values in axes.items()}
        return table.assign(**own) if len(table) else table

    def check_whole(self, name: str) -> None:
        """Raise a LosawError if a file is not as the run wrote it."""
        path, noted = self.folder / name, read_manifest(self.folder).get("sha256", {}).get(name)
        if noted and path.is_file() and digest_of([path]) != noted:
            raise LosawError(
                f"{path}: is not as the run wrote it (sha256 in manifest.json); restore it, or "
                "remove it and run the study again"
            )

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row per measured value (``losaw.study.results.collect.RESULT_COLUMNS``)."""
        return read_stored(self.folder / "results.parquet")

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per score vector (``losaw.study.results.collect.SCORE_COLUMNS``)."""
        return read_stored(self.folder / "scores.parquet")

    def scores_of(self, learner: str | None, importance: str) -> pd.DataFrame:
        """The score vectors of one importance, of one learner or of all that have it."""
        scores = self.scores[self.scores["importance"] == importance]
        return scores if learner is None else scores[scores["learner"] == learner]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Mean and Monte Carlo standard error of every measured number."""
        summary = self._read("summary.csv", SUMMARY)
        return summary if self.study is None else complete_summary(self.study, summary)

    @property
    def is_paired(self) -> bool:
        """Whether differences on the same data sets are stored."""
        return (self.folder / "differences.csv").is_file()

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Paired differences of methods; where none are stored, those of the means."""
        if self.is_paired:
            return self._read("differences.csv", DIFFERENCES)
        keys = ["setting_id", "metric"]
        means = self.summary[self.summary["n_seeds"] > 0]
        means = means[[*keys, "method", "mean", "mc_se"]]
        both = means.merge(means.rename(columns={"method": "minus"}), on=keys, suffixes=("", "_"))
        both = both[both["method"] > both["minus"]]  # each pair once
        errors = np.hypot(both["mc_se"], both["mc_se_"])
        return both.assign(difference=both["mean"] - both["mean_"], mc_se=errors)

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """Every cell of the published tables, published and reproduced."""
        return self._read("comparison.csv", COMPARISON)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a run says of a study; empty for the reference run."""
    path = folder / "manifest.json"
    try:
        return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}
    except ValueError as error:
        words = f"cannot be read ({error}); remove it and run the study again"
        raise LosawError(f"{path}: {words}") from None
