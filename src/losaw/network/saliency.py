"""Saliency maps: absolute input gradients, normalised row by row (Simonyan et al. 2014).

As tf-keras-vis computes them, which the paper uses: ``|d f(x) / d x_p|`` is scaled to 0-1 within
its row (with 1e-7 added to the denominator), averaged over rows, and scaled to 0-1 once more.
"""

from typing import Any

import numpy as np

from losaw.data import FloatArray

ROW_EPSILON = 1e-7


def normalized_rows(gradients: Any) -> Any:
    """Return ``(|g| - min |g|) / (max |g| - min |g| + 1e-7)`` of every row, shape (n_rows, P)."""
    size = abs(gradients)
    low = size.min(axis=1, keepdims=True)
    high = size.max(axis=1, keepdims=True)
    return (size - low) / (high - low + ROW_EPSILON)


def normalized(scores: FloatArray) -> FloatArray:
    """Return scores (P,) scaled to 0-1; all zero if they are equal."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)
