"""The stored scores of one Monte Carlo replicate."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import new_figure
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting, as_values
from losaw.support.words import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def chosen_setting(
    study: Study, results: StudyResults, where: Mapping[str, Any], seed: int
) -> Setting | None:
    """The first setting that ``where`` selects and whose replicate ``seed`` has scores, or None.

    Raises
    ------
    OptionError
        If an axis of ``where`` is unknown.
    """
    for axis in where:
        if axis not in study.axes:
            raise OptionError(f"where: {unknown('axis', axis, study.axes)}")
    scores = results.scores
    there = set(scores["setting_id"][scores["seed"] == seed])
    selection = {axis: as_values(values) for axis, values in where.items()}
    for setting in study.settings:
        if setting.identifier in there and setting.matches(selection):
            return setting
    return None


def scores_of_fit(
    results: StudyResults, setting: Setting, learner: str, importance: str, seed: int
) -> pd.Series | None:
    """``scores``, ``signal`` and ``features`` of one fit; None if it was not run, or failed."""
    scores = results.scores_of(learner, importance)
    fit = scores[(scores["setting_id"] == setting.identifier) & (scores["seed"] == seed)]
    return None if fit.empty else fit.iloc[0]


def empty_figure(why: str = "this replicate was not run") -> "Figure":
    """A placeholder for a figure of which nothing was run."""
    figure = new_figure(1.0, 4.5)
    figure.text(0.5, 0.5, why, ha="center", va="center")
    return figure


def signal_mask(row: pd.Series) -> np.ndarray:
    """Mask (n_features,) of the signal features."""
    mask = np.zeros(len(row["scores"]), dtype=bool)
    mask[list(row["signal"])] = True
    return mask
