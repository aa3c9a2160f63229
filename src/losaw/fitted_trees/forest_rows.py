"""The forest inside a model, and a table as its trees see it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.outcomes import one_column
from losaw.tables import Table, read_table
from losaw.tables.groups import Groups, column_sources, units_of
from losaw.tables.kinds import Kinds


class ForestRows(NamedTuple):
    """A fitted forest with its training sample.

    Attributes
    ----------
    forest : estimator
        The last step of a Pipeline, the best of a search, or the model itself.
    rows : array of shape (n_samples, n_columns)
        What the trees split.
    y : array of shape (n_samples,)
    unit_of_column : int array of shape (n_columns,)
    names : tuple of str
        Of the units: features, groups.
    kinds : tuple of str
    table : Table
    """

    forest: Any
    rows: FloatArray
    y: NDArray[Any]
    unit_of_column: NDArray[np.intp]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    table: Table


def forest_rows(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ForestRows:
    """The forest inside a model, and X as its trees see it.

    Columns that the steps before the forest make of one column of X (dummies) are one feature.

    Raises
    ------
    ValueError
        If lengths differ, or the steps mix columns.
    """
    if feature_names is None and not hasattr(X, "columns"):
        feature_names = getattr(model, "feature_names_in_", None)
    table, response = read_table(X, kinds=kinds, feature_names=feature_names), one_column(y)
    if len(response) != len(table):
        raise ValueError(f"y has {len(response)} entries for {len(table)} rows of X")
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    features = np.arange(len(table.names))
    forest, given = model, table.rows()
    if hasattr(model, "steps"):
        forest, before = model.steps[-1][1], model[:-1]
        if len(model.steps) > 1:
            features = column_sources(before, table.names)
            given = before.transform(given)
    if hasattr(forest, "numeric_rows"):  # takes levels as they are
        rows = forest.numeric_rows(given)
    elif forest is not model:
        rows = _dense(given)
    elif any(table.levels):
        column = next(j for j, levels in enumerate(table.levels) if levels)
        raise ValueError(
            f"column {table.names[column]!r} holds levels, which {type(model).__name__} cannot "
            "have been fitted to; give the Pipeline that encodes them, or the encoded columns with "
            "groups=groups_of(encoder)"
        )
    else:
        rows = table.codes
    if hasattr(forest, "feature_of_column_"):
        rows, features = forest.encode(rows), features[forest.feature_of_column_]
        forest = forest.forest_
    units = units_of(table.names, groups)
    unit_of_feature = np.empty(len(table.names), dtype=np.intp)
    for unit, members in enumerate(units.members):
        unit_of_feature[members] = unit
    return ForestRows(
        forest,
        rows,
        response,
        unit_of_feature[features],
        units.names,
        tuple(
            " + ".join(dict.fromkeys(table.kinds[j] for j in members)) for members in units.members
        ),
        table,
    )


def _dense(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)
