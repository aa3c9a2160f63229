"""The stored scores of one Monte Carlo replicate."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.report.drawings.panels import selected
from losaw.report.results import StudyResults
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting


def chosen_setting(
    study: Study, results: StudyResults, where: Mapping[str, Any], seed: int
) -> Setting | None:
    """The first setting that ``where`` selects and whose replicate ``seed`` has scores, or None.

    Raises
    ------
    OptionError
        If an axis of ``where`` is unknown.
    """
    scores = results.scores
    there = set(scores["setting_id"][scores["seed"] == seed])
    return next((s for s in selected(study, where) if s.identifier in there), None)


def scores_of_fit(
    results: StudyResults, setting: Setting, learner: str, importance: str, seed: int
) -> pd.Series | None:
    """``scores``, ``signal`` and ``features`` of one fit; None if it was not run, or failed."""
    scores = results.scores_of(learner, importance)
    fit = scores[(scores["setting_id"] == setting.identifier) & (scores["seed"] == seed)]
    return None if fit.empty else fit.iloc[0]


def signal_mask(row: pd.Series) -> np.ndarray:
    """Mask (n_features,) of the signal features."""
    mask = np.zeros(len(row["scores"]), dtype=bool)
    mask[list(row["signal"])] = True
    return mask
