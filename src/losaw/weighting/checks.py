"""Input checks of the weighting functions."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.support.arguments import as_floats, beyond_range

MOST_COPIES = 1e15


def check_eta(eta: Any) -> None:
    """Raise unless ``eta`` is a number in (0, 1]."""
    if not isinstance(eta, numbers.Real) or isinstance(eta, bool):
        raise TypeError(f"eta must be a number in (0, 1], got {eta!r}")
    if not 0.0 < float(eta) <= 1.0:
        raise ValueError(
            f"eta must lie in (0, 1], got {eta}: it is the smallest relative effective sample "
            "size (.25 in the paper; 1 means no weighting)"
        )


def check_weights(weights: ArrayLike) -> FloatArray:
    """Return weights as a float vector; raise for a negative or infinite weight, or only zeros."""
    w = np.ascontiguousarray(as_floats("weights", weights))
    if w.ndim != 1 or len(w) == 0:
        raise ValueError(f"weights must be a vector with at least one entry, got shape {w.shape}")
    bad = ~(np.isfinite(w) & (w >= 0))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"weights must be finite and not negative; {int(bad.sum())} are not "
            f"(first: weights[{first}] = {w[first]})"
        )
    if not w.any():
        raise ValueError("weights are all zero: at least one must be positive")
    return w


def check_counts(counts: ArrayLike | None, size: int) -> FloatArray:
    """Return multiplicities as a float vector of length ``size``; 1 by default."""
    if counts is None:
        return np.ones(size)
    c = np.ascontiguousarray(as_floats("counts", counts))
    if c.shape != (size,):
        raise ValueError(f"counts has shape {c.shape}, expected ({size},): one for every weight")
    if not ((c > 0) & (c <= MOST_COPIES)).all():
        raise ValueError(
            f"counts must be positive and at most {MOST_COPIES:g}; leave out rows that do not occur"
        )
    return c


def check_pair(target: ArrayLike, adjustment: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return target (n,) and adjustment features (n, n_adjustment) as finite float arrays."""
    t = as_floats("target", target)
    a = as_floats("adjustment", adjustment)
    if a.ndim == 1:
        a = a[:, None]
    if t.ndim != 1 or len(t) == 0:
        raise ValueError(f"target must be a vector with at least one entry, got shape {t.shape}")
    if a.ndim != 2 or len(a) != len(t):
        raise ValueError(
            f"adjustment has shape {a.shape}, expected ({len(t)}, n_adjustment): "
            "one row for every entry of target"
        )
    for name, values in (("target", t), ("adjustment", a)):
        if beyond_range(values).any():
            raise ValueError(
                f"{name} contains missing or infinite values (NaN, inf, beyond 1e150); losaw does "
                "not impute: drop or impute them first, for example with "
                "sklearn.impute.SimpleImputer"
            )
    return np.ascontiguousarray(t), np.ascontiguousarray(a)
