"""The distance of a learner's predictions from the best possible predictions."""

import math

import numpy as np

from losaw.data import Truth
from losaw.metrics.base import Needs, Predictions
from losaw.metrics.prediction import r_squared
from losaw.scoring.losses import zero_one


class DistanceFromOptimum:
    """R² - R²*, or accuracy - accuracy*, on the test sample (Blesch et al. 2023, B.4).

    R²* = SNR / (SNR + 1) and accuracy* = mean max(p, 1 - p) are in the generator's
    ``truth.details["optimum"]``; 1 if that is absent.

    Parameters
    ----------
    from_optimum : bool, default True
        False gives R² or accuracy itself.

    Raises
    ------
    ValueError
        As :class:`losaw.metrics.prediction.RSquaredTest`.
    """

    range = (-math.inf, 1.0)
    higher_is_better = True
    needs: Needs = "prediction"

    def __init__(self, from_optimum: bool = True) -> None:
        self.from_optimum = from_optimum

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        y, predicted = (np.asarray(part, dtype=float) for part in predictions.test)
        optimum = truth.details.get("optimum", 1.0) if self.from_optimum else 0.0
        if predicted.ndim == 2:
            return float(1.0 - zero_one(y, predicted).mean() - optimum)
        return r_squared("optimum_gap", y, predicted) - optimum
