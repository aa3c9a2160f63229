"""Adjustment features: which features each target is decorrelated from (losaw, Remark 4.9)."""

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray


def standardize(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Columns in units of their standard deviation (1/N), with means and deviations.

    A constant column becomes zero.
    """
    location = X.mean(axis=0)
    centred = X - location
    scale = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(X))
    constant = scale <= 1e-14 * np.abs(location)
    scale[constant] = 1.0
    centred[:, constant] = 0.0
    centred /= scale
    return centred, location, scale


def select_adjustment_features(
    standardized: FloatArray,
    importances: FloatArray | None,
    n_adjustment: int,
    correlation_threshold: float,
) -> NDArray[np.bool_]:
    """Mask (n_features, n_features): entry [p, q] says that target p is adjusted for q.

    The ``n_adjustment`` most important features, without the target itself, whose absolute
    Pearson correlation with the target exceeds the threshold on the full training sample.
    ``importances`` may be None when there are no more features than ``n_adjustment``.
    """
    n_features = standardized.shape[1]
    if importances is None:
        top = np.arange(n_features)
    else:
        top = np.sort(np.argsort(-importances, kind="stable")[:n_adjustment])
    correlation = standardized.T @ standardized[:, top] / len(standardized)
    mask = np.zeros((n_features, n_features), dtype=bool)
    mask[:, top] = np.abs(correlation) > correlation_threshold
    np.fill_diagonal(mask, False)
    return mask
