"""Checks of arguments; each names the argument, its value and what is allowed."""

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray, default_feature_names
from losaw.support.words import counted, unknown

# Squares of larger values are infinite.
LARGEST_VALUE = 1e150
# Floats distinguish whole numbers up to here.
LARGEST_WHOLE = 2.0**53
# Products of squares are zero where all values of a column are smaller.
SMALLEST_VALUE = 1e-75
IMPUTE = (
    "losaw does not impute: drop or impute them first, for example with "
    "sklearn.impute.SimpleImputer"
)


class ArgumentTypeError(TypeError, ValueError):
    """An error: an argument of a wrong type; also a ValueError, which checks of values raise."""


def whole_number(
    name: str, value: Any, minimum: int, why: str = "", maximum: int | None = None
) -> int:
    """Return ``value`` as an int of at least ``minimum``, and at most ``maximum``."""
    integral = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integral or value < minimum or (maximum is not None and value > maximum):
        reason = f": {why}" if why else ""
        most = "" if maximum is None else f" and at most {maximum}"
        error = ValueError if integral else ArgumentTypeError
        raise error(f"{name} must be an integer of at least {minimum}{most}, got {value!r}{reason}")
    return int(value)


def real_number(
    name: str,
    value: Any,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    without_minimum: bool = False,
) -> float:
    """Return ``value`` as a finite float in [``minimum``, ``maximum``]."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    is_low = real and (value <= minimum if without_minimum else value < minimum)
    if not real or not math.isfinite(value) or is_low or value > maximum:
        allowed = "a finite number" + ("" if minimum == -math.inf else f" of at least {minimum:g}")
        if maximum < math.inf:
            allowed = f"a number in {'(' if without_minimum else '['}{minimum:g}, {maximum:g}]"
        error = ValueError if real else ArgumentTypeError
        raise error(f"{name} must be {allowed}, got {value!r}")
    return float(value)


def truth_value(name: str, value: Any) -> bool:
    """Return ``value`` as a bool: True, False, 1 or 0, but no text and not None."""
    if not isinstance(value, bool | np.bool_ | numbers.Integral) or value not in (0, 1):
        raise ArgumentTypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def between_0_and_1(name: str, value: Any) -> float:
    """Return ``value`` as a float between 0 and 1, or raise an error as :func:`real_number`."""
    if not 0 < real_number(name, value) < 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return float(value)


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is among ``allowed``; else raise with the nearest match."""
    allowed = list(allowed)
    if value not in allowed:
        raise ValueError(unknown(name, value, allowed))
    return str(value)


