"""Scores feature by feature: what the drawings of the residual-importance paper share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.report.drawings.panels import selected
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, NOISE, SECOND, THIRD
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting

# Okabe and Ito's other colours, for more than three series.
COLOURS = (FIRST, SECOND, THIRD, "#CC79A7", "#E69F00", "#56B4E9", "#B8A200", "#222222")


def chosen_settings(
    study: Study, results: StudyResults, where: Mapping[str, Any] | None
) -> list[Setting]:
    """The settings that were run and agree with ``where``, in the order of the grid."""
    run = set(results.scores["setting_id"])
    settings = [setting for setting in selected(study, where) if setting.identifier in run]
    if not settings:
        raise OptionError(f"where: no setting that was run agrees with {dict(where or {})}")
    return settings


def scores_of(
    results: StudyResults, setting: Setting, learner: str, importance: str
) -> tuple[FloatArray, list[str], set[int]]:
    """Scores (n_runs, n_features), names of the features, and columns of the signal features."""
    scores = results.scores_of(learner, importance)
    rows = scores[(scores["setting_id"] == setting.identifier) & scores["scores"].notna()]
    if rows.empty:
        raise OptionError(
            f"there are no {importance!r} scores of learner {learner!r} in {setting.identifier}"
        )
    return (
        np.stack(rows["scores"].to_list()),
        list(rows["features"].iloc[0]),
        set(rows["signal"].iloc[0]),
    )


def feature_colours(features: list[str], signal: set[int]) -> dict[str, str]:
    """A colour for every signal feature (or all, if none is known), grey for noise features."""
    coloured = [i for i in range(len(features)) if i in signal or not signal]
    colours = dict.fromkeys(features, NOISE)
    colours.update({features[i]: COLOURS[rank % len(COLOURS)] for rank, i in enumerate(coloured)})
    return colours


def standard_error(values: FloatArray) -> FloatArray:
    """The standard error of the mean over runs, (n_features,); 0 for a single run."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    return np.asarray(pd.DataFrame(values).sem().to_numpy())
