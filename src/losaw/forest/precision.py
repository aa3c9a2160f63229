"""Rows of another precision than those of the fit: on the same side of every threshold.

A threshold is a number of the fit, to the last bit, and .1 in 32 bits is more than in 64: without
this a whole level of a discrete feature would go to the other side of a split at it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.tables.reading import to_pandas

Precision = list[np.dtype[Any]]  # of each column


def precision_of(X: Any, is_nominal: NDArray[np.bool_]) -> Precision:
    """The floating type of each column: 64 bits of what is none, and of levels without an order."""
    X = to_pandas(X)
    types = X.dtypes if hasattr(X, "dtypes") else [getattr(X, "dtype", None)] * len(is_nominal)
    return [_floating(kind, nominal) for kind, nominal in zip(types, is_nominal, strict=True)]


def _floating(given: Any, is_nominal: bool) -> np.dtype[Any]:
    numbers = getattr(given, "subtype", given)  # of a sparse column
    is_floating = getattr(numbers, "kind", "") == "f" and not is_nominal
    return np.dtype(f"f{numbers.itemsize}" if is_floating else "f8")


def as_of_fit(rows: FloatArray, given: Precision, fitted: Precision) -> FloatArray:
    """Return rows whose comparison with thresholds is that of both in the lower precision.

    Rounding keeps the order, so that a threshold of more bits is compared as rounded if a value is
    replaced by the least number that is rounded to it.
    """
    if given == fitted:
        return rows
    rows = rows.copy()
    for column, (own, of_fit) in enumerate(zip(given, fitted, strict=True)):
        if own.itemsize > of_fit.itemsize:
            with np.errstate(over="ignore"):
                rows[:, column] = rows[:, column].astype(of_fit)
        elif own.itemsize < of_fit.itemsize:
            rows[:, column] = _least_rounded_to(rows[:, column].astype(own))
    return rows


def _least_rounded_to(values: NDArray[Any]) -> FloatArray:
    below = np.nextafter(values, values.dtype.type(-np.inf)).astype(float)
    halfway = (below + values) / 2
    is_included = halfway.astype(values.dtype) == values
    return np.asarray(np.where(is_included, halfway, np.nextafter(halfway, np.inf)))
