"""Checks of the sample and of the settings that a network is trained with."""

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import as_floats, whole_number
from losaw.support.words import did_you_mean

# Squared errors are summed in single precision, which ends at 3.4e38.
LARGEST_RESPONSE = 1e18


def check_sample(X: ArrayLike, names: Any = None) -> FloatArray:
    """Return ``X`` as a finite float array (n_samples, n_features)."""
    rows = as_floats("X", X)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"X must have shape (n_samples, n_features), got {rows.shape}")
    if not (np.isfinite(rows.max()) and np.isfinite(rows.min())):
        bad = ~np.isfinite(rows)
        row, column = (int(i) for i in np.argwhere(bad)[0])
        label = column if names is None else repr(str(names[column]))
        raise ValueError(
            f"X has {int(bad.any(axis=1).sum())} rows with missing or infinite values (first: row "
            f"{row}, column {label}). losaw does not impute; drop or impute them first, for "
            "example with sklearn.impute.SimpleImputer"
        )
    return rows


def check_response(y: ArrayLike) -> FloatArray:
    """Return ``y`` as a finite float vector that is not constant."""
    response = np.ascontiguousarray(as_floats("y", y))
    bad = ~np.isfinite(response)
    if bad.any():
        raise ValueError(f"y has {int(bad.sum())} missing or infinite values; drop those rows")
    if np.abs(response).max() > LARGEST_RESPONSE:
        raise ValueError(
            f"y holds values beyond {LARGEST_RESPONSE:g}, whose squares are beyond the single "
            "precision of the training; take another unit"
        )
    if np.ptp(response) == 0.0:
        raise ValueError(f"y is constant ({response[0]:g}): there is nothing to learn")
    return response


def check_batch_size(value: Any, n_samples: int) -> int:
    """Return the number of rows of a mini-batch, from 1 to the sample size."""
    size = whole_number("batch_size", value, 1)
    if size > n_samples:
        raise ValueError(
            f"batch_size={size} is larger than the sample ({n_samples} rows); give at most "
            f"{n_samples}"
        )
    return size


def check_sizes(name: str, value: Any) -> tuple[int, int]:
    """Return a pair of positive integers."""
    if not isinstance(value, list | tuple | np.ndarray) or len(value) != 2:
        raise TypeError(f"{name} must be a pair of integers, got {value!r}")
    return whole_number(name, value[0], 1), whole_number(name, value[1], 1)


def check_learning_rate(value: Any) -> float:
    """Return a positive finite number."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or value <= 0:
        raise ValueError(f"learning_rate must be a positive number, got {value!r}")
    return float(value)


def discrete_mask(choice: Any, n_features: int) -> NDArray[np.bool_] | None:
    """Return a boolean mask (n_features,), or None for "auto"."""
    if isinstance(choice, str):
        if choice != "auto":
            raise ValueError(
                f"discrete_features must be 'auto' or a boolean mask, got {choice!r}"
                f"{did_you_mean(choice, ['auto'])}"
            )
        return None
    mask = np.asarray(choice)
    if mask.dtype != bool or mask.shape != (n_features,):
        raise ValueError(
            f"discrete_features must be 'auto' or a boolean mask of shape ({n_features},), got "
            f"{mask.dtype} of shape {mask.shape}"
        )
    return mask
