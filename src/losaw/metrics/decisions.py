"""Metrics of decisions: rejected features, and features among the k best."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from losaw.data import Truth
from losaw.metrics.metric import OfImportance
from losaw.scoring.importance_result import ImportanceResult
from losaw.support.words import unknown


class RejectionRate(OfImportance):
    """The share of features that a method declares relevant,

        mean over j in F of 1(p_j <= alpha),   or of the method's own decision,

    if the method has a selection in ``details["selected"]`` (Boruta). Averaged over runs it is
    power on relevant features and the type I error on the others.

    Parameters
    ----------
    features : sequence of str or None, default None
        F by name. None: the signal features.
    alpha : float, default 0.05
    optional : bool, default False
        NaN, and so an empty cell, of an importance that tests nothing, instead of an error.

    Raises
    ------
    ValueError
        If alpha is not between 0 and 1; when called, if a feature is unknown, there is none, or
        the importance has no p-values.
    """

    is_decision = True

    def __init__(
        self, features: Sequence[str] | None = None, alpha: float = 0.05, optional: bool = False
    ) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
        self.features = features
        self.alpha = alpha
        self.optional = optional

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        columns = _columns("rejection_rate", self.features, result, truth.is_signal)
        selected = result.details.get("selected")
        if selected is None:
            if result.p_values is None:
                if self.optional:
                    return math.nan
                raise ValueError(
                    "rejection_rate is not defined: the importance has no p-values; take a method "
                    "that tests (CPI, LOCO, Boruta)"
                )
            selected = np.asarray(result.p_values) <= self.alpha
        return float(np.asarray(selected)[columns].mean())


class FalseRejectionRate(RejectionRate):
    """The share of features without signal that a method declares relevant: type I error."""

    higher_is_better = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        columns = _columns("type_1_error", self.features, result, ~truth.is_signal)
        names = [result.feature_names[j] for j in columns]
        return RejectionRate(names, self.alpha, self.optional)(result, truth)


class TopShare(OfImportance):
    """The share of features that are among the k best,

        mean over j in F of 1(rank_j <= k),   rank_j = 1 + #better + #equal others / 2.

    Averaged over runs it is sensitivity on relevant features and 1 - specificity on the others.

    Parameters
    ----------
    features : sequence of str or None, default None
        F by name. None: the signal features.
    k : int or None, default None
        None: as many as there are signal features.

    Raises
    ------
    ValueError
        If k is not positive; when called, if a feature is unknown or there is none.
    """

    is_decision = True

    def __init__(self, features: Sequence[str] | None = None, k: int | None = None) -> None:
        if k is not None and k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        self.features = features
        self.k = k

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        columns = _columns("top_share", self.features, result, truth.is_signal)
        scores = result.ranking_scores()
        better = (scores[None, :] > scores[:, None]).sum(axis=1)
        equal = (scores[None, :] == scores[:, None]).sum(axis=1) - 1
        k = len(truth.signal) if self.k is None else self.k
        return float((1 + better + equal / 2 <= k)[columns].mean())


def _columns(
    metric: str,
    features: Sequence[str] | None,
    result: ImportanceResult,
    default: NDArray[np.bool_],
) -> NDArray[np.intp]:
    if features is None:
        if len(result) != len(default):  # of groups, or not of all features
            raise ValueError(
                f"{metric}: {len(result)} scores for {len(default)} features; name those that "
                "count under features"
            )
        columns = np.flatnonzero(default)
    else:
        for feature in features:
            if feature not in result.feature_names:
                raise ValueError(f"{metric}: {unknown('feature', feature, result.feature_names)}")
        columns = np.array([result.feature_names.index(feature) for feature in features], dtype=int)
    if not len(columns):
        raise ValueError(f"{metric} is not defined: there is no such feature")
    return columns
