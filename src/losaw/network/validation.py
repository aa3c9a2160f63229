"""Checks of the sample and of the settings that a network is trained with."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.support.arguments import as_floats, check_finite, whole_number

# Squared errors are summed in single precision, which ends at 3.4e38.
LARGEST_RESPONSE = 1e18


def check_sample(X: ArrayLike, names: Any = None) -> FloatArray:
    """Return ``X`` as a finite float array (n_samples, n_features)."""
    rows = as_floats("X", X)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"X must have shape (n_samples, n_features), got {rows.shape}")
    check_finite(rows, names)
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
