"""An unfitted estimator, and the sample in encoded columns that its copies are fitted to."""

from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.scoring.rows import read_rows, require_complete
from losaw.support.arguments import one_of
from losaw.support.outcomes import Task, finite_numbers, task_of, unnamed_response
from losaw.tables import Table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units, made_columns, units_of
from losaw.trees.flat import unwrapped


class Refit(NamedTuple):
    """An unfitted estimator, and the sample that its copies are fitted to."""

    estimator: Any  # what is cloned; None: the method's own
    columns: FloatArray  # (n_rows, n_columns)
    y: FloatArray  # (n_rows,), numbers, or positions of classes
    task: Task
    units: Units  # features and groups, with their columns
    kinds: tuple[str, ...]  # of the units


def read_refit(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    task: Task | None,
    groups: Groups,
    kinds: Kinds,
    feature_names: Sequence[str] | None,
    *,
    dummies: bool,
) -> Refit:
    """Read a sample for an estimator, or for a method's own where ``model`` is None.

    The steps of a Pipeline before its last are fitted to all rows, and the columns that they make
    of one feature belong together; without a Pipeline levels become dummies, or codes. Of a fitted
    search its best estimator is meant. Without a task and an estimator, text, bools and categories
    are classes.
    """
    import pandas as pd

    if task is not None:
        one_of("task", task, get_args(Task))
    rows = read_rows(X, y, kinds, feature_names)
    table = rows.table
    before, estimator = _parts(model)
    if before is None:
        require_complete(table, "The method's models cannot split them", "impute them first")
        columns, sources = _encoded(table, dummies)
    else:
        made = before.fit_transform(table.rows(), rows.y)
        columns = np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=float)
        _, sources = made_columns(before, table.names)
        if not np.isfinite(columns).all():
            raise ValueError("X has missing values after the Pipeline's steps: impute them there")
    if estimator is not None:
        task = task_of(estimator, task)
        response = finite_numbers(rows.y) if task == "regression" else _positions(rows.y)
    else:
        if task is None:
            are_levels = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
            is_number = rows.y.dtype.kind in "fiu" and not are_levels
            task = "regression" if is_number else "classification"
        response = unnamed_response(rows.y, task)
    if np.ptp(response) == 0:
        raise ValueError(f"y is constant ({response[0]:g}): there is nothing to explain")
    units = units_of(table.names, groups)
    members = tuple(np.flatnonzero(np.isin(sources, unit)) for unit in units.members)
    kinds_found = table.kinds_of(units.members)
    return Refit(estimator, columns, response, task, Units(units.names, members), kinds_found)


def _parts(model: Any) -> tuple[Any, Any]:
    """The steps before a Pipeline's last, unfitted, or None; the estimator, or None."""
    from sklearn.base import clone

    if model is None:
        return None, None
    model = unwrapped(model)
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        shown = type(model).__name__
        raise TypeError(
            f"model must be an estimator that scikit-learn can clone, or None, got {shown}"
        )
    if hasattr(model, "best_index_") or {"estimator", "refit", "cv"} <= set(model.get_params()):
        raise TypeError("model is a search that is not fitted; fit it, or give its estimator")
    if hasattr(model, "steps"):
        return clone(model[:-1]), model.steps[-1][1]
    return None, model


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


def _positions(y: NDArray[Any]) -> FloatArray:
    classes, positions = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class only ({classes[0]!r}): there is nothing to explain")
    return positions.astype(float)
