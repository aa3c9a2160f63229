"""Saliency of a fitted network (Simonyan et al. 2014; losaw, Section 5.3)."""

from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult


class Saliency(Described):
    """Mean absolute input gradient on the training rows,

        s_p = (1 / N) sum_n |d f(x_n) / d x_p|,

    scaled to 0–1 within every row before the mean, and over the features after it: the
    network's own ``feature_importances_``. What the training noted (``training_record_``), and two
    numbers made of it, are handed on as details: ``features_drawn``, the number of different
    features that were drawn, and ``effective_sample_size``, the mean over the draws of the relative
    effective sample size.
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Read the scores off the fitted ``model``; ``rng`` is not used."""
        details = dict(getattr(model, "training_record_", {}))
        if "draws" in details:
            drawn = details["draws"] > 0
            sizes = details["relative_effective_sample_sizes"][drawn]
            details["features_drawn"] = int(drawn.sum())
            details["effective_sample_size"] = float(
                np.average(sizes, weights=details["draws"][drawn])
            )
        return ImportanceResult(
            np.array(model.feature_importances_), data.feature_names, details=details
        )
