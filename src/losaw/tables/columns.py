"""Single columns of arrays, pandas and polars frames as numbers, and back in their own types."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.tables.kinds import kind_of_levels, kind_of_numbers, refuse_dates, refuse_text

_LARGEST_WHOLE = 2.0**53


class Column(NamedTuple):
    """One column.

    Attributes
    ----------
    codes : array of shape (n_rows,)
        Numbers as they are, levels as 0, 1, …; NaN where a value is missing.
    kind : {"continuous", "discrete", "nominal"}
    levels : tuple or None
        The values of the levels.
    rebuild : callable
        Codes of any rows to a column of the frame's own type. It can be pickled, as a fitted
        estimator that keeps the table is.
    """

    codes: FloatArray
    kind: FeatureKind
    levels: tuple[Any, ...] | None
    rebuild: Callable[[FloatArray], Any]


def pandas_column(name: str, series: Any, asked: str | None) -> Column:
    """A column of a pandas frame; ``asked`` is the kind that the user names, or None.

    Raises
    ------
    ValueError
        For dates and free text without ``asked``, or a kind that does not fit.
    """
    import pandas as pd
    from pandas.api import types

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy(dtype=float)
        codes[codes < 0] = np.nan
        kind = kind_of_levels(name, asked, bool(dtype.ordered))
        return Column(
            codes,
            kind,
            tuple(dtype.categories),
            partial(_to_pandas_categories, dtype),
        )
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        if types.is_complex_dtype(dtype):
            raise ValueError(f"column {name!r} holds complex numbers")
        codes = series.to_numpy(dtype=float, na_value=np.nan)
        is_whole = not types.is_float_dtype(dtype)
        back = partial(_to_pandas_numbers, dtype, is_whole)
        if types.is_bool_dtype(dtype):
            kind = kind_of_levels(name, asked or "nominal", True)
            return Column(codes, kind, (False, True), partial(_clipped, back))
        return _numbers(name, codes, asked, is_whole, back)
    content = types.infer_dtype(series, skipna=True)
    if types.is_datetime64_any_dtype(dtype) or content.startswith(("date", "time", "period")):
        if asked != "nominal":
            refuse_dates(name)
    elif content in ("integer", "floating", "mixed-integer-float", "decimal", "empty"):
        codes = pd.to_numeric(series, errors="coerce").to_numpy(dtype=float)
        return _numbers(name, codes, asked, content == "integer", _to_objects)
    numbers, levels = pd.factorize(series, sort=content in ("string", "boolean"))
    if asked is None:
        refuse_text(name, len(levels), int((numbers >= 0).sum()))
    missing = series[series.isna()]
    fill = missing.iloc[0] if len(missing) else None
    values = levels.array if isinstance(levels, pd.Index) else levels
    return Column(
        np.where(numbers < 0, np.nan, numbers.astype(float)),
        kind_of_levels(name, asked, False),
        tuple(levels),
        partial(_to_pandas_levels, values, fill),
    )


def polars_column(name: str, series: Any, asked: str | None) -> Column:
    """A column of a polars frame, as :func:`pandas_column`."""
    import polars as pl

    dtype = series.dtype
    if dtype.is_numeric():
        codes = series.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
        is_whole, has_null = dtype.is_integer(), series.null_count() > 0
        back = partial(_to_polars_numbers, name, dtype, is_whole, is_whole or has_null)
        return _numbers(name, codes, asked, is_whole, back)
    if dtype.is_temporal() and asked != "nominal":
        refuse_dates(name)
    if dtype.is_nested():
        raise ValueError(f"column {name!r} holds {dtype}; unnest or explode it first")
    levels = series.drop_nulls().unique(maintain_order=True)
    if dtype != pl.Object:
        levels = levels.sort()
    place = {value: number for number, value in enumerate(levels.to_list())}
    codes = np.array([place.get(value, np.nan) for value in series.to_list()], dtype=float)
    if asked is None and dtype == pl.String:
        refuse_text(name, len(levels), int((~np.isnan(codes)).sum()))
    is_ordered = dtype == pl.Boolean and asked is not None
    kind = kind_of_levels(name, asked, is_ordered)
    return Column(
        codes, kind, tuple(levels.to_list()), partial(_to_polars_levels, levels.alias(name))
    )


def object_column(name: str, values: NDArray[Any], asked: str | None) -> Column:
    """A column of an array of objects or text, as :func:`pandas_column`."""
    import pandas as pd

    column = pandas_column(name, pd.Series(values, dtype=object), asked)
    return column._replace(rebuild=partial(_to_object_array, column.rebuild))


def _numbers(
    name: str, codes: FloatArray, asked: str | None, is_whole: bool, back: Callable[[Any], Any]
) -> Column:
    if np.isinf(codes).any():
        row = int(np.flatnonzero(np.isinf(codes))[0])
        raise ValueError(f"column {name!r} holds an infinite value (first: row {row})")
    if is_whole and (np.abs(codes) > _LARGEST_WHOLE).any():
        raise ValueError(
            f"column {name!r} holds whole numbers beyond 2^53, which floats cannot tell apart; an "
            "identifier? Leave it out, or give it as text"
        )
    kind: Any = asked or kind_of_numbers(codes)
    if kind == "nominal" and (codes[~np.isnan(codes)] % 1 != 0).any():
        raise ValueError(f"kinds says that column {name!r} is nominal, but it holds fractions")
    return Column(codes, kind, None, back)


def _whole(codes: FloatArray, n_levels: int) -> NDArray[np.int64]:
    """Codes as numbers of levels, -1 where missing."""
    known = np.clip(np.rint(np.nan_to_num(codes, nan=-1.0)), 0, max(n_levels - 1, 0))
    return np.where(np.isnan(codes), -1, known).astype(np.int64)


def _clipped(back: Callable[[FloatArray], Any], codes: FloatArray) -> Any:
    return back(np.clip(codes, 0.0, 1.0))


def _to_objects(codes: FloatArray) -> NDArray[Any]:
    return codes.astype(object)


def _to_object_array(back: Callable[[FloatArray], Any], codes: FloatArray) -> NDArray[Any]:
    return np.asarray(back(codes), dtype=object)


def _to_pandas_categories(dtype: Any, codes: FloatArray) -> Any:
    import pandas as pd

    return pd.Categorical.from_codes(_whole(codes, len(dtype.categories)), dtype=dtype)


def _to_pandas_numbers(dtype: Any, is_whole: bool, codes: FloatArray) -> Any:
    import pandas as pd

    values = np.rint(codes) if is_whole else codes
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

    values = pl.Series(name, np.rint(codes) if is_whole else codes)
    return (values.fill_nan(None) if has_null else values).cast(dtype)


def _to_polars_levels(levels: Any, codes: FloatArray) -> Any:
    import polars as pl

    numbers = _whole(codes, len(levels)).tolist()
    return levels.gather(pl.Series([None if n < 0 else n for n in numbers], dtype=pl.UInt32))
