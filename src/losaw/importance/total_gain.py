"""Total gain of boosted trees, and how far Proposition 3 of TreeInner is from xgboost's own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.scoring.importance_result import ImportanceResult
from losaw.trees.attributions import attribution_sums
from losaw.trees.booster import as_booster


def total_gain(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """Summed decrease of the penalised training loss by the splits on a feature,

        TotalGain_k = sum over trees and splits t on k of
                      G_l^2 / (H_l + lambda) + G_r^2 / (H_r + lambda) - G_t^2 / (H_t + lambda),

    as xgboost reports it (TreeInner, Definitions 2 and 3).

    Parameters
    ----------
    model : fitted xgboost model
    feature_names : sequence of str

    Returns
    -------
    ImportanceResult
    """
    return ImportanceResult(reported_total_gain(model), tuple(feature_names))


def total_gain_deviation(
    model: Any, X: ArrayLike, y: ArrayLike, *, feature_names: Sequence[str]
) -> ImportanceResult:
    """Distance between two computations of the normalised total gain,

        abs(T_k / sum T - S_k / sum S),

    T from attributions on the training rows (Proposition 3), S as xgboost reports it. A check of
    numerical exactness, not an importance (TreeInner, Section 4.3 and Figure 1).

    Parameters
    ----------
    model : fitted xgboost model
    X, y : array of shape (n_samples, n_features), array of shape (n_samples,)
        The training sample.
    feature_names : sequence of str

    Returns
    -------
    ImportanceResult
    """
    ours = attribution_sums(model, X, y, "predecomp").inner
    reported = reported_total_gain(model)
    distance = np.abs(ours / ours.sum() - reported / reported.sum())
    return ImportanceResult(distance, tuple(feature_names))


def reported_total_gain(model: Any) -> FloatArray:
    """``get_score(importance_type="total_gain")`` with a 0 for features without a split."""
    booster = as_booster(model)
    score = booster.get_score(importance_type="total_gain")
    names = booster.feature_names or [f"f{index}" for index in range(booster.num_features())]
    return np.array([score.get(name, 0.0) for name in names], dtype=float)
