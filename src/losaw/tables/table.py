"""A table as a person has it, as numbers, so that methods can exchange single columns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray, default_feature_names
from losaw.support.arguments import ArgumentTypeError
from losaw.tables.columns import Column, with_kind
from losaw.tables.kinds import Kinds, asked_kinds, kind_of_numbers
from losaw.tables.reading import read_column, read_objects, whole_of

_Rebuild = Callable[[FloatArray], Any]
_RebuildPart = Callable[[list[int]], _Rebuild]
_Join = Callable[[list[Any], list[int]], Any]


@dataclass(frozen=True)
class Table:
    """Rows of named columns.

    Attributes
    ----------
    names : tuple of str
    kinds : tuple of {"continuous", "discrete", "nominal"}
    codes : array of shape (n_rows, n_columns)
        Numbers as they are, levels as 0, 1, …; NaN where a value is missing.
    levels : tuple
        Of each column the values of its levels, or None for numbers.
    rebuild_part : callable
        Of some columns: the function from their codes to rows, as ``rebuild`` is of all. Both can
        be pickled, as a fitted estimator that keeps the table is.
    is_plain : bool
        Whether the rows are an array of numbers, so that a model can be given columns of its own.
    """

    names: tuple[str, ...]
    kinds: tuple[FeatureKind, ...]
    codes: FloatArray
    levels: tuple[tuple[Any, ...] | None, ...]
    rebuild_part: _RebuildPart
    is_plain: bool

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def rebuild(self) -> _Rebuild:
        """Turn codes (n, n_columns) into rows of the type and the dtypes that were read."""
        return self.rebuild_part(list(range(len(self.names))))

    def rows(self) -> Any:
        """The rows as they were given."""
        return self.rebuild(self.codes)

    def without(self, columns: NDArray[Any]) -> "Table":
        """The table without some of its columns."""
        kept = [j for j in range(len(self.names)) if j not in set(columns.tolist())]
        return Table(
            tuple(self.names[j] for j in kept),
            tuple(self.kinds[j] for j in kept),
            self.codes[:, kept],
            tuple(self.levels[j] for j in kept),
            partial(_rebuild_kept, self.rebuild_part, kept),
            self.is_plain,
        )

    def take(self, rows: NDArray[Any]) -> "Table":
        """The table of some rows."""
        return replace(self, codes=self.codes[rows])

    def values(self, column: int) -> NDArray[Any]:
        """The values of one column: numbers, or levels as objects (None where missing)."""
        codes, levels = self.codes[:, column], self.levels[column]
        if levels is None:
            return codes
        return np.array([None if np.isnan(c) else levels[int(c)] for c in codes], dtype=object)


def read_table(
    X: ArrayLike, *, kinds: Kinds = None, feature_names: Sequence[str] | None = None
) -> Table:
    """Read an array, a pandas or a polars frame.

    Parameters
    ----------
    X : array or data frame of shape (n_rows, n_columns)
    kinds : dict of column name to kind, sequence of kinds, or None
        Overrides what the dtypes say: text, bool and category are nominal; ordered categories and
        numbers with at most 10 values, each seen five times on average, discrete; other numbers
        continuous.
    feature_names : sequence of str or None
        Of an array; None: X1, X2, ….

    Raises
    ------
    ValueError
        If X is no table, a column is of dates, free text or anything else without a kind, names
        repeat, or ``kinds`` does not fit.
    """
    module = type(X).__module__.partition(".")[0]
    if module == "scipy":
        raise ValueError("X is sparse; give X.toarray(), or a data frame")
    if module == "polars" and hasattr(X, "collect"):
        X = X.collect()
    if hasattr(X, "columns"):
        if feature_names is not None:
            raise ValueError("feature_names is for arrays; a data frame has its own")
        return _read_frame(X, "polars" if module == "polars" else "pandas", kinds)
    rows = np.asarray(X)
    if rows.ndim == 0:
        raise ValueError(f"X must be an array or data frame, got {type(X).__name__}")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(
            f"X has shape {rows.shape}, expected (n_samples, n_features); a single feature is "
            "X.reshape(-1, 1)"
        )
    names = _names(feature_names, rows.shape[1])
    asked = asked_kinds(kinds, names)
    if rows.dtype.kind not in "fiub":
        columns = [
            with_kind(name, read_objects(name, rows[:, j]), asked.get(name))
            for j, name in enumerate(names)
        ]
        return _joined(names, columns, _join_array)
    codes, dtype = rows.astype(float, copy=False), rows.dtype
    if np.isinf(codes).any():
        row, column = np.argwhere(np.isinf(codes))[0]
        raise ValueError(
            f"X contains infinite values (first: row {row}, column {names[column]!r}); losaw does "
            "not replace them"
        )
    resolved: tuple[Any, ...] = tuple(
        asked.get(name) or ("nominal" if dtype.kind == "b" else kind_of_numbers(codes[:, j]))
        for j, name in enumerate(names)
    )
    rebuild_part = partial(_rebuild_array, dtype)
    return Table(names, resolved, codes, (None,) * len(names), rebuild_part, True)


def _read_frame(frame: Any, library: str, kinds: Kinds) -> Table:
    keys = list(frame.columns)
    names = tuple(str(key) for key in keys)
    if len(names) == 0:
        raise ValueError("X has no columns")
    _check_unique(names)
    asked = asked_kinds(kinds, names)
    columns = [
        with_kind(name, read_column(frame, place), asked.get(name))
        for place, name in enumerate(names)
    ]
    if library == "polars":
        return _joined(names, columns, _join_polars)
    table = _joined(names, columns, partial(_join_pandas, keys))
    if not all(dtype == np.float64 for dtype in frame.dtypes):
        return table
    return replace(table, rebuild_part=partial(_rebuild_numbers, frame.columns))


def _joined(
    names: tuple[str, ...],
    columns: list[Column],
    join: _Join,
) -> Table:
    return Table(
        names,
        tuple(column.kind for column in columns),
        np.column_stack([column.codes for column in columns]),
        tuple(column.levels for column in columns),
        partial(_rebuild_columns, tuple(column.rebuild for column in columns), join),
        False,
    )


def _names(feature_names: Sequence[str] | None, n_columns: int) -> tuple[str, ...]:
    if feature_names is None:
        return default_feature_names(n_columns)
    if isinstance(feature_names, str) or not isinstance(feature_names, Iterable):
        raise ArgumentTypeError(
            f"feature_names must be a sequence of names, one for each of the {n_columns} columns "
            f"of X, or None, got {feature_names!r}"
        )
    names = tuple(str(name) for name in feature_names)
    if len(names) != n_columns:
        raise ValueError(f"feature_names has {len(names)} entries for {n_columns} columns of X")
    _check_unique(names)
    return names


def _check_unique(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"X has more than one column named {repeated[0]!r}; rename them")


# What rebuilds rows: functions of the module with their data bound, which pickle.


def _rebuild_kept(rebuild_part: _RebuildPart, kept: list[int], columns: list[int]) -> _Rebuild:
    return rebuild_part([kept[j] for j in columns])


def _rebuild_array(dtype: np.dtype[Any], columns: list[int]) -> _Rebuild:
    return _same if dtype == np.float64 else partial(_to_array, dtype)


def _same(codes: FloatArray) -> FloatArray:
    return codes


def _to_array(dtype: np.dtype[Any], codes: FloatArray) -> Any:
    return (codes if dtype.kind == "f" else whole_of(dtype, codes)).astype(dtype)


def _rebuild_numbers(names: Any, columns: list[int]) -> _Rebuild:
    return partial(_to_number_frame, names[columns])


def _to_number_frame(names: Any, codes: FloatArray) -> Any:
    import pandas as pd

    return pd.DataFrame(codes, columns=names)


def _rebuild_columns(parts: tuple[_Rebuild, ...], join: _Join, places: list[int]) -> _Rebuild:
    return partial(_to_columns, parts, join, places)


def _to_columns(
    parts: tuple[_Rebuild, ...], join: _Join, places: list[int], codes: FloatArray
) -> Any:
    return join([parts[j](codes[:, place]) for place, j in enumerate(places)], places)


def _join_array(parts: list[Any], columns: list[int]) -> Any:
    return np.column_stack(parts)


def _join_polars(parts: list[Any], columns: list[int]) -> Any:
    import polars as pl

    return pl.DataFrame(parts)


def _join_pandas(keys: list[Any], parts: list[Any], columns: list[int]) -> Any:
    import pandas as pd

    return pd.DataFrame(dict(zip([keys[j] for j in columns], parts, strict=True)), copy=False)
