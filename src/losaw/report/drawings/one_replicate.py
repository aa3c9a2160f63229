"""The stored scores of one Monte Carlo replicate."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.registry import unknown
from losaw.report.drawings.options import OptionError
from losaw.report.results import StudyResults
from losaw.study.grid import Setting, Study, as_values


def chosen_setting(study: Study, results: StudyResults, where: Mapping[str, Any]) -> Setting:
    """The first setting that ``where`` selects and that has scores.

    Raises
    ------
    OptionError
        If an axis of ``where`` is unknown, or no such setting was run.
    """
    for axis in where:
        if axis not in study.axes:
            raise OptionError(f"where: {unknown('axis', axis, study.axes)}")
    there = set(results.scores["setting_id"])
    selection = {axis: as_values(values) for axis, values in where.items()}
    for setting in study.settings:
        if setting.identifier in there and setting.matches(selection):
            return setting
    raise OptionError(f"where: no setting with {dict(where)} has scores; run one")


def scores_of(
    results: StudyResults, setting: Setting, learner: str, importance: str, seed: int
) -> pd.Series:
    """``scores``, ``signal`` and ``features`` of one fit.

    Raises
    ------
    OptionError
        If this fit was not run, or failed.
    """
    frame = results.scores
    mask = (frame["setting_id"] == setting.identifier) & (frame["seed"] == seed)
    mask &= (frame["learner"] == learner) & (frame["importance"] == importance)
    if not mask.any():
        raise OptionError(f"seed {seed} of {learner!r} in {setting.identifier} has no scores")
    return frame[mask].iloc[0]


def signal_mask(row: pd.Series) -> np.ndarray:
    """Mask (n_features,) of the signal features."""
    mask = np.zeros(len(row["scores"]), dtype=bool)
    mask[list(row["signal"])] = True
    return mask
