"""The one reader of the columns of arrays, pandas and polars frames.

A reader states facts. What follows from them (an error, a kind, a treatment) is decided by those
who read: :mod:`losaw.tables.columns` for the importances, :mod:`losaw.forest.forest_columns` for
the forests, :mod:`losaw.explaining.treated_columns` for ``explain`` and ``audit``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

Content = Literal[
    "numbers", "truth values", "levels", "ordered levels", "text", "dates", "durations", "objects"
]
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "empty")
_DATES = ("date", "datetime", "datetime64", "period", "time")
_DURATIONS = ("timedelta", "timedelta64")


class Values(NamedTuple):
    """The values of one column.

    Attributes
    ----------
    content : str
        Numbers; truth values; declared levels, without an order or with one; or text, dates (and
        times), durations or other objects.
    codes : array of shape (n_rows,)
        Numbers as they are; of anything else the place among ``levels``. NaN where missing.
    levels : tuple or None
        The declared levels in their order, else the values that occur, sorted where they can be;
        None for numbers.
    is_whole : bool
        Whether the type of the column has whole numbers only.
    rebuild : callable
        Codes of any rows to a column of the frame's own type. It can be pickled, as a fitted
        estimator that keeps the table is.
    dtype : str
        The type as its library writes it, for messages.
    """

    content: Content
    codes: FloatArray
    levels: tuple[Any, ...] | None
    is_whole: bool
    rebuild: Callable[[FloatArray], Any]
    dtype: str

    def take(self, rows: NDArray[Any]) -> "Values":
        """The values of some rows."""
        return self._replace(codes=self.codes[rows])

    def as_levels(self) -> "Values":
        """Numbers as the levels that occur; anything else as it is."""
        if self.levels is not None:
            return self
        known = ~np.isnan(self.codes)
        numbers, places = np.unique(self.codes[known], return_inverse=True)
        codes = np.full(len(self.codes), np.nan)
        codes[known] = places
        return self._replace(codes=codes, levels=tuple(numbers.tolist()))


def is_frame(X: Any) -> bool:
    """Return whether ``X`` is a data frame of pandas or polars."""
    return type(X).__module__.split(".")[0] in ("pandas", "polars") and hasattr(X, "columns")


def read_column(X: Any, place: int) -> Values:
    """The values of the column at a place of a pandas or polars frame.

    Raises
    ------
    ValueError, TypeError
        For complex numbers, nested values, and numbers that a float cannot contain.
    """
    if hasattr(X, "iloc"):
        return read_pandas(str(X.columns[place]), X.iloc[:, place])
    return _read_polars(str(X.columns[place]), X.to_series(place))


def read_objects(name: str, values: NDArray[Any]) -> Values:
    """The values of a column of an array of objects or text."""
    import pandas as pd

    read = read_pandas(name, pd.Series(values, dtype=object))
    return read._replace(rebuild=partial(_to_object_array, read.rebuild))


def read_pandas(name: str, series: Any) -> Values:
    """The values of a pandas series, see :func:`read_column`."""
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy(dtype=float)
        codes[codes < 0] = np.nan
        content: Content = "ordered levels" if dtype.ordered else "levels"
        back: Callable[[Any], Any] = partial(_to_pandas_categories, dtype)
        return Values(content, codes, tuple(dtype.categories), False, back, str(dtype))
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        if types.is_complex_dtype(dtype):
            raise _complex(name)
        codes = series.to_numpy(dtype=float, na_value=np.nan)
        is_whole = not types.is_float_dtype(dtype)
        back = partial(_to_pandas_numbers, dtype, is_whole)
        if types.is_bool_dtype(dtype):
            back = partial(_clipped, back)
            return Values("truth values", codes, (False, True), False, back, str(dtype))
        return Values("numbers", codes, None, is_whole, back, str(dtype))
    inferred = types.infer_dtype(series, skipna=True)
    if inferred == "complex":
        raise _complex(name)
    if inferred in _NUMBERS:
        codes = _object_numbers(name, series)
        return Values("numbers", codes, None, inferred == "integer", _to_objects, str(dtype))
    content = "text" if inferred == "string" else "objects"
    if types.is_datetime64_any_dtype(dtype) or inferred in _DATES:
        content = "dates"
    elif inferred in _DURATIONS:
        content = "durations"
    elif inferred == "boolean":
        content = "truth values"
    try:
        numbers, levels = pd.factorize(series, sort=content in ("text", "truth values"))
    except TypeError:  # lists, dicts and the like have no levels
        first = series[series.notna()].iloc[0]
        raise TypeError(
            f"column {name!r} contains objects that are no numbers and no levels (first value: "
            f"{first!r}); give numbers or text in columns of their own"
        ) from None
    missing = series[series.isna()]
    fill = missing.iloc[0] if len(missing) else None
    values = levels.array if isinstance(levels, pd.Index) else levels
    return Values(
        content,
        np.where(numbers < 0, np.nan, numbers.astype(float)),
        tuple(levels),
        False,
        partial(_to_pandas_levels, values, fill),
        str(dtype),
    )


def _read_polars(name: str, series: Any) -> Values:
    import polars as pl

    dtype = series.dtype
    if dtype.is_numeric():
        codes = series.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
        is_whole, has_null = dtype.is_integer(), series.null_count() > 0
        back: Callable[[Any], Any] = partial(
            _to_polars_numbers, name, dtype, is_whole, is_whole or has_null
        )
        return Values("numbers", codes, None, is_whole, back, str(dtype))
    if dtype.is_nested() or series.to_physical().dtype.is_nested():  # intervals, for example
        raise ValueError(f"column {name!r} contains {dtype}; unnest or explode it first")
    if dtype == pl.Object:
        read = read_objects(name, np.array(series.to_list(), dtype=object))
        return read._replace(rebuild=partial(_to_polars_objects, name, read.rebuild))
    if isinstance(dtype, pl.Enum):
        levels = pl.Series(name, dtype.categories.to_list(), dtype=dtype)
    else:
        # Levels of a Categorical are compared as text: their numbers depend on the program's run.
        is_text = isinstance(dtype, pl.Categorical)
        seen = series.drop_nulls().unique()
        levels = (seen.cast(pl.String).sort().cast(dtype) if is_text else seen.sort()).alias(name)
    place = {value: number for number, value in enumerate(levels.to_list())}
    codes = np.array([place.get(value, np.nan) for value in series.to_list()], dtype=float)
    content: Content = "objects"
    if isinstance(dtype, pl.Enum | pl.Categorical):
        content = "ordered levels" if isinstance(dtype, pl.Enum) else "levels"
    elif dtype.is_temporal():
        content = "durations" if isinstance(dtype, pl.Duration) else "dates"
    elif dtype in (pl.String, pl.Boolean):
        content = "text" if dtype == pl.String else "truth values"
    back = partial(_to_polars_levels, levels)
    return Values(content, codes, tuple(levels.to_list()), False, back, str(dtype))


def _complex(name: str) -> ValueError:
    return ValueError(
        f"column {name!r} contains complex numbers; give their real and imaginary parts, or their "
        "size and angle, as columns of their own"
    )


def _object_numbers(name: str, series: Any) -> FloatArray:
    """Numbers that are objects of Python, each of them as a float."""
    codes = np.full(len(series), np.nan)
    values = series.to_numpy(dtype=object)
    for row in np.flatnonzero(series.notna().to_numpy()).tolist():
        try:
            codes[row] = float(values[row])
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"column {name!r} contains {values[row]!r} (row {row}), which is no number that a "
                f"float can contain ({error})"
            ) from None
    return codes


def _whole(codes: FloatArray, n_levels: int) -> NDArray[np.int64]:
    """Codes as numbers of levels, -1 where missing."""
    known = np.clip(np.rint(np.nan_to_num(codes, nan=-1.0)), 0, max(n_levels - 1, 0))
    return np.where(np.isnan(codes), -1, known).astype(np.int64)


def rounded(codes: FloatArray, least: int, largest: int) -> FloatArray:
    """Whole numbers within the range of a type, so that no draw of a number wraps around."""
    end = float(largest)
    if end > largest:  # of 64 bits: the last float below it
        end = float(np.nextafter(end, 0.0))
    return np.clip(np.rint(codes), least, end)


def whole_of(dtype: np.dtype[Any], codes: FloatArray) -> FloatArray:
    """Codes as whole numbers that a type of numpy can hold."""
    if dtype.kind not in "iu":
        return np.clip(np.rint(codes), 0.0, 1.0) if dtype.kind == "b" else np.rint(codes)
    return rounded(codes, np.iinfo(dtype).min, np.iinfo(dtype).max)


def _clipped(back: Callable[[FloatArray], Any], codes: FloatArray) -> Any:
    return back(np.clip(codes, 0.0, 1.0))


def _to_objects(codes: FloatArray) -> NDArray[Any]:
    return codes.astype(object)


def _to_object_array(back: Callable[[FloatArray], Any], codes: FloatArray) -> NDArray[Any]:
    return np.asarray(back(codes), dtype=object)


def _to_polars_objects(name: str, back: Callable[[FloatArray], Any], codes: FloatArray) -> Any:
    import polars as pl

    return pl.Series(name, back(codes).tolist(), dtype=pl.Object)


def _to_pandas_categories(dtype: Any, codes: FloatArray) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(_whole(codes, len(dtype.categories)), dtype=dtype)


def _to_pandas_numbers(dtype: Any, is_whole: bool, codes: FloatArray) -> Any:
    import pandas as pd

    # A type of pandas says by which type of numpy it is.
    values = whole_of(getattr(dtype, "numpy_dtype", dtype), codes) if is_whole else codes
    if pd.api.types.is_extension_array_dtype(dtype):
        return pd.array(values, dtype=dtype)
    return values.astype(dtype)


def _to_pandas_levels(levels: Any, fill: Any, codes: FloatArray) -> Any:
    import pandas as pd

    rows = _whole(codes, len(levels))
    return pd.api.extensions.take(levels, rows, allow_fill=True, fill_value=fill)


def _to_polars_numbers(
    name: str, dtype: Any, is_whole: bool, has_null: bool, codes: FloatArray
) -> Any:
    import polars as pl

    ends = pl.select(least=dtype.min(), largest=dtype.max()).row(0) if is_whole else ()
    values = pl.Series(name, rounded(codes, *ends) if is_whole else codes)
    return (values.fill_nan(None) if has_null else values).cast(dtype)


def _to_polars_levels(levels: Any, codes: FloatArray) -> Any:
    import polars as pl

    numbers = _whole(codes, len(levels)).tolist()
    return levels.gather(pl.Series([None if n < 0 else n for n in numbers], dtype=pl.UInt32))
