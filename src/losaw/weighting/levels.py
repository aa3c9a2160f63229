"""The discrete features of a propensity model, and their levels as contrasts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import did_you_mean
from losaw.tables.columns import few_levels


def mask_or_auto(name: str, choice: Any, n_columns: int) -> NDArray[np.bool_] | None:
    """Return a boolean mask (n_columns,), or None for "auto"."""
    if isinstance(choice, str) and choice == "auto":
        return None
    mask = np.asarray(choice)
    hint = did_you_mean(choice, ["auto"]) if isinstance(choice, str) else ""
    if mask.dtype != bool or mask.shape != (n_columns,):
        raise ValueError(
            f"{name} must be 'auto' or a boolean mask of shape ({n_columns},), got "
            + (repr(choice) if mask.ndim == 0 else f"{mask.dtype} of shape {mask.shape}")
            + hint
        )
    return mask


def discrete_mask(choice: Any, columns: FloatArray) -> NDArray[np.bool_]:
    """Return the mask of discrete columns, from "auto" or a mask."""
    mask = mask_or_auto("discrete", choice, columns.shape[1])
    if mask is None:
        return np.array([few_levels(column) is not None for column in columns.T], bool)
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
