"""R² on independent features under the other reading of their noise (losaw, Section 5.3)."""

import math

import numpy as np

from losaw.data import Truth
from losaw.metrics.base import Needs, Predictions


class RSquaredIndependentTrainNoise:
    """R² on the independent sample as if its noise had the training sample's variance,

        R² = 1 - (MSE - v + v') / (Var y - v + v'),

    v the variance of the noise that the independent sample has
    (``truth.details["independent_noise_variance"]``), v' that of the training sample's
    (``truth.noise_variance``). Without the first it is the R² of the sample as it is.

    Raises
    ------
    ValueError
        If the generator gives no independent sample, its response is constant, or a prediction is
        not finite.
    """

    range = (-math.inf, 1.0)
    higher_is_better = True
    needs: Needs = "prediction"

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        name = "r2_ind_train_noise"
        if predictions.independent is None:
            raise ValueError(f"{name} is not defined: the generator gives no independent sample")
        y, predicted = (np.asarray(part, dtype=float) for part in predictions.independent)
        if not np.isfinite(predicted).all():
            raise ValueError(f"{name}: predictions must be finite numbers")
        own = truth.details.get("independent_noise_variance")
        exchange = 0.0 if own is None else truth.noise_variance - own
        total = float(y.var()) + exchange
        if not total > 0:
            raise ValueError(f"{name} is not defined: the response is constant")
        error = max(float(((y - predicted) ** 2).mean()) + exchange, 0.0)
        return 1.0 - error / total
