"""The columns of a data frame as the numbers that trees compare.

Numbers stay what they are. A level of an ordered categorical column becomes its rank among the
declared categories; a level of an unordered one its rank among those of the training sample, and
``UNSEEN`` if that has no row of it.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import UNSEEN
from losaw.support.arguments import LARGEST_WHOLE
from losaw.tables.reading import Values, is_frame, read_column, to_pandas

_FIRST_LEVELS = 5  # shown in a message


@dataclass(frozen=True)
class Levels:
    """The levels of one categorical column, in the order of their codes."""

    values: tuple[Any, ...]
    is_ordered: bool


@dataclass(frozen=True)
class Columns:
    """The columns of a fit's data frame: names and levels; no levels for an array."""

    levels: dict[int, Levels] = field(default_factory=dict)
    numbers: dict[int, FloatArray] = field(default_factory=dict)  # sorted, of nominal numeric ones

    def with_nominal_numbers(self, X: FloatArray, nominal: NDArray[np.bool_]) -> "Columns":
        """The same, with the values of ``nominal`` columns that are not unordered categories."""
        numeric = set(np.flatnonzero(nominal).tolist()) - set(self.nominal)
        return Columns(self.levels, {column: np.unique(X[:, column]) for column in sorted(numeric)})

    def code_numbers(self, rows: FloatArray, names: Sequence[Any] | None = None) -> FloatArray:
        """``rows`` with ranks in place of the values of nominal numeric columns."""
        if not self.numbers:
            return rows
        rows = rows.copy()
        for column, values in self.numbers.items():
            place = np.searchsorted(values, rows[:, column]).clip(max=len(values) - 1)
            is_seen = values[place] == rows[:, column]
            if not is_seen.all():
                unseen = np.unique(rows[~is_seen, column]).tolist()
                if column in self.levels:  # an ordered category that is taken as nominal
                    unseen = [self.levels[column].values[int(rank)] for rank in unseen]
                label = column if names is None else repr(names[column])
                _warn_of_unseen(f"column {label}", unseen)
            rows[:, column] = np.where(is_seen, place, UNSEEN)
        return rows

    @property
    def nominal(self) -> list[int]:
        """Numbers of the unordered categorical columns."""
        return [column for column, levels in self.levels.items() if not levels.is_ordered]

    def encode(self, X: Any) -> Any:
        """``X`` with codes in place of levels, as a frame of pandas; an array as it is."""
        X = to_pandas(X)
        if not is_frame(X):
            if self.levels:
                raise TypeError(
                    f"the forest was fitted on categories ({_label(X, min(self.levels))}): give a "
                    "data frame with the same columns, not an array"
                )
            return X
        import pandas as pd

        columns = [
            self._codes(X, column)
            if column in self.levels
            else _numbers(read_column(X, column), _label(X, column))
            for column in range(X.shape[1])
        ]
        return pd.DataFrame(np.column_stack(columns), index=X.index, columns=X.columns)

    def _codes(self, X: Any, column: int) -> FloatArray:
        read = read_column(X, column).as_levels()
        codes = np.nan_to_num(read.codes, nan=-1.0).astype(np.int64)
        return self._translate(read.levels or (), codes, column, _label(X, column))

    def _translate(
        self, values: Sequence[Any], codes: NDArray[Any], column: int, label: str
    ) -> FloatArray:
        """Codes into ``values`` (-1: missing) to codes of the fitted levels."""
        levels = self.levels[column]
        if (codes < 0).any():
            raise ValueError(_missing(codes, label))
        rank = {level: code for code, level in enumerate(levels.values)}
        rank |= {str(level): code for level, code in rank.items() if str(level) not in rank}
        new = np.array([rank.get(value, -1) for value in values], dtype=np.float64)
        occurs = np.bincount(codes, minlength=len(values)) > 0
        unseen = [values[int(place)] for place in np.flatnonzero(occurs & (new < 0))]
        if unseen and levels.is_ordered:
            raise ValueError(
                f"column {label} has the level {unseen[0]!r}, which has no place among the ordered "
                f"levels of the fit ({_shown(levels.values, ' < ')}); declare all levels before "
                "the fit, for example with pandas.CategoricalDtype(levels, ordered=True)"
            )
        if unseen:
            _warn_of_unseen(f"column {label}", unseen)
        new[new < 0] = UNSEEN
        return np.asarray(new[codes])


def read_columns(X: Any) -> tuple[Columns, Any]:
    """Learn the columns of a training sample, and return it with codes."""
    X = to_pandas(X)
    if not is_frame(X) or X.shape[1] == 0:
        return Columns(), X
    levels = {}
    for column in range(X.shape[1]):
        read = read_column(X, column)
        if read.content not in ("levels", "ordered levels"):
            continue
        if np.isnan(read.codes).any():
            raise ValueError(_missing(read.codes, _label(X, column)))
        values, is_ordered = read.levels or (), read.content == "ordered levels"
        if not is_ordered:
            values = tuple(values[int(code)] for code in np.unique(read.codes))
        levels[column] = Levels(values, is_ordered)
    columns = Columns(levels)
    return columns, columns.encode(X)


def _label(X: Any, column: int) -> str:
    return repr(X.columns[column]) if hasattr(X, "columns") else f"column {column}"


def _numbers(read: Values, label: str) -> FloatArray:
    """A column as numbers, missing ones as NaN."""
    if read.is_whole and (np.abs(read.codes) > LARGEST_WHOLE).any():
        raise ValueError(
            f"column {label} holds whole numbers beyond 2^53, which floats cannot distinguish; "
            "leave it out, or subtract one of them from all before"
        )
    if read.content in ("numbers", "truth values"):
        return read.codes
    if read.content in ("dates", "durations"):
        raise TypeError(
            f"column {label} contains dates or times ({read.dtype}), which a forest cannot split; "
            "give numbers, for example days since the first date, or year, month and weekday"
        )
    text = next((level for level in read.levels or () if isinstance(level, str)), None)
    if text is None:
        raise TypeError(
            f"column {label} contains objects that are not numbers ({read.dtype}); give numbers or "
            "categories"
        )
    raise ValueError(
        f"column {label} contains text (first value: {text!r}); make it categories with "
        "astype('category') of pandas or cast(polars.Categorical), ordered ones with their order, "
        "or encode it as numbers"
    )


def _missing(codes: NDArray[Any], label: str) -> str:
    rows = np.flatnonzero(~(codes >= 0))
    return (
        f"column {label} has {len(rows)} missing levels (first: row {rows[0]}). losaw does not "
        "impute; drop the rows, or make 'missing' a level of its own, for example with "
        "cat.add_categories('missing').fillna('missing')"
    )


def _warn_of_unseen(label: str, unseen: Sequence[Any]) -> None:
    warnings.warn(
        f"{label} has levels that the training sample does not have ({_shown(unseen, ', ')}): at "
        "every split on it their rows go to the child with more in-bag rows",
        stacklevel=3,
    )


def _shown(values: Sequence[Any], between: str) -> str:
    more = between + "..." if len(values) > _FIRST_LEVELS else ""
    return between.join(map(str, values[:_FIRST_LEVELS])) + more
