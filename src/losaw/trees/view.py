"""A bagged forest with its training sample, as importances are computed from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.models import inside
from losaw.support.outcomes import class_numbers, finite_numbers, response_of
from losaw.support.words import counted, other_columns
from losaw.tables import Table, read_table
from losaw.tables.columns import Kinds
from losaw.tables.fitted_columns import places_of_fit, rebuild_for, require_order_of_fit
from losaw.tables.groups import Groups, made_columns, units_of
from losaw.trees.booster import names_of
from losaw.trees.flat import GrownTree, counts_of, grown_trees, random_forests
from losaw.trees.sample import check_sample

TOLERANCE = 1e-6
_PROOF = 10  # splits whose leaves have the sizes of the fit: by chance in no other rows


class ForestRows(NamedTuple):
    """A fitted forest with its training sample."""

    forest: Any  # the last step of a Pipeline, the best of a search, or the model itself
    rows: FloatArray  # (n_samples, n_columns), what the trees split
    y: NDArray[Any]
    unit_of_column: NDArray[np.intp]
    names: tuple[str, ...]  # of the units: features, groups
    kinds: tuple[str, ...]
    table: Table
    were_sparse: bool  # the rows, before absent entries became 0

    def summed(self, scores: FloatArray) -> FloatArray:
        """Scores of columns, summed by unit."""
        sums = np.bincount(self.unit_of_column, scores, minlength=len(self.names))
        return sums.astype(float)


@dataclass(frozen=True)
class ForestView:
    """The trees of a fitted forest, with its training sample."""

    sample: ForestRows
    trees: list[GrownTree]
    rows: NDArray[Any]  # (n_samples, n_columns), what the trees split, in their precision
    # (n_samples, n_outcomes), the response of a regression (one column, centred), or the class
    # indicators of a classification.
    outcomes: FloatArray
    task: str

    def units_of(self, tree: GrownTree) -> NDArray[np.intp]:
        """The units that the splits of a tree are on."""
        return self.sample.unit_of_column[tree.nodes.feature[tree.nodes.splits]]


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
    """
    forest, before, _ = inside(model)
    fitted = getattr(forest if before is None else before, "feature_names_in_", None)
    if feature_names is None and not hasattr(X, "columns"):
        feature_names = fitted
    table = read_table(X, kinds=kinds, feature_names=feature_names)
    require_order_of_fit(fitted, table)
    response = response_of(X, y, len(table))
    features = _places(forest, before, table)
    rows, were_sparse = _as_split(forest, before, table, features)
    if before is not None:
        _, features = made_columns(before, table.names)
    if hasattr(forest, "feature_of_column_"):
        rows, features = forest.encode(rows), features[forest.feature_of_column_]
        forest = forest.forest_
    units = units_of(table.names, groups)
    return ForestRows(
        forest,
        rows,
        response,
        units.of_columns[features],
        units.names,
        table.kinds_of(units.members),
        table,
        were_sparse,
    )


def _places(forest: Any, before: Any, table: Table) -> NDArray[np.intp]:
    """Return the places of the features in the order in which the forest was fitted to them."""
    is_frame = before is None and hasattr(table.rows(), "columns")
    if is_frame and not hasattr(forest, "numeric_rows"):  # else it takes levels as they are
        return places_of_fit(forest, table.names)
    return np.arange(len(table.names))


def _as_split(
    forest: Any, before: Any, table: Table, places: NDArray[np.intp]
) -> tuple[FloatArray, bool]:
    """Return the rows as the forest splits them, and whether they were sparse before."""
    made = table.rows() if before is None else _transformed(forest, before, table)
    were_sparse = hasattr(made, "toarray")
    if hasattr(forest, "numeric_rows"):
        return forest.numeric_rows(made), were_sparse
    if before is not None:
        return np.asarray(made.toarray() if were_sparse else made, dtype=float), were_sparse
    return _numbers(forest, table)[:, places], were_sparse


def _transformed(forest: Any, before: Any, table: Table) -> Any:
    """Return what the steps before the forest make of the columns in the order of the fit.

    Not every step looks at names: a FunctionTransformer would hand on another order.
    """
    made = before.transform(rebuild_for(before, table)(table.codes))
    fitted = getattr(forest, "feature_names_in_", None)
    if fitted is not None and hasattr(made, "columns"):
        names, step = names_of(made.columns), "X behind the steps before the model"
        if differ := other_columns(step, names, "its fit", map(str, fitted)):
            raise ValueError(f"{differ}; give the columns of X in the order of the fit")
    return made


