"""Total gain of boosted trees, and how far Proposition 3 of TreeInner is from xgboost's own."""

from typing import Any

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.attributions import attribution_sums
from losaw.fitted_trees.booster import as_booster
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult


class TotalGain(Described):
    """Summed decrease of the penalised training loss by the splits on a feature,

        TotalGain_k = sum over trees and splits t on k of
                      G_l^2 / (H_l + lambda) + G_r^2 / (H_r + lambda) - G_t^2 / (H_t + lambda),

    as xgboost reports it (TreeInner, Definitions 2 and 3).
    """

    example_learner = "xgboost"

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of a fitted xgboost model; ``rng`` is not used."""
        return ImportanceResult(total_gain(model), data.feature_names)


class TotalGainDeviation(Described):
    """Distance between two computations of the normalised total gain,

        abs(T_k / sum T - S_k / sum S),

    T from attributions on the training rows (Proposition 3), S as xgboost reports it. A check of
    numerical exactness, not an importance (TreeInner, Section 4.3 and Figure 1).
    """

    example_learner = "xgboost"

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Distances for a fitted xgboost model; ``rng`` is not used."""
        ours = attribution_sums(model, *data.train, "predecomp").inner
        reported = total_gain(model)
        distance = np.abs(ours / ours.sum() - reported / reported.sum())
        return ImportanceResult(distance, data.feature_names)


def total_gain(model: Any) -> FloatArray:
    """``get_score(importance_type="total_gain")`` with a 0 for features without a split."""
    booster = as_booster(model)
    score = booster.get_score(importance_type="total_gain")
    names = booster.feature_names or [f"f{index}" for index in range(booster.num_features())]
    return np.array([score.get(name, 0.0) for name in names], dtype=float)