def unmasked(values: Any) -> Any:
    """Return a masked array with NaN (or None) where it is masked; anything else as it is.

    ``numpy.asarray`` would take off the mask, and what lies under it for values.
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    masked: Any = values  # numpy's types lose the mask in astype
    if masked.dtype.kind in "fiub":
        return masked.astype(float).filled(np.nan)
    objects: Any = np.array(masked.data, dtype=object)
    objects[np.ma.getmaskarray(masked)] = None  # filled(None) would be a question mark
    return objects


def array_of(values: Any) -> "np.ndarray[Any, Any]":
    """Return an array of any type, unmasked; of a list with text the values as they are.

    ``numpy.asarray`` would make text of the numbers beside it, and 'nan' of a missing value.
    """
    array = np.asarray(unmasked(values))
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        objects = np.asarray(values, dtype=object)
        if not all(isinstance(value, str) for value in objects.flat):
            return objects
    return array


def as_floats(name: str, values: Any) -> FloatArray:
    """Return ``values`` as a float array, or raise a ValueError that names the argument.

    Refused: text that is not a number, dates, complex numbers, sparse matrices, rows of unequal
    length, integers beyond the range of floats.
    """
    try:
        array = np.asarray(unmasked(values))
        if array.dtype.kind in "cmM":
            raise ValueError(f"{name} has dtype {array.dtype}")
        if array.dtype.kind == "O":
            import pandas as pd

            array = np.where(pd.isna(array), np.nan, array)  # pandas.NA is no float
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} holds values that are not numbers, or is not a dense array ({error}); encode "
            "text, dates and categories first, for example with "
            "sklearn.preprocessing.OrdinalEncoder"
        ) from None


def check_same_order(X: Any, name: str, values: Any, table: str = "X") -> None:
    """Raise a ValueError if ``values`` has the labels of a table's rows, but in another order.

    Rows are matched by their place; equal labels at other places are a mistake for certain.
    """
    index: Any = getattr(X, "index", None)
    labels: Any = getattr(values, "index", None)
    if not (hasattr(index, "equals") and hasattr(labels, "equals")) or index.equals(labels):
        return
    if index.value_counts().to_dict() != labels.value_counts().to_dict():
        return
    pairs = list(zip(index.tolist(), labels.tolist(), strict=True))
    row = next((row for row, pair in enumerate(pairs) if not _same_label(*pair)), None)
    if row is None:  # indexes of two types, as int64 and Int64
        return
    label, other = pairs[row]
    raise ValueError(
        f"{name} has the labels of {table}'s rows in another order (first: row {row} is labelled "
        f"{label!r} in {table} and {other!r} in {name}); give {name}.loc[{table}.index], or "
        f"{name}.to_numpy() if the rows belong together by their place"
    )


def _same_label(one: Any, other: Any) -> bool:
    import pandas as pd

    are_missing = [pd.api.types.is_scalar(label) and pd.isna(label) for label in (one, other)]
    return all(are_missing) if any(are_missing) else bool(one == other)


def check_unique(names: Iterable[Any], table: str = "X") -> None:
    """Raise a ValueError that names a column of a table that is there twice."""
    counts = Counter(map(str, names))
    if repeated := sorted(name for name, count in counts.items() if count > 1):
        raise ValueError(f"{table} has more than one column named {repeated[0]!r}; rename them")


def in_range(values: FloatArray) -> FloatArray:
    """Scale ``values`` by powers of two so that the largest of each column is between 1/2 and 1.

    No digit changes, and the squares of huge and tiny values stay in range.
    """
    return np.ldexp(values, -np.frexp(np.abs(values).max(axis=0))[1])


def check_finite(
    name: str,
    values: FloatArray,
    columns: Sequence[str] | NDArray[np.object_] | None = None,
    allow_missing: bool = False,
    remedy: str = IMPUTE,
) -> None:
    """Raise at a missing or infinite value, with its row and, in a matrix, its column.

    Values beyond 1e150 count as infinite: their squares are.
    """
    if not values.size or (values.max() <= LARGEST_VALUE and values.min() >= -LARGEST_VALUE):
        return
    bad = ~(np.abs(values) <= LARGEST_VALUE)
    if allow_missing:
        bad &= ~np.isnan(values)
    if not bad.any():
        return
    row, *column = np.argwhere(bad)[0].tolist()
    count, where = f"{int(bad.sum())}", f"row {row}"
    if column:
        label = column[0] if columns is None else repr(str(columns[column[0]]))
        n_rows, where = int(bad.any(axis=1).sum()), f"{where}, column {label}"
        count = counted(n_rows, "[row|rows] with")
    raise ValueError(
        f"{name} has {count} missing or infinite values (NaN, inf, beyond 1e150; first: {where}); "
        f"{remedy}"
    )


def check_unit(
    name: str, values: FloatArray, columns: Sequence[str] | NDArray[np.object_] | None = None
) -> None:
    """Raise at a column whose values are all below 1e-75, but not all zero.

    A sum of their squares is zero or has no digits: the column would look like a constant one.
    """
    sizes = np.atleast_1d(np.fmax.reduce(np.abs(values), axis=0, initial=0.0))
    for column in np.flatnonzero((sizes > 0) & (sizes < SMALLEST_VALUE)).tolist():
        label = column if columns is None else repr(str(columns[column]))
        raise ValueError(
            f"{name}{f', column {label},' if values.ndim > 1 else ''} has no value beyond "
            f"{sizes[column]:g}: squares of so small numbers are zero; give it in another unit"
        )


def finite_vector(name: str, values: Any) -> FloatArray:
    """Return a vector with at least one entry as finite floats."""
    vector = as_floats(name, values)
    if vector.ndim != 1 or not len(vector):
        raise ValueError(
            f"{name} must be a vector with at least one entry, got shape {vector.shape}"
        )
    check_finite(name, vector)
    return np.ascontiguousarray(vector)


def estimator_rows(estimator: Any, X: Any, *y: Any, **checks: Any) -> Any:
    """Return X, or X and y, as scikit-learn checks them for an estimator, X as finite floats."""
    from sklearn.utils.validation import validate_data

    _check_columns(X)
    if checks.get("y_numeric") and np.asarray(y[0]).dtype.kind in "OUS":
        as_floats("y", *y)
    checked = validate_data(
        estimator, unmasked(X), *y, dtype=np.float64, order="C", ensure_all_finite=False, **checks
    )
    rows, names = checked[0] if y else checked, getattr(estimator, "feature_names_in_", None)
    check_finite("X", rows, names)
    if y:  # a fit: a row to predict may have any numbers
        check_unit("X", rows, names)
    return checked


def _check_columns(X: Any) -> None:
    """Raise a ValueError at no columns, dates, text, and whole numbers beyond exact floats."""
    X = X.to_pandas() if hasattr(X, "to_pandas") else X  # a frame of polars
    is_frame = hasattr(X, "iloc") and hasattr(X, "columns")
    if is_frame and not len(X.columns):
        raise ValueError("X has no columns; give at least one feature")
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if isinstance(X, list | tuple) or kind in ("O", "U", "S"):
        given = np.asarray(X, dtype=object)
        for place, column in enumerate(given.T if given.ndim == 2 else ()):
            if any(isinstance(value, str) for value in column):
                as_floats(f"column {place} of X", column)
            if any(isinstance(v, numbers.Integral) and abs(int(v)) > LARGEST_WHOLE for v in column):
                raise ValueError(_beyond_floats(f"column {place} of X"))
    for place, dtype in enumerate(X.dtypes if is_frame else [getattr(X, "dtype", None)]):
        kind = getattr(dtype, "kind", None)
        name = f"column {str(X.columns[place])!r} of X" if is_frame else "X"
        if is_frame and kind not in tuple("bcfimMu"):
            check_finite(name, as_floats(name, X.iloc[:, place]))
        if kind not in ("m", "M", "i", "u"):
            continue
        values = X.iloc[:, place].dropna() if is_frame else X
        if kind in ("m", "M"):
            raise ValueError(
                f"{name} holds dates or durations ({dtype}), which are not numbers until "
                "they have a unit; give them in one, for example days since the first date"
            )
        if values.size and not -LARGEST_WHOLE <= values.min() <= values.max() <= LARGEST_WHOLE:
            raise ValueError(_beyond_floats(name))


def _beyond_floats(name: str) -> str:
    return (
        f"{name} holds whole numbers beyond 2^53, which floats cannot distinguish; leave it out, "
        "or subtract one of them from all before"
    )


def finite_rows(
    X: ArrayLike, min_rows: int = 2, allow_missing: bool = False, remedy: str = IMPUTE
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return features (n, d) as finite floats, and names: a frame's columns, else X1, X2, …"""
    names = getattr(X, "columns", None)
    try:
        rows = as_floats("X", X)
    except ValueError:
        frame: Any = X
        for place, name in enumerate(() if names is None else names):
            column = frame.iloc[:, place] if hasattr(frame, "iloc") else frame[:, place]
            as_floats(f"column {str(name)!r} of X", column)
        raise
    check_unique(() if names is None else names)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(
            f"X has shape {rows.shape}, expected (n_samples, n_features); a single feature is "
            "X.reshape(-1, 1)"
        )
    if len(rows) < min_rows:
        n_rows = counted(len(rows), "[row|rows]")
        raise ValueError(f"X has {n_rows}, at least {min_rows} are needed")
    shown = default_feature_names(rows.shape[1]) if names is None else tuple(map(str, names))
    check_finite("X", rows, shown, allow_missing, remedy)
    check_unit("X", rows, shown)
    return rows, shown
