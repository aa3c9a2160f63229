"""A table as a person has it, as numbers, so that methods can exchange single columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray, default_feature_names
from losaw.support.arguments import ArgumentTypeError, array_of, check_unique, check_unit
from losaw.support.words import counted
from losaw.tables.columns import Kinds, asked_kinds, kind_of, kind_of_finite_numbers
from losaw.tables.reading import Values, read_column, read_series, to_pandas, whole_numbers

_NO_ROWS = np.empty(0)


@dataclass(frozen=True)
class Table:
    """Rows of named columns."""

    names: tuple[str, ...]
    kinds: tuple[FeatureKind, ...]
    # (n_rows, n_columns), numbers as they are, levels as 0, 1, …; NaN where a value is missing.
    codes: FloatArray
    columns: tuple[Values, ...]  # the type and the levels of each column, without its rows
    labels: Any  # the frame's columns, an Index of pandas; None for an array

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def levels(self) -> tuple[tuple[Any, ...] | None, ...]:
        """Of each column the values of its levels, or None for numbers."""
        return tuple(column.levels for column in self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether the rows are an array of numbers, so that a model can have its own columns."""
        return self.labels is None and all(c.content == "numbers" for c in self.columns)

    def rebuild(self, codes: FloatArray) -> Any:
        """Turn codes (n, n_columns) into rows of the types that were read.

        The rows are new: a step of a Pipeline may write into them (``copy=False``).
        """
        import pandas as pd

        if self.is_plain:
            dtype = self.columns[0].dtype
            if dtype == np.float64:
                return codes.copy("K")  # the order of the memory decides last bits of products
            return (codes if dtype.kind == "f" else whole_numbers(dtype, codes)).astype(dtype)
        if self.labels is not None and all(c.dtype == np.float64 for c in self.columns):
            return pd.DataFrame(codes, columns=self.labels, copy=True)
        rebuilt = [column.back(codes[:, j]) for j, column in enumerate(self.columns)]
        if self.labels is None:
            return np.column_stack([np.asarray(values, dtype=object) for values in rebuilt])
        frame = pd.DataFrame(dict(enumerate(rebuilt)), copy=False)
        frame.columns = self.labels
        return frame

    def rows(self) -> Any:
        """The rows as they were given."""
        return self.rebuild(self.codes)

    def without(self, columns: NDArray[Any]) -> "Table":
        """The table without some of its columns."""
        left_out = set(columns.tolist())
        kept = [j for j in range(len(self.names)) if j not in left_out]
        return Table(
            tuple(self.names[j] for j in kept),
            tuple(self.kinds[j] for j in kept),
            self.codes[:, kept],
            tuple(self.columns[j] for j in kept),
            None if self.labels is None else self.labels[kept],
        )

    def take(self, rows: NDArray[Any]) -> "Table":
        """The table of some rows."""
        return replace(self, codes=self.codes[rows])

    def kinds_of(self, units: Iterable[NDArray[np.intp]]) -> tuple[str, ...]:
        """The kind of every unit; of a group all kinds of its features, joined by a plus."""
        return tuple(" + ".join(dict.fromkeys(self.kinds[j] for j in unit)) for unit in units)


def read_table(
    X: ArrayLike, *, kinds: Kinds = None, feature_names: Sequence[str] | None = None
) -> Table:
    """Read an array, a pandas or a polars frame; what was polars is pandas from here on.

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
        If X is not a table, a column is of dates, free text or anything else without a kind, names
        repeat, or ``kinds`` does not fit.
    """
    if type(X).__module__.partition(".")[0] == "scipy":
        raise ValueError(
            "X is sparse; give X.toarray(), or a data frame (to xgboost absent entries are missing "
            "values: fit it to dense rows as well)"
        )
    X = to_pandas(X)
    if hasattr(X, "columns") and not hasattr(X, "iloc"):
        raise ValueError(
            f"X must be an array or a data frame of pandas or polars, got {type(X).__name__}; give "
            "X.to_pandas()"
        )
    if hasattr(X, "columns"):
        if feature_names is not None:
            raise ValueError("feature_names is for arrays; a data frame has its own")
        if len(X.columns) == 0:
            raise ValueError("X has no columns")
        read = [read_column(X, place) for place in range(len(X.columns))]
        return _of_columns(tuple(map(str, X.columns)), read, kinds, X.columns.copy())
    rows = array_of(X)
    if rows.ndim == 0:
        raise ValueError(f"X must be an array or data frame, got {type(X).__name__}")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(
            f"X has shape {rows.shape}, expected (n_samples, n_features); a single feature is "
            "X.reshape(-1, 1)"
        )
    names = _names(feature_names, rows.shape[1])
    if rows.dtype.kind not in "fiub":
        import pandas as pd

        columns = [pd.Series(values, dtype=object) for values in rows.T]
        read = [read_series(name, values) for name, values in zip(names, columns, strict=True)]
        return _of_columns(names, read, kinds, None)
    codes, dtype, asked = rows.astype(float, copy=False), rows.dtype, asked_kinds(kinds, names)
    is_whole = dtype.kind in "iu"
    if np.isinf(codes).any():
        row, column = np.argwhere(np.isinf(codes))[0]
        raise ValueError(
            f"X contains infinite values (first: row {row}, column {names[column]!r}); losaw does "
            "not replace them"
        )
    check_unit("X", codes, names)
    resolved: tuple[Any, ...] = tuple(
        asked.get(name, "nominal")
        if dtype.kind == "b"
        else kind_of_finite_numbers(name, codes[:, j], is_whole, asked.get(name))
        for j, name in enumerate(names)
    )
    column = Values("numbers", _NO_ROWS, None, is_whole, dtype)
    return Table(names, resolved, codes, (column,) * len(names), None)


def _of_columns(names: tuple[str, ...], read: list[Values], kinds: Kinds, labels: Any) -> Table:
    check_unique(names)
    asked = asked_kinds(kinds, names)
    return Table(
        names,
        tuple(kind_of(name, v, asked.get(name)) for name, v in zip(names, read, strict=True)),
        np.column_stack([values.codes for values in read]),
        tuple(values._replace(codes=_NO_ROWS) for values in read),
        labels,
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
        raise ValueError(
            f"feature_names has {counted(len(names), '[entry|entries]')} for "
            f"{counted(n_columns, '[column|columns]')} of X"
        )
    check_unique(names)
    return names
