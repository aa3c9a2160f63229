"""The input of methods that fit models of their own: an estimator to clone, and a sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.scoring.rows import kinds_of, read_rows, require_complete
from losaw.support.outcomes import Task, finite_numbers, task_of, unnamed_response
from losaw.tables import Table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units, chosen_units, column_sources, units_of
from losaw.trees.forests import unwrapped


@dataclass(frozen=True)
class OwnFits:
    """A sample in the form that an estimator is fitted to.

    Attributes
    ----------
    estimator : estimator or None
        What is cloned; None: the method's own.
    columns : array of shape (n_rows, n_columns)
        Numbers.
    y : array of shape (n_rows,)
        Numbers, or positions of classes.
    task : {"regression", "classification"}
    units : Units
        Features and groups, with their ``columns``.
    scored : int array
        The units that are scored.
    kinds : tuple of str
        Of the units.
    table : Table
    """

    estimator: Any
    columns: FloatArray
    y: FloatArray
    task: Task
    units: Units
    scored: NDArray[np.intp]
    kinds: tuple[str, ...]
    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what is scored."""
        return tuple(self.units.names[unit] for unit in self.scored)


def own_fits(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    task: Task | None,
    dummies: bool,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> OwnFits:
    """Read a sample for an estimator, or for a method's own where ``model`` is None.

    Parameters
    ----------
    model : estimator, fitted or not, or None
        The steps of a Pipeline before its last are fitted to all rows, and the columns that they
        make of one feature belong together. Of a fitted search its best estimator.
    task : {"regression", "classification"} or None
        None: what the estimator says; without one, classification of text and bools.
    dummies : bool
        Whether levels that no Pipeline encodes become dummies; otherwise codes.

    Raises
    ------
    TypeError
        If ``model`` cannot be cloned, or is a search that is not fitted.
    ValueError
        As :func:`losaw.scoring.rows.read_rows`, and for missing values.
    """
    rows = read_rows(X, y, kinds=kinds, feature_names=feature_names)
    table = rows.table
    before, estimator = _parts(model)
    if before is None:
        require_complete(table, "The method's models cannot split them", "impute them first")
        columns, sources = _encoded(table, dummies)
    else:
        made = before.fit_transform(table.rows(), rows.y)
        columns = np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=float)
        sources = column_sources(before, table.names)
        if not np.isfinite(columns).all():
            raise ValueError("X has missing values after the Pipeline's steps: impute them there")
    if estimator is not None:
        task = task_of(estimator, task)
        response = finite_numbers(rows.y) if task == "regression" else _positions(rows.y)
    else:
        if task is None:
            task = "regression" if rows.y.dtype.kind in "fiu" else "classification"
        response = unnamed_response(rows.y, task)
    units = units_of(table.names, groups)
    members = tuple(np.flatnonzero(np.isin(sources, unit)) for unit in units.members)
    scored = chosen_units(units, features)
    return OwnFits(
        estimator,
        columns,
        response,
        task,
        Units(units.names, members),
        scored,
        kinds_of(table, [units.members[unit] for unit in scored]),
        table,
    )


def _parts(model: Any) -> tuple[Any, Any]:
    """The steps before a Pipeline's last, unfitted, or None; the estimator, or None."""
    from sklearn.base import clone

    if model is None:
        return None, None
    model = unwrapped(model)
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        shown = model.__name__ if isinstance(model, type) else type(model).__name__
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
