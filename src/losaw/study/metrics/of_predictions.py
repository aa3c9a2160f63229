"""Metrics of predictions: functions of a learner's predictions and the truth, with what each is."""

from functools import partial
from math import inf, nan

import numpy as np

from losaw.data import FloatArray, Truth
from losaw.scoring.losses import zero_one
from losaw.study.metrics.metric import Metric, Predictions


@partial(Metric, range=(-inf, 1.0), needs="prediction")
def r2_test(predictions: Predictions, truth: Truth) -> float:
    """R² = 1 - sum (y - y_hat)^2 / sum (y - mean y)^2 on the test sample."""
    return r_squared(*predictions.test)


@partial(Metric, range=(-inf, 1.0), needs="prediction")
def r2_ind(predictions: Predictions, truth: Truth) -> float:
    """R² on a sample of independent features, each drawn from its marginal distribution."""
    return r_squared(*_on_independent_features(predictions))


@partial(Metric, range=(-inf, 1.0), needs="prediction")
def r2_ind_train_noise(predictions: Predictions, truth: Truth) -> float:
    """R² on the independent sample as if its noise had the training sample's variance,

        R² = 1 - (MSE - v + v') / (Var y - v + v'),

    v the variance of the noise that the independent sample has
    (``truth.details["independent_noise_variance"]``), v' that of the training sample's
    (``truth.noise_variance``). Without the first it is the R² of the sample as it is.
    """
    y, predicted = _finite(*_on_independent_features(predictions))
    independent_noise = truth.details.get("independent_noise_variance")
    exchange = 0.0 if independent_noise is None else truth.noise_variance - independent_noise
    total = float(y.var()) + exchange
    if not total > 0:
        raise ValueError("not defined, since the response is constant")
    error = max(float(((y - predicted) ** 2).mean()) + exchange, 0.0)
    return 1.0 - error / total


# R²* is negative where the responses that are drawn vary less than their noise.
@partial(Metric, range=(-inf, inf), needs="prediction", examples=({}, {"from_optimum": False}))
def optimum_gap(predictions: Predictions, truth: Truth, *, from_optimum: bool = True) -> float:
    """R² - R²*, or accuracy - accuracy*, on the test sample (Blesch et al. 2024, B.4).

    R²* = SNR / (SNR + 1) and accuracy* = mean max(p, 1 - p) are in the generator's
    ``truth.details["optimum"]``; 1 if that is absent. Without ``from_optimum`` R² or accuracy
    itself.
    """
    y, predicted = (np.asarray(values, dtype=float) for values in predictions.test)
    optimum = truth.details.get("optimum", 1.0) if from_optimum else 0.0
    if predicted.ndim == 2:
        return float(1.0 - zero_one(y, predicted).mean() - optimum)
    return r_squared(y, predicted) - optimum


@partial(Metric, range=(0.0, inf), higher_is_better=False, needs="prediction")
def risk(predictions: Predictions, truth: Truth) -> float:
    """The mean squared error of predicted means, 1 - AUC of the probabilities of two classes.

    On the test sample (TreeInner, Table 4 and Figures 9, 14, 19, 24, 29; that "risk" is 1 - AUC
    for classification is the authors' code). Predictions of shape (n_samples, 2) are
    probabilities.
    """
    from sklearn.metrics import roc_auc_score

    y, predicted = _finite(*predictions.test)
    if predicted.shape == y.shape:
        return float(((y - predicted) ** 2).mean())
    if predicted.shape != (len(y), 2):
        raise ValueError(
            f"defined for numbers, (n_samples,), and the probabilities of two classes, (n_samples, "
            f"2), not for predictions of shape {predicted.shape} of {len(y)} responses"
        )
    if len(np.unique(y)) != 2:
        raise ValueError("not defined, since the test sample holds one class only")
    return float(1 - roc_auc_score(y, predicted[:, 1]))


@partial(Metric, range=(0.0, inf), higher_is_better=False, needs="prediction")
def squared_error_of_mean(predictions: Predictions, truth: Truth) -> float:
    """The mean squared difference between predicted and true means, E[Y | X], on the test sample.

    Of two classes, between their probabilities. Unlike :func:`risk` it has no noise of the response
    in it.
    """
    if predictions.mean is None:
        raise ValueError("not defined, since the generator does not say the mean of its responses")
    predicted, mean = _finite(predictions.test[1], predictions.mean)
    if predicted.shape == (len(mean), 2):
        predicted = predicted[:, 1]
    if predicted.shape != mean.shape:
        raise ValueError(f"defined for numbers and two classes, not for shape {predicted.shape}")
    return float(((predicted - mean) ** 2).mean())


@partial(
    Metric,
    range=(-inf, inf),
    needs="prediction",
    ranks_methods=False,
    optional=True,
    examples=({"key": "detail"},),
)
def truth_detail(predictions: Predictions, truth: Truth, *, key: str) -> float:
    """A number that the generator records, such as an attained correlation: ``truth.details[key]``.

    NaN, an empty cell, where the generator does not note it.
    """
    return float(truth.details.get(key, nan))


def r_squared(y: FloatArray, y_hat: FloatArray) -> float:
    """Return the coefficient of determination of predictions ``y_hat`` of ``y``, both (n_samples,).

    Refused: other shapes, fewer than 2 rows, numbers that are not finite, a constant response.
    """
    y, y_hat = np.asarray(y, dtype=float), np.asarray(y_hat, dtype=float)
    if y.ndim != 1 or y.shape != y_hat.shape:
        raise ValueError(
            f"predictions have shape {y_hat.shape}, responses {y.shape}; both must be (n_samples,)"
        )
    if len(y) < 2:
        raise ValueError(f"not defined, since it needs 2 rows or more, got {len(y)}")
    y, y_hat = _finite(y, y_hat)
    if y.min() == y.max():
        raise ValueError("not defined, since the response is constant")
    return float(1 - ((y - y_hat) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def _on_independent_features(predictions: Predictions) -> tuple[FloatArray, FloatArray]:
    if predictions.independent is None:
        raise ValueError("not defined, since the generator gives no independent sample")
    return predictions.independent


def _finite(*pair: FloatArray) -> list[FloatArray]:
    arrays = [np.asarray(values, dtype=float) for values in pair]
    if not all(np.isfinite(values).all() for values in arrays):
        raise ValueError("responses and predictions must be finite numbers")
    return arrays
