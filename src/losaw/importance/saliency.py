"""Saliency of a fitted network (Simonyan et al. 2014; losaw, Section 5.3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from losaw.importance.reported import reported
from losaw.scoring.importance_result import ImportanceResult


def saliency(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """Mean absolute input gradient on the training rows,

        s_p = (1 / N) sum_n |d f(x_n) / d x_p|,

    scaled to 0–1 within every row before the mean, and over the features after it: the
    network's own ``feature_importances_``.

    Parameters
    ----------
    model : fitted network
    feature_names : sequence of str

    Returns
    -------
    ImportanceResult
        ``details``: the training's record (``training_record_``), and two numbers computed from
        it: ``features_drawn``, the number of different features that were drawn, and
        ``effective_sample_size``, the mean over the draws of the relative effective sample size.

    Raises
    ------
    TypeError
        If the model reports no ``feature_importances_``.
    """
    details = dict(getattr(model, "training_record_", {}))
    if "draws" in details:
        drawn = details["draws"] > 0
        sizes = details["relative_effective_sample_sizes"][drawn]
        details["features_drawn"] = int(drawn.sum())
        details["effective_sample_size"] = float(np.average(sizes, weights=details["draws"][drawn]))
    scores = reported(model, feature_names=feature_names).scores
    return ImportanceResult(scores, tuple(feature_names), details=details)
