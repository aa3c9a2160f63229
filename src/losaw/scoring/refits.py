"""Copies of a model that are fitted anew: to the rows of folds, or to encoded columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import seed_integer
from losaw.scoring.model import with_missing_rows
from losaw.scoring.rows import Rows, read_rows, require_complete
from losaw.support.outcomes import (
    Task,
    finite_numbers,
    is_classifier,
    task_of,
    unnamed_response,
)
from losaw.tables import Table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units, chosen_units, column_sources, units_of
from losaw.trees.forests import unwrapped

Numbers = NDArray[np.intp]


def folds(
    cv: Any, model: Any, rows: Rows, rng: np.random.Generator
) -> list[tuple[Numbers, Numbers]]:
    """Rows to fit to, and rows held out, of every fold.

    Parameters
    ----------
    cv : int, splitter of scikit-learn, or iterable of pairs of row numbers
        An int makes shuffled folds, stratified by class, in which clusters stay together.
    """
    from sklearn.model_selection import check_cv

    clusters = rows.clusters
    if isinstance(cv, int):
        unit = "rows" if clusters is None else "clusters"
        most = len(rows) if clusters is None else len(np.unique(clusters))
        if not 2 <= cv <= most:
            raise ValueError(
                f"cv must be from 2 to the number of {unit} ({most}), or None for rows that "
                f"the model has not seen, got {cv!r}"
            )
        one = model[0] if isinstance(model, list) and model else model
        cv = shuffled_folds(cv, is_classifier(one), clusters is not None, seed_integer(rng))
    try:
        is_list = isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")
        parts = list(cv if is_list else check_cv(cv).split(rows.table.codes, rows.y, clusters))
    except ValueError as error:
        if "groups" not in str(error):
            raise ValueError(f"cv={cv!r}: {error}") from error
        raise ValueError(
            f"cv={cv!r} needs the group of every row: give clusters=, one label for each row"
        ) from error
    for number, part in enumerate(parts):
        if not _is_fold(part, len(rows)):
            raise ValueError(
                f"fold {number} of cv must be a pair of arrays of row numbers from 0 to "
                f"{len(rows) - 1}, the rows to fit to and the rows to score, got {part!r}; or give "
                "a number of folds, as in cv=5"
            )
    for fitted, held in parts:
        if clusters is not None and np.intersect1d(clusters[fitted], clusters[held]).size:
            raise ValueError(
                f"cv={cv!r} separates rows of one cluster; give a number of folds, or a splitter "
                "that keeps clusters together, like GroupKFold"
            )
    if len(parts) < 2:
        raise ValueError("cv makes fewer than two folds")
    for number, (fitted, held) in enumerate(parts):
        is_fitted_here = not isinstance(model, list)
        _check_fold(number, rows, fitted, held, is_fitted_here and is_classifier(model))
    return parts


def _check_fold(number: int, rows: Rows, fitted: Numbers, held: Numbers, of_classes: bool) -> None:
    """Refuse a fold without weight, and one with a class that its model never saw."""
    for what, part in (("fits to", fitted), ("scores", held)):
        if rows.weights is not None and not rows.weights[part].any():
            raise ValueError(
                f"fold {number} of cv {what} rows whose sample_weight is 0 for all; leave rows "
                "without weight out, or take fewer folds"
            )
    if of_classes and (unseen := np.setdiff1d(rows.y[held], rows.y[fitted])).size:
        label = unseen.tolist()[0]
        raise ValueError(
            f"fold {number} of cv scores rows of the class {label!r} of y and fits to none "
            f"({int((rows.y == label).sum())} of {len(rows)} rows are of it): merge rare classes, "
            "leave their rows out, or give folds with rows of every class"
        )


def shuffled_folds(n_folds: int, stratified: bool, clustered: bool, seed: int) -> Any:
    """Return scikit-learn's splitter into random folds, by classes and by clusters if needed."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    kinds = {
        (False, False): KFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (True, True): StratifiedGroupKFold,
    }
    return kinds[stratified, clustered](n_folds, shuffle=True, random_state=seed)


def _is_fold(part: Any, n_rows: int) -> bool:
    """Return whether this is a pair of arrays of row numbers."""
    if isinstance(part, str) or not hasattr(part, "__len__") or len(part) != 2:
        return False
    arrays = [np.asarray(rows) for rows in part]
    return all(
        rows.ndim == 1
        and len(rows) > 0
        and rows.dtype.kind in "iu"
        and bool(((rows >= 0) & (rows < n_rows)).all())
        for rows in arrays
    )


def fitted_models(model: Any, rows: Rows, parts: Sequence[tuple[Numbers, Numbers]]) -> list[Any]:
    """Return copies of a model fitted to the rows of each fold, or the list that is given."""
    from sklearn.base import clone

    if not isinstance(model, list):
        try:
            return [fit_copy(clone(model), rows.take(train)) for train, _ in parts]
        except (TypeError, ValueError) as error:
            raise with_missing_rows(error, model, rows.table) from error
    if len(model) != len(parts):
        raise ValueError(
            f"model is a list of {len(model)} models for {len(parts)} folds; give the fitted model "
            "of each fold"
        )
    return list(model)


def fit_copy(copy: Any, rows: Rows) -> Any:
    """Fit an unfitted model to ``rows``, with their weights where they have some."""
    from sklearn.utils.validation import has_fit_parameter

    X = rows.table.rows()
    if rows.weights is None:
        return copy.fit(X, rows.y)
    name, last = "sample_weight", copy
    while hasattr(last, "steps"):  # of a Pipeline, that of its last step
        step, last = last.steps[-1]
        name = f"{step}__{name}"
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"{type(copy).__name__} takes no sample_weight, so that it cannot be fitted again as "
            "the rows weigh; leave sample_weight or cv out"
        )
    return copy.fit(X, rows.y, **{name: rows.weights})


@dataclass(frozen=True)
class Refit:
    """An unfitted estimator, and the sample that its copies are fitted to.

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


def read_refit(
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
) -> Refit:
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
    return Refit(
        estimator,
        columns,
        response,
        task,
        Units(units.names, members),
        scored,
        table.kinds_of(units.members[unit] for unit in scored),
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