def view_forest(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ForestView:
    """A bagged forest with its training sample, rows in the order of the fit.

    The forest is a random forest or extra trees of scikit-learn with ``bootstrap=True``, ours, a
    forest of a study, or the last step of a Pipeline. Other models and other rows are refused.
    """
    sample = forest_rows(model, X, y, groups, kinds, feature_names)
    forest, rows = sample.forest, sample.rows
    if hasattr(forest, "trees_") and hasattr(forest, "in_bag_counts"):
        counts = forest.in_bag_counts()
        _check_rows(len(rows), counts.shape[1])
    elif isinstance(forest, random_forests()) and hasattr(forest, "estimators_"):
        counts, rows = _scikit_learn_counts(forest, len(rows)), rows.astype(np.float32)
    else:
        raise TypeError(
            f"{type(forest).__name__} is not a fitted random forest; fit a scikit-learn "
            "RandomForestRegressor or RandomForestClassifier, or a losaw forest"
        )
    trees = list(grown_trees(forest, rows, counts))
    check_sample(trees)
    roots = np.array([tree.mean[0] for tree in trees])
    if hasattr(forest, "classes_"):
        numbers, spread = class_numbers(sample.y, forest.classes_), 1.0
        outcomes = (numbers[:, None] == np.arange(len(forest.classes_))).astype(float)
    else:
        numbers = finite_numbers(sample.y)
        outcomes, roots = (numbers - numbers.mean())[:, None], roots - numbers.mean()
        spread = float(np.ptp(outcomes))
    expected = counts @ outcomes / counts.sum(axis=1, keepdims=True)
    if np.abs(roots - expected).max() > TOLERANCE * max(spread, 1e-12):
        raise ValueError(
            "X and y are not the sample that the forest was fitted on (a tree's root has another "
            "mean), or it was fitted with sample or class weights, which are not supported"
        )
    if not (counts == 0).any():
        raise ValueError("no tree has out-of-bag rows: fit the forest with bootstrap=True")
    task = "classification" if hasattr(forest, "classes_") else "regression"
    return ForestView(sample, trees, rows, outcomes, task)


def is_sample(model: Any, table: Table, y: NDArray[Any]) -> bool:
    """Return whether a model is a bagged forest, and these rows are the sample that it grew on.

    Where :func:`view_forest` refuses for another reason, as weights, the leaves prove it: each has
    as many in-bag rows as in the fit, and a value, or classes, that these rows can give.
    """
    try:
        view_forest(model, table.rows(), y, kinds=dict(zip(table.names, table.kinds, strict=True)))
    except (TypeError, ValueError):
        return _leaves_prove(model, table, y)
    return True


def _leaves_prove(model: Any, table: Table, y: NDArray[Any]) -> bool:
    """Return whether the leaves of a bagged forest, whatever its weights, are of these rows."""
    forest, before, _ = inside(model)
    try:
        rows, _ = _as_split(forest, before, table, _places(forest, before, table))
        if hasattr(forest, "feature_of_column_"):
            rows, forest = forest.encode(rows), forest.forest_
        if hasattr(forest, "trees_") and hasattr(forest, "in_bag_counts"):
            counts = forest.in_bag_counts()
        elif isinstance(forest, random_forests()) and getattr(forest, "bootstrap", False):
            counts, rows = (
                counts_of(forest.estimators_samples_, len(table)),
                rows.astype(np.float32),
            )
        else:
            return False
        if counts.shape[1] != len(table) or not (counts == 0).any():
            return False
        classes = getattr(forest, "classes_", None)
        response = finite_numbers(y) if classes is None else class_numbers(y, classes)
        n_splits = 0
        for tree in grown_trees(forest, rows, counts):
            check_sample([tree])
            if not _may_have_grown(tree, response, is_number=classes is None):
                return False
            n_splits += len(tree.nodes.splits)
    except (AttributeError, TypeError, ValueError):
        return False
    return n_splits >= _PROOF


def _may_have_grown(tree: GrownTree, y: FloatArray, *, is_number: bool) -> bool:
    """Return whether leaves predict between the values of their rows, or their classes alone."""
    in_bag = tree.in_bag > 0
    leaf, own = tree.leaf[in_bag], y[in_bag]
    leaves = np.unique(leaf)
    if is_number:
        low, high = np.full(len(tree.mean), np.inf), np.full(len(tree.mean), -np.inf)
        np.minimum.at(low, leaf, own)
        np.maximum.at(high, leaf, own)
        slack = TOLERANCE * max(float(np.ptp(y)), 1e-12)
        value = tree.mean[leaves, 0]
        return bool(((low[leaves] - slack <= value) & (value <= high[leaves] + slack)).all())
    present = np.zeros(tree.mean.shape, dtype=bool)
    present[leaf, own.astype(np.intp)] = True
    return bool(((tree.mean > 0) == present)[leaves].all())


def _scikit_learn_counts(forest: Any, n_rows: int) -> NDArray[np.int64]:
    """Return how often each row is in each tree's sample, (n_trees, n_rows)."""
    from scipy.stats import chi2

    first = forest.estimators_[0]
    if first.criterion == "absolute_error":
        raise ValueError(
            f"the nodes of this {type(forest).__name__} hold medians (criterion='absolute_error'), "
            "and the score compares means; fit it with criterion='squared_error'"
        )
    if not forest.bootstrap:
        raise ValueError("the forest has no out-of-bag rows: fit it with bootstrap=True")
    if getattr(forest, "n_outputs_", 1) != 1:
        raise ValueError(f"y has {forest.n_outputs_} outputs; explain one forest for each")
    if getattr(forest, "class_weight", None) is not None:
        raise ValueError(
            "the forest was fitted with sample or class weights, which are not supported "
            f"(class_weight={forest.class_weight!r}); fit it with class_weight=None"
        )
    samples = forest.estimators_samples_
    fitted = len(samples[0])
    if forest.max_samples is not None:  # then a sample is no longer than that
        fitted = max(1 + max(int(rows.max()) for rows in samples), n_rows)
    _check_rows(n_rows, fitted)
    counts = counts_of(samples, n_rows)
    drawn = counts.sum(axis=0)
    # Weights of the fit are drawn with; a forest without them fails this once in a billion.
    if chi2.sf(((drawn - drawn.mean()) ** 2).sum() / drawn.mean(), n_rows - 1) < 1e-9:
        raise ValueError(
            "some rows are in the bags much more often than others: the forest was fitted with "
            "sample or class weights, which are not supported"
        )
    return counts


def _check_rows(given: int, fitted: int) -> None:
    if given != fitted:
        raise ValueError(
            f"X has {counted(given, '[row|rows]')}, but the forest was fitted on {fitted}; give "
            "its training sample"
        )


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
