"""Checks of arguments; each names the argument, its value and what is allowed."""

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray, default_feature_names
from losaw.words import unknown


class ArgumentTypeError(TypeError, ValueError):
    """An argument of a wrong type: a TypeError for Python, a ValueError for who checks values."""


def whole_number(name: str, value: Any, minimum: int, why: str = "") -> int:
    """``value`` as an int of at least ``minimum``.

    Raises
    ------
    ArgumentTypeError
        If it is no integer; a bool is none.
    ValueError
        If it is smaller.
    """
    integral = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integral or value < minimum:
        reason = f": {why}" if why else ""
        error = ValueError if integral else ArgumentTypeError
        raise error(f"{name} must be an integer of at least {minimum}, got {value!r}{reason}")
    return int(value)


def real_number(
    name: str, value: Any, minimum: float = -math.inf, maximum: float = math.inf
) -> float:
    """``value`` as a finite float in [``minimum``, ``maximum``].

    Raises
    ------
    ArgumentTypeError
        If it is no number; a bool is none.
    ValueError
        If it is not finite or out of range.
    """
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not minimum <= value <= maximum:
        error = ValueError if real else ArgumentTypeError
        raise error(f"{name} must be {_number_in(minimum, maximum)}, got {value!r}")
    return float(value)


def _number_in(minimum: float, maximum: float) -> str:
    if maximum < math.inf:
        return f"a number in [{minimum:g}, {maximum:g}]"
    return "a finite number" + ("" if minimum == -math.inf else f" of at least {minimum:g}")


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """``value`` if it is among ``allowed``, or an error with the nearest match."""
    allowed = list(allowed)
    if value not in allowed:
        raise ValueError(unknown(name, value, allowed))
    return str(value)


def finite_sample(
    X: ArrayLike, y: ArrayLike | None, min_rows: int = 2
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Features (n, d) and response (n,) as finite floats, and the features' names.

    ``y=None`` gives an empty response. Names are a data frame's columns, else X1, X2, …

    Raises
    ------
    ValueError
        If X has a wrong shape, fewer than ``min_rows`` rows, text, missing or infinite values,
        or y does not fit it; the message names the first bad column.
    """
    names = getattr(X, "columns", None)
    rows = _numbers(X, "X")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(
            f"X has shape {rows.shape}, expected (n_samples, n_features); a single feature is "
            "X.reshape(-1, 1)"
        )
    if len(rows) < min_rows:
        raise ValueError(f"X has {len(rows)} rows, at least {min_rows} are needed")
    shown = default_feature_names(rows.shape[1]) if names is None else tuple(map(str, names))
    bad = ~np.isfinite(rows)
    if bad.any():
        column = int(np.flatnonzero(bad.any(axis=0))[0])
        raise ValueError(
            f"X has {int(bad.any(axis=1).sum())} rows with missing or infinite values (first: row "
            f"{int(np.flatnonzero(bad[:, column])[0])}, column {shown[column]!r}); drop or impute "
            "them first, for example with sklearn.impute.SimpleImputer"
        )
    if y is None:
        return rows, np.empty(0), shown
    response = _numbers(y, "y")
    if response.shape != (len(rows),):
        raise ValueError(f"y has shape {response.shape}, expected ({len(rows)},) as X has rows")
    if not np.isfinite(response).all():
        raise ValueError(
            f"y has {int((~np.isfinite(response)).sum())} missing or infinite values; drop those "
            "rows"
        )
    return rows, response, shown


def _numbers(values: Any, name: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are not numbers; encode text and categories first, for "
            "example with sklearn.preprocessing.OrdinalEncoder"
        ) from None
