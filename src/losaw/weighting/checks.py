"""Input checks of the weighting functions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.support.arguments import (
    as_floats,
    check_finite,
    check_same_order,
    finite_vector,
    real_number,
)

MOST_COPIES = 1e15


def check_eta(eta: Any) -> float:
    """Return the smallest relative effective sample size, a number in (0, 1]."""
    return real_number("eta", eta, 0, 1, without_minimum=True)


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
    check_same_order(adjustment, "target", target, "adjustment")
    t, a = finite_vector("target", target), as_floats("adjustment", adjustment)
    a = a[:, None] if a.ndim == 1 else a
    if a.ndim != 2 or len(a) != len(t):
        raise ValueError(
            f"adjustment has shape {a.shape}, expected ({len(t)}, n_adjustment): "
            "one row for every entry of target"
        )
    check_finite("adjustment", a)
    return t, np.ascontiguousarray(a)
