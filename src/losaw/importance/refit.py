"""The sample, in columns of numbers, of a method that grows forests of its own."""

import numbers
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.scoring.rows import read_rows, require_complete
from losaw.support.arguments import one_of
from losaw.support.models import Task
from losaw.support.outcomes import unnamed_response
from losaw.tables import Table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units, units_of


class Refit(NamedTuple):
    """The sample that forests are fitted to."""

    columns: FloatArray  # (n_rows, n_columns)
    y: FloatArray  # (n_rows,), numbers, or 0 and 1
    task: Task
    units: Units  # features and groups, with their columns
    kinds: tuple[str, ...]  # of the units


def read_refit(
    X: ArrayLike,
    y: ArrayLike,
    task: Task | None,
    groups: Groups,
    kinds: Kinds,
    feature_names: Sequence[str] | None,
    *,
    dummies: bool,
) -> Refit:
    """Read a sample; levels become ``dummies``, or codes.

    Without a task text, bools and categories are classes.
    """
    import pandas as pd

    if task is not None:
        one_of("task", task, get_args(Task))
    rows = read_rows(X, y, kinds, feature_names)
    table = rows.table
    require_complete(table, "The method's models cannot split them", "impute them first")
    columns, sources = _encoded(table, dummies)
    if task is None:
        of_columns: Any = getattr(y, "dtypes", None)  # of a frame; y is then its only column
        dtype = of_columns.iloc[0] if hasattr(of_columns, "iloc") else getattr(y, "dtype", None)
        are_levels = isinstance(dtype, pd.CategoricalDtype)
        are_numbers = rows.y.dtype.kind in "fiu" or all(
            isinstance(label, numbers.Number) and not isinstance(label, bool) for label in rows.y
        )
        task = "regression" if are_numbers and not are_levels else "classification"
    response = unnamed_response(rows.y, task)
    if np.ptp(response) == 0:
        raise ValueError(f"y is constant ({response[0]:g}): there is nothing to explain")
    units = units_of(table.names, groups)
    members = tuple(np.flatnonzero(np.isin(sources, unit)) for unit in units.members)
    kinds_found = table.kinds_of(units.members)
    return Refit(columns, response, task, Units(units.names, members), kinds_found)


def _encoded(table: Table, dummies: bool) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return the table as columns of numbers, and the feature of each column."""
    parts, sources = [], []
    for j, kind in enumerate(table.kinds):
        codes = table.codes[:, [j]]
        # Numbers that are not called nominal stay one column, and so do two levels.
        levels = np.unique(codes)
        if dummies and kind == "nominal" and len(levels) > 2:
            codes = (codes == levels[1:]).astype(float)
        parts.append(codes)
        sources += [j] * codes.shape[1]
    return np.hstack(parts), np.array(sources, dtype=np.intp)
