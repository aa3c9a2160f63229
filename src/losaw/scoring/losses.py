"""Losses of single rows: ``loss(y, prediction) -> array (n_samples,)``.

For a regression y and the prediction are numbers. For a classification y holds class numbers 0, 1,
… (positions in the model's ``classes_``), and the prediction the probability of class 1,
(n_samples,), if there are two classes, and the probabilities of all, (n_samples, K), if there are
more.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from losaw.data import FloatArray
from losaw.support.arguments import ArgumentTypeError, between_0_and_1
from losaw.support.models import inside, names_of_kinds
from losaw.support.words import did_you_mean, unknown

Loss = Callable[[FloatArray, FloatArray], FloatArray]
LossName = Literal["squared-error", "absolute-error", "pinball", "log-loss", "brier", "zero-one"]
_SMALLEST_PROBABILITY = 1e-15
_LARGEST_DIFFERENCE = 1e75  # the variance of squares of larger ones is beyond all floats


def squared_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """(y - f)^2; of classes half the sum of (1{y = k} - p_k)^2, which is (y - p_1)^2 for two."""
    if prediction.ndim == 2:
        return np.asarray(((_indicators(y, prediction) - prediction) ** 2).sum(axis=1) / 2)
    differences = y - prediction
    if (largest := np.abs(differences).max(initial=0.0)) > _LARGEST_DIFFERENCE:
        problem = f"y and its prediction differ by {largest:g}, too much for errors of squares"
        raise ValueError(f"{problem}; give y in another unit, or take another loss")
    return np.asarray(differences**2)


def absolute_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """|y - f|; of classes half the sum of |1{y = k} - p_k|, which is 1 - p_y."""
    if prediction.ndim == 2:
        return np.asarray(np.abs(_indicators(y, prediction) - prediction).sum(axis=1) / 2)
    return np.abs(y - prediction)


def log_loss(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """-log of the probability given to the observed class; probabilities at least 1e-15."""
    p = np.asarray(prediction, dtype=float)  # in float32, 1 - 1e-15 is 1, and its loss infinite
    p = np.clip(p, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
    if p.ndim == 2:
        return np.asarray(-np.log(p[np.arange(len(y)), y.astype(np.intp)]))
    # 1 - (1 - 1e-15) is not 1e-15 in floats: the minimum gives both classes the same worst loss.
    other = np.minimum(-np.log1p(-p), -np.log(_SMALLEST_PROBABILITY))
    return np.asarray(np.where(y > 0.5, -np.log(p), other))


def zero_one(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """1 if the most probable class was not observed, else 0; classes that tie share the guess."""
    if prediction.ndim == 1:
        prediction = np.column_stack([1.0 - prediction, prediction])
    best = prediction >= prediction.max(axis=1, keepdims=True)
    hit = best[np.arange(len(y)), y.astype(np.intp)]
    return np.asarray(1.0 - hit / best.sum(axis=1))


def pinball(quantile: float = 0.5) -> Loss:
    """The pinball loss of a quantile q: (y - f) q above the prediction, (f - y) (1 - q) below.

    Parameters
    ----------
    quantile : float, default 0.5
        With 0.5 half the absolute error.

    Returns
    -------
    callable
        ``loss(y, predictions) -> array (n_rows,)``, for ``loss=`` of an importance.

    Raises
    ------
    ValueError
        If the quantile is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.importance import pinball
    >>> pinball(0.9)(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    array([0.9, 0.1])
    """
    between_0_and_1("quantile", quantile)

    def loss(y: FloatArray, prediction: FloatArray) -> FloatArray:
        above = y - prediction
        return np.maximum(quantile * above, (quantile - 1.0) * above)

    loss.__name__ = f"pinball_{quantile:g}"
    return loss


LOSSES: dict[str, Loss] = {
    "squared-error": squared_error,
    "absolute-error": absolute_error,
    "pinball": pinball(0.5),
    "log-loss": log_loss,
    "brier": squared_error,
    "zero-one": zero_one,
}
# scikit-learn's models that decide by another rule than their probabilities.
_OWN_DECISIONS = {"FixedThresholdClassifier", "TunedThresholdClassifierCV", "SVC", "NuSVC"}
_OF_CLASSES = ("log-loss", "brier", "zero-one")


# scikit-learn's scores that are means over rows: the loss of a row, and the task.
SCORINGS = {
    "accuracy": ("zero-one", "classification"),
    "neg_brier_score": ("brier", "classification"),
    "neg_log_loss": ("log-loss", "classification"),
    "neg_mean_absolute_error": ("absolute-error", "regression"),
    "neg_mean_squared_error": ("squared-error", "regression"),
}


def asked_loss(loss: Any, scoring: Any, model: Any, task: str) -> tuple[Any, Loss]:
    """Return the loss that is asked for, as it is named and as a function.

    A score of scikit-learn, a name of ``SCORINGS`` or the scorer of that name, asks for the loss
    whose mean over rows it is with another sign.
    """
    if scoring is not None:
        loss = _loss_of_scoring(loss, scoring, model, task)
    if loss is None:
        loss = "log-loss" if task == "classification" else "squared-error"
    if callable(loss):
        return loss, _checked(loss)
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(
            unknown("loss", loss, LOSSES) + "; or give loss(y, prediction) -> array (n_samples,)"
        )
    if loss in (_OF_CLASSES if task == "regression" else ("pinball",)):
        raise ValueError(f"the loss {loss!r} is not defined for a {task}")
    return loss, LOSSES[loss]


def _loss_of_scoring(loss: Any, scoring: Any, model: Any, task: str) -> str:
    if loss is not None:
        raise ValueError("give loss= or scoring=, not both")
    if not isinstance(scoring, str):
        from sklearn.metrics import get_scorer

        same = (name for name in SCORINGS if repr(get_scorer(name)) == repr(scoring))
        scoring = next(same, scoring)
    if not isinstance(scoring, str) or scoring not in SCORINGS:
        nearest = did_you_mean(scoring, SCORINGS) if isinstance(scoring, str) else ""
        raise ValueError(
            f"scoring={scoring!r} is not known to be a mean over rows{nearest} (known: "
            f"{', '.join(SCORINGS)}); give loss=, a name or a function of (y, prediction) that "
            "returns one number for each row"
        )
    name, its_task = SCORINGS[scoring]
    last = inside(model[0] if isinstance(model, list) and model else model).model
    decides = names_of_kinds(last) & _OWN_DECISIONS
    if decides and name == "zero-one" and hasattr(last, "predict_proba"):
        raise ValueError(
            f"{type(last).__name__} does not predict the most probable class, of which the "
            "zero-one loss is; give its accuracy as loss=, a function of (y, probability of the "
            "second class), or take scoring='neg_log_loss'"
        )
    if task != its_task:
        raise ValueError(
            f"scoring={scoring!r} is a score of a {its_task}, which the model does not do"
        )
    return name


def _checked(loss: Loss) -> Loss:
    """A user's loss that must give one finite number for every row."""

    def checked(y: FloatArray, prediction: FloatArray) -> FloatArray:
        try:  # on copies, which it may change
            values = np.asarray(loss(y.copy(), prediction.copy()), dtype=float)
        except TypeError as error:
            raise ArgumentTypeError(
                f"loss must be a function of (y, prediction) that returns numbers ({error}); a "
                "scorer is for scoring="
            ) from error
        if values.shape != y.shape:
            raise ValueError(
                f"the loss gives shape {values.shape} for {len(y)} rows; it must give one number "
                "for every row, not their mean"
            )
        if not np.isfinite(values).all():
            raise ValueError("the loss gives values that are not finite")
        return values

    return checked


def _indicators(y: FloatArray, prediction: FloatArray) -> FloatArray:
    return np.asarray(y[:, None] == np.arange(prediction.shape[1]), dtype=float)
