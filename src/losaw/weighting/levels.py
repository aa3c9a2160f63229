"""The discrete features of a propensity model, and their levels as contrasts."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import did_you_mean, unknown
from losaw.tables.columns import few_levels


def chosen_columns(
    parameter: str, choice: Any, n_columns: int, names: Any = None, only_mask: bool = False
) -> NDArray[np.bool_] | None:
    """Return the mask (n_columns,) of columns given by mask, number or name; None for "auto"."""
    if isinstance(choice, str) and choice == "auto":
        return None
    named = np.asarray([] if choice is None else choice)
    mask = np.zeros(n_columns, dtype=bool)
    if isinstance(choice, str) or (only_mask and named.dtype != bool):
        others = " or a boolean mask" if only_mask else ", a boolean mask, column numbers or names"
        hint = did_you_mean(choice, ["auto"]) if isinstance(choice, str) else ""
        raise ValueError(f"{parameter} must be 'auto'{others}, got {choice!r}{hint}")
    if named.dtype == bool:
        if named.shape != mask.shape:
            raise ValueError(f"{parameter} is a mask of shape {named.shape}, expected {mask.shape}")
        return named.copy()
    if named.dtype.kind in "iu":
        strange = named[(named < 0) | (named >= n_columns)]
        if strange.size:
            raise ValueError(
                f"{parameter} names column {strange[0]}, allowed are 0 to {n_columns - 1}"
            )
        mask[named] = True
    elif named.size and names is None:
        raise ValueError(
            f"{parameter} gives names, but X has none: pass a data frame, or a boolean mask"
        )
    else:
        known = [] if names is None else [str(name) for name in names]
        for name in map(str, named.ravel()):
            if name not in known:
                raise ValueError(f"{parameter}: {unknown('column', name, known)}")
            mask[known.index(name)] = True
    return mask


def discrete_mask(
    choice: Any, columns: FloatArray, n_rows: float | None = None
) -> NDArray[np.bool_]:
    """Return the mask of discrete columns, by :func:`few_levels` where the choice is "auto"."""
    mask = chosen_columns("discrete", choice, columns.shape[1], only_mask=True)
    if mask is None:
        return np.array([few_levels(column, n_rows) is not None for column in columns.T], bool)
    return mask


def pattern_codes(
    columns: Iterable[tuple[NDArray[Any], int]], n_rows: int
) -> tuple[NDArray[np.intp], int]:
    """Return equal codes for rows with equal levels of all columns, and the number of codes.

    A column is given by its levels' numbers (n_rows,) and how many levels there are.
    """
    code, size = np.zeros(n_rows, dtype=np.intp), 1
    for levels, n_levels in columns:
        code, size = code * n_levels + levels, size * n_levels
        if size > 4 * n_rows:  # most codes do not occur: number those that do
            seen, code = np.unique(code, return_inverse=True)
            size = len(seen)
    return code, size


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
