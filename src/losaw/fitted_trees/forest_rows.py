"""The forest inside a model, and a table as its trees see it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.outcomes import one_column
from losaw.tables import Table, read_table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, column_sources, units_of


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
    model = unwrapped(model)
    features = np.arange(len(table.names))
    forest, given = model, table.rows()
    if hasattr(model, "steps"):
        forest, before = model.steps[-1][1], model[:-1]
        features = column_sources(before, table.names)
        given = before.transform(given)
    if hasattr(forest, "numeric_rows"):  # takes levels as they are
        rows = forest.numeric_rows(given)
    elif forest is not model:
        rows = _dense(given)
    else:
        if hasattr(X, "columns"):
            features = _fitted_order(model, table)
        rows = _numbers(model, table)[:, features]
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


def unwrapped(model: Any) -> Any:
    """The model inside a search, or a Pipeline of one step."""
    while hasattr(model, "best_estimator_") or len(getattr(model, "steps", ())) == 1:
        model = model.best_estimator_ if hasattr(model, "best_estimator_") else model[-1]
    return model


def _fitted_order(model: Any, table: Table) -> NDArray[np.intp]:
    """Places in X of the columns that a model was fitted to, in its order."""
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is None:
        return np.arange(len(table.names))
    names = [str(name) for name in fitted]
    if len(names) != len(table.names) or set(names) != set(table.names):
        strange = sorted(set(names) ^ set(table.names))
        raise ValueError(
            f"X has other columns than {type(model).__name__} was fitted to: {strange[0]!r} is "
            "in one of them only; give X[model.feature_names_in_]"
        )
    return np.array([table.names.index(name) for name in names], dtype=np.intp)


def _numbers(model: Any, table: Table) -> FloatArray:
    """The columns as scikit-learn's forests read them: levels that are numbers, as numbers."""
    rows = table.codes.copy()
    for column, levels in enumerate(table.levels):
        if levels is None:
            continue
        try:
            values = np.array([*levels, np.nan], dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                f"column {table.names[column]!r} holds levels, which {type(model).__name__} "
                "cannot have been fitted to; give the Pipeline that encodes them, or the encoded "
                "columns with groups=groups_of(encoder)"
            ) from None
        rows[:, column] = values[np.nan_to_num(rows[:, column], nan=-1.0).astype(np.intp)]
    return rows


def _dense(rows: Any) -> FloatArray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)
