"""The one reader of the columns of arrays and frames.

A reader states facts. What follows from them (an error, a kind, a treatment) is decided by those
who read: :mod:`losaw.tables.columns` for the importances, :mod:`losaw.forest.forest_columns` for
the forests, :mod:`losaw.explaining.columns` for ``explain`` and ``audit``.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.arguments import ArgumentTypeError

Content = Literal[
    "numbers", "truth values", "levels", "ordered levels", "text", "dates", "durations", "objects"
]
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "empty")
_DATES = ("date", "datetime", "datetime64", "period", "time")
_DURATIONS = ("timedelta", "timedelta64")


class Values(NamedTuple):
    """The values of one column."""

    # Numbers; truth values; declared levels, without an order or with one; or text, dates (and
    # times), durations or other objects.
    content: Content
    # (n_rows,), numbers as they are; of anything else the place among ``levels``. NaN where
    # missing.
    codes: FloatArray
    # The declared levels in their order, else the values that occur, sorted where they can be; None
    # for numbers.
    levels: tuple[Any, ...] | None
    is_whole: bool  # whether the type of the column has whole numbers only
    dtype: Any  # the type of the column
    pool: Any = None  # the levels as an array of the column's own type
    fill: Any = None  # what stands for a missing level

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

    def back(self, codes: FloatArray) -> Any:
        """Codes of any rows as a column of this type; numbers of a rare type as floats."""
        import pandas as pd

        if self.pool is None:
            return _numbers_of(self.dtype, self.is_whole, codes)
        rows = np.clip(np.rint(codes), 0, len(self.pool) - 1)
        rows = np.where(np.isnan(rows), -1, rows).astype(np.int64)
        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Categorical.from_codes(rows, dtype=self.dtype)
        return pd.api.extensions.take(self.pool, rows, allow_fill=True, fill_value=self.fill)


def is_frame(X: Any) -> bool:
    """Return whether ``X`` is a data frame of pandas."""
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(X).__mro__}
    return ("pandas", "DataFrame") in kinds


def to_pandas(X: Any) -> Any:
    """Return a polars frame, lazy or not, as one of pandas; anything else as it is.

    Enums become ordered categories, other columns what polars makes of them.
    """
    if type(X).__module__.partition(".")[0] != "polars":
        return X
    import pandas as pd

    X = X.collect() if hasattr(X, "collect") else X
    if not hasattr(X, "columns"):  # a series
        return X
    return pd.DataFrame({name: _series_to_pandas(X[name]) for name in X.columns})


def _series_to_pandas(series: Any) -> Any:
    import pandas as pd
    import polars as pl

    if isinstance(series.dtype, pl.Enum):
        levels = series.dtype.categories.to_list()
        return pd.Categorical(series.to_list(), levels, ordered=True)
    if series.dtype in (pl.String, pl.Object):
        return pd.Series(series.to_list(), dtype=object)
    if isinstance(series.dtype, pl.Categorical):
        # Codes of polars depend on the program's run: levels are put in the order of their text.
        return pd.Categorical(series.to_list())
    if series.dtype.is_integer() and str(series.dtype).endswith("128"):  # unknown to Arrow
        return pd.Series(series.to_list(), dtype=object)
    if series.dtype.is_integer() and series.null_count():
        kind = "UInt64" if str(series.dtype).startswith("U") else "Int64"
        return pd.array(series.to_list(), dtype=kind)
    return series.to_pandas()


def read_column(X: Any, place: int) -> Values:
    """The values of the column at a place of a frame of pandas."""
    return read_series(str(X.columns[place]), X.iloc[:, place])


def read_series(name: str, series: Any) -> Values:
    """The values of a pandas series, see :func:`read_column`."""
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy(dtype=float)
        codes[codes < 0] = np.nan
        content: Content = "ordered levels" if dtype.ordered else "levels"
        return Values(content, codes, tuple(dtype.categories), False, dtype, pool=dtype.categories)
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        if types.is_complex_dtype(dtype):
            raise _complex(name)
        dense = series.astype(dtype.subtype) if isinstance(dtype, pd.SparseDtype) else series
        codes = dense.to_numpy(dtype=float, na_value=np.nan)
        if types.is_bool_dtype(dtype):
            return Values("truth values", codes, (False, True), False, dtype)
        return Values("numbers", codes, None, types.is_integer_dtype(dtype), dtype)
    inferred = types.infer_dtype(series, skipna=True)
    if inferred == "complex":
        raise _complex(name)
    if inferred in _NUMBERS:
        codes = _object_numbers(name, series)
        return Values("numbers", codes, None, inferred == "integer", np.dtype(float))
    content = "text" if inferred == "string" else "objects"
    if types.is_datetime64_any_dtype(dtype) or inferred in _DATES:
        content = "dates"
    elif inferred in _DURATIONS:
        content = "durations"
    elif inferred == "boolean":
        content = "truth values"
    try:
        numbers, levels = pd.factorize(series, sort=content in ("text", "truth values"))
    except (TypeError, NotImplementedError):  # lists, dicts and the like have no levels
        first = series[series.notna()].iloc[0]
        raise ArgumentTypeError(
            f"column {name!r} contains objects that are neither numbers nor levels (first value: "
            f"{first!r}); give numbers or text in columns of their own, or leave it out (--drop)"
        ) from None
    missing = series[series.isna()]
    fill = missing.iloc[0] if len(missing) else None
    pool = levels.array if isinstance(levels, pd.Index) else levels
    codes = np.where(numbers < 0, np.nan, numbers.astype(float))
    return Values(content, codes, tuple(levels), False, dtype, pool, fill)


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
                f"column {name!r} contains {values[row]!r} (row {row}), which is not a number that "
                f"a float can contain ({error})"
            ) from None
    return codes


def _numbers_of(dtype: Any, is_whole: bool, codes: FloatArray) -> Any:
    """Codes as numbers of a type of numpy, pandas or Arrow; as floats where it has other numbers.

    Decimals, sparse and other rare columns are what ``astype(float)`` makes of them.
    """
    import pandas as pd

    inner = np.dtype(getattr(dtype, "numpy_dtype", dtype if isinstance(dtype, np.dtype) else "O"))
    if inner.kind not in "iufb" or isinstance(dtype, pd.SparseDtype):
        return codes
    if is_whole or inner.kind == "b":
        codes = whole_numbers(inner, codes)
    if not isinstance(dtype, np.dtype):
        return pd.array(codes, dtype=dtype)
    return codes.astype(dtype)


def whole_numbers(dtype: np.dtype[Any], codes: FloatArray) -> FloatArray:
    """Codes as whole numbers within the range of a type, so that no draw of one wraps around."""
    if dtype.kind not in "iu":
        return np.clip(np.rint(codes), 0.0, 1.0) if dtype.kind == "b" else np.rint(codes)
    end = float(np.iinfo(dtype).max)
    if end > np.iinfo(dtype).max:  # of 64 bits: the last float below it
        end = float(np.nextafter(end, 0.0))
    return np.clip(np.rint(codes), float(np.iinfo(dtype).min), end)
