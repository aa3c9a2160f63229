"""R² of a learner, on the test sample and on independent features, and the best possible R²."""

import numpy as np

from losaw.data import FloatArray, Truth
from losaw.metrics.metric import OfPrediction, Predictions
from losaw.scoring.losses import zero_one


class RSquaredTest(OfPrediction):
    """R² = 1 - sum (y - y_hat)^2 / sum (y - mean y)^2 on the test sample.

    Raises
    ------
    ValueError
        If shapes differ, there are fewer than 2 rows, a number is not finite, or y is constant.
    """

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        return r_squared("r2_test", *predictions.test)


class RSquaredIndependent(OfPrediction):
    """R² on a sample whose features are drawn independently, each from its marginal distribution.

    Raises
    ------
    ValueError
        As :class:`RSquaredTest`, and if the generator gives no such sample.
    """

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        if predictions.independent is None:
            raise ValueError("r2_ind is not defined: the generator gives no independent sample")
        return r_squared("r2_ind", *predictions.independent)


class RSquaredIndependentTrainNoise(OfPrediction):
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


class DistanceFromOptimum(OfPrediction):
    """R² - R²*, or accuracy - accuracy*, on the test sample (Blesch et al. 2024, B.4).

    R²* = SNR / (SNR + 1) and accuracy* = mean max(p, 1 - p) are in the generator's
    ``truth.details["optimum"]``; 1 if that is absent.

    Parameters
    ----------
    from_optimum : bool, default True
        False gives R² or accuracy itself.

    Raises
    ------
    ValueError
        As :class:`RSquaredTest`.
    """

    def __init__(self, from_optimum: bool = True) -> None:
        self.from_optimum = from_optimum

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        y, predicted = (np.asarray(part, dtype=float) for part in predictions.test)
        optimum = truth.details.get("optimum", 1.0) if self.from_optimum else 0.0
        if predicted.ndim == 2:
            return float(1.0 - zero_one(y, predicted).mean() - optimum)
        return r_squared("optimum_gap", y, predicted) - optimum


def r_squared(metric: str, y: FloatArray, y_hat: FloatArray) -> float:
    """Return the coefficient of determination of predictions ``y_hat`` of ``y``, both (n_samples,).

    Raises
    ------
    ValueError
        As :class:`RSquaredTest`; ``metric`` is the name that the message uses.
    """
    y, y_hat = np.asarray(y, dtype=float), np.asarray(y_hat, dtype=float)
    if y.ndim != 1 or y.shape != y_hat.shape:
        raise ValueError(
            f"{metric}: predictions have shape {y_hat.shape}, responses {y.shape}; "
            "both must be (n_samples,)"
        )
    if len(y) < 2:
        raise ValueError(f"{metric} is not defined: it needs 2 rows or more, got {len(y)}")
    if not (np.isfinite(y).all() and np.isfinite(y_hat).all()):
        raise ValueError(f"{metric}: responses and predictions must be finite numbers")
    total = ((y - y.mean()) ** 2).sum()
    if total == 0:
        raise ValueError(f"{metric} is not defined: the response is constant")
    return float(1 - ((y - y_hat) ** 2).sum() / total)
