"""Adjustment features: which features each target is decorrelated from (losaw, Remark 4.9)."""

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

_BLOCK = 4096  # rows standardised at a time, so that no second sample stands in memory


def location_and_scale(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations (1/N) of the columns; infinity for a constant column."""
    location = X.mean(axis=0)
    square = np.zeros(X.shape[1])
    for start in range(0, len(X), _BLOCK):
        centred = X[start : start + _BLOCK] - location
        square += np.einsum("ij,ij->j", centred, centred)
    scale = np.sqrt(square / len(X))
    scale[scale <= 1e-14 * np.abs(location)] = np.inf
    return location, scale


def standardize(X: FloatArray, location: FloatArray, scale: FloatArray) -> FloatArray:
    """Columns in units of their standard deviation; zero for a constant one."""
    return (X - location) / scale


def select_adjustment_features(
    X: FloatArray,
    location: FloatArray,
    scale: FloatArray,
    importances: FloatArray | None,
    n_adjustment: int,
    correlation_threshold: float,
) -> NDArray[np.bool_]:
    """Mask (n_features, n_features): entry [p, q] says that target p is adjusted for q.

    The ``n_adjustment`` most important features, without the target itself, whose absolute
    Pearson correlation with the target exceeds the threshold on the full training sample.
    ``importances`` may be None when there are no more features than ``n_adjustment``.
    """
    n_samples, n_features = X.shape
    if importances is None:
        top = np.arange(n_features)
    else:
        top = np.sort(np.argsort(-importances, kind="stable")[:n_adjustment])
    correlation = np.zeros((n_features, len(top)))
    for start in range(0, n_samples, _BLOCK):
        rows = standardize(X[start : start + _BLOCK], location, scale)
        correlation += rows.T @ rows[:, top]
    mask = np.zeros((n_features, n_features), dtype=bool)
    mask[:, top] = np.abs(correlation / n_samples) > correlation_threshold
    np.fill_diagonal(mask, False)
    return mask
