"""The scores that a fitted learner reports of itself, and the saliency of a network."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from losaw.scoring.result import ImportanceResult


def reported(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """The ``feature_importances_`` of any fitted learner, unchanged.

    The learner decides what they estimate: for the learners in R, the corrected impurity of ranger
    and the permutation importance of cforest.
    """
    scores = getattr(model, "feature_importances_", None)
    if scores is None:
        raise TypeError(f"{type(model).__name__} has no feature_importances_ to report")
    return ImportanceResult(np.array(scores, dtype=float), tuple(feature_names))


def saliency(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """Mean absolute input gradient on the training rows (Simonyan et al. 2014; losaw, Section 5.3),

        s_p = (1 / N) sum_n |d f(x_n) / d x_p|,

    scaled to 0–1 within every row before the mean, and over the features after it: the
    network's own ``feature_importances_``.

    ``details`` are the training's record, and two numbers computed from it: ``features_drawn``, the
    number of different features that were drawn, and ``effective_sample_size``, the mean over the
    draws of the relative effective sample size.
    """
    details = dict(getattr(model, "training_record_", {}))
    if "draws" in details:
        drawn = details["draws"] > 0
        sizes = details["relative_effective_sample_sizes"][drawn]
        details["features_drawn"] = int(drawn.sum())
        details["effective_sample_size"] = float(np.average(sizes, weights=details["draws"][drawn]))
    scores = reported(model, feature_names=feature_names).scores
    return ImportanceResult(scores, tuple(feature_names), details=details)
