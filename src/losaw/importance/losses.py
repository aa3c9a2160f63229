"""Losses of single rows: ``loss(y, prediction) -> array (n_samples,)``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.words import unknown

Loss = Callable[[FloatArray, FloatArray], FloatArray]
_SMALLEST_PROBABILITY = 1e-15


def squared_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """(y - f)^2."""
    return np.asarray((y - prediction) ** 2)


def absolute_error(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """|y - f|."""
    return np.abs(y - prediction)


def log_loss(y: FloatArray, prediction: FloatArray) -> FloatArray:
    """-log of the probability given to the class that came; probabilities at least 1e-15."""
    p = np.clip(prediction, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
    return np.asarray(-np.where(y > 0.5, np.log(p), np.log1p(-p)))


LOSSES: dict[str, Loss] = {
    "squared-error": squared_error,
    "absolute-error": absolute_error,
    "log-loss": log_loss,
}


def resolve_loss(loss: Any, task: str) -> Loss:
    """A loss from its name, a callable, or None: squared error, log-loss for classification.

    Raises
    ------
    ValueError
        For an unknown name or something that cannot be called.
    """
    if loss is None:
        return log_loss if task == "classification" else squared_error
    if callable(loss):
        found: Loss = loss
        return found
    if loss not in LOSSES:
        raise ValueError(
            unknown("loss", loss, LOSSES) + "; or give loss(y, prediction) -> array (n_samples,)"
        )
    return LOSSES[loss]
