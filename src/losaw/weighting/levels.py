"""The discrete features of a propensity model, and their levels as contrasts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.tables.columns import few_levels


def discrete_mask(choice: Any, columns: FloatArray) -> NDArray[np.bool_]:
    """Return the mask of discrete columns, from "auto" or a mask."""
    n_columns = columns.shape[1]
    if isinstance(choice, str):
        if choice != "auto":
            raise ValueError(f"discrete must be 'auto' or a boolean mask, got {choice!r}")
        return np.array([few_levels(columns[:, j]) is not None for j in range(n_columns)], bool)
    mask = np.asarray(choice, dtype=bool)
    if mask.shape != (n_columns,):
        raise ValueError(f"discrete is a mask of shape {mask.shape}, expected ({n_columns},)")
    return mask


def helmert(n_levels: int) -> FloatArray:
    """Return orthonormal contrasts (n_levels, n_levels - 1), orthogonal to the constant.

    A penalised fit on them equals the fit on an indicator per level, whose coefficients sum to
    zero at the optimum, with a column less.
    """
    contrasts = np.zeros((n_levels, n_levels - 1))
    for j in range(1, n_levels):
        contrasts[:j, j - 1] = -1.0 / np.sqrt(j * (j + 1.0))
        contrasts[j, j - 1] = j / np.sqrt(j * (j + 1.0))
    return contrasts
