"""A bagged forest with its training sample, as importances are computed from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.kernels.trees import LEAF, Trees
from losaw.support.arguments import check_same_order
from losaw.support.outcomes import class_numbers, finite_numbers, one_column
from losaw.tables import Table, read_table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, column_sources, units_of
from losaw.trees.forests import check_features, unwrapped

IntArray = NDArray[np.intp]
TOLERANCE = 1e-6
_NO_SETS = np.array([], dtype=np.uint64)


class TreeView(NamedTuple):
    """One tree with the leaves of the training rows."""

    nodes: Trees  # one tree, which splits columns
    splits: IntArray  # numbers of the inner nodes
    feature: IntArray  # (n_nodes,), the feature that the column of a split belongs to
    leaf: NDArray[np.int32]  # (n_samples,)


@dataclass(frozen=True)
class ForestView:
    """Trees, training rows and in-bag counts of a fitted forest.

    Attributes
    ----------
    trees : list of TreeView
    rows : array of shape (n_samples, n_columns)
        What the trees split.
    feature_of_column : array of shape (n_columns,)
    outcomes : array of shape (n_samples, n_outcomes)
        The response of a regression (one column, centred), the class indicators of a
        classification.
    in_bag_counts : array of shape (n_trees, n_samples)
        How often a row is in a tree's sample; 0 is out of bag.
    task : {"regression", "classification"}
    n_features : int
    """

    trees: list[TreeView]
    rows: NDArray[Any]
    feature_of_column: IntArray
    outcomes: FloatArray
    in_bag_counts: NDArray[np.int64]
    task: str
    n_features: int


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
    check_same_order(X, "y", y)
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


def view_forest(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> tuple[ForestView, ForestRows]:
    """A fitted forest with its training sample.

    Parameters
    ----------
    model : estimator
        A fitted ``RandomForestRegressor`` or ``RandomForestClassifier`` of scikit-learn (or
        extra trees) with ``bootstrap=True``, a ``LosawRandomForestRegressor`` or
        ``LosawRandomForestClassifier``, this package's ``RandomForest``, or a Pipeline that ends
        with one.
    X, y : array or frame (n_samples, n_features), array (n_samples,)
        The training sample, rows in the order of the fit.
    groups : dict of str to sequence of str, or None
        Columns that are one feature, by its name.
    kinds, feature_names
        As :func:`losaw.tables.read_table`.

    Raises
    ------
    ValueError
        If the model has no bootstrap samples, or was fitted on other rows.
    TypeError
        If the model is not such a forest.
    """
    from sklearn.base import is_classifier, is_regressor

    sample = forest_rows(model, X, y, groups, kinds, feature_names)
    forest, rows, response = sample.forest, sample.rows, sample.y
    feature_of_column = sample.unit_of_column
    if hasattr(forest, "trees_") and hasattr(forest, "in_bag_counts"):
        inner, counts = forest.trees_, forest.in_bag_counts()
        _check_rows(len(rows), counts.shape[1])
        leaves = forest.forest_.apply(np.require(rows, requirements=["C", "A", "W"])).T
        weights, fitted = counts, [tree.n_samples for tree in inner]
        root = _root_of_losaw(forest)
    elif (
        hasattr(forest, "estimators_")
        and hasattr(type(forest), "estimators_samples_")
        and (is_classifier(forest) or is_regressor(forest))
    ):
        counts = _scikit_learn_counts(forest, len(rows))
        inner, rows = [estimator.tree_ for estimator in forest.estimators_], rows.astype(np.float32)
        leaves = [tree.apply(rows) for tree in inner]
        # Their number of rows in a node counts a row once, however often it is in the bag.
        weights, fitted = counts > 0, [tree.n_node_samples for tree in inner]
        root = inner[0].value[0, 0]
    else:
        raise TypeError(
            f"{type(forest).__name__} is not a fitted bagged forest; fit a scikit-learn "
            "RandomForestRegressor or RandomForestClassifier, or a losaw forest"
        )
    trees = [
        _tree_view(tree, leaf, feature_of_column) for tree, leaf in zip(inner, leaves, strict=True)
    ]
    _check_leaves(trees, weights, fitted)
    if hasattr(forest, "classes_"):
        outcomes, root, spread = _indicators(response, forest.classes_), root / root.sum(), 1.0
    else:
        numbers = finite_numbers(response)
        outcomes, root = (numbers - numbers.mean())[:, None], root - numbers.mean()
        spread = float(np.ptp(outcomes))
    _check_root(root, np.average(outcomes, axis=0, weights=counts[0]), spread)
    if not (counts == 0).any():
        raise ValueError("no tree has out-of-bag rows: fit the forest with bootstrap=True")
    task = "classification" if hasattr(forest, "classes_") else "regression"
    view = ForestView(
        trees, rows, feature_of_column, outcomes, counts, task, n_features=len(sample.names)
    )
    return view, sample


def _root_of_losaw(forest: Any) -> FloatArray:
    """The mean response of the first tree's root, or its class shares."""
    root: FloatArray = forest.trees_[0].value[:1]
    if not hasattr(forest, "classes_"):
        return root
    if len(forest.classes_) == 2:  # its nodes hold the share of the second class alone
        return np.array([1.0 - root[0], root[0]])
    shares: FloatArray = forest.forest_.nodes.distribution[0]
    return shares


def _scikit_learn_counts(forest: Any, n_rows: int) -> NDArray[np.int64]:
    """Return how often each row is in each tree's sample, (n_trees, n_rows)."""
    from scipy.stats import chi2

    first = forest.estimators_[0]
    if not hasattr(first, "tree_"):
        raise TypeError(
            f"{type(forest).__name__} holds {type(first).__name__}s, which are not single trees; "
            "fit it with decision trees, or a RandomForest"
        )
    if first.criterion == "absolute_error":
        raise ValueError(
            f"the nodes of this {type(forest).__name__} hold medians (criterion='absolute_error'), "
            "and the score compares means; fit it with criterion='squared_error'"
        )
    check_features(forest)
    if not forest.bootstrap:
        raise ValueError("the forest has no out-of-bag rows: fit it with bootstrap=True")
    if getattr(forest, "n_outputs_", 1) != 1:
        raise ValueError(f"y has {forest.n_outputs_} outputs; explain one forest for each")
    samples = forest.estimators_samples_
    fitted = len(samples[0])
    if forest.max_samples is not None:  # then a sample is no longer than that
        fitted = max(1 + max(int(rows.max()) for rows in samples), n_rows)
    _check_rows(n_rows, fitted)
    counts = np.stack([np.bincount(rows, minlength=n_rows) for rows in samples])
    drawn = counts.sum(axis=0)
    # Weights of the fit are drawn with; a forest without them fails this once in a billion.
    if chi2.sf(((drawn - drawn.mean()) ** 2).sum() / drawn.mean(), n_rows - 1) < 1e-9:
        raise ValueError(
            "some rows are in the bags much more often than others: the forest was fitted with "
            "sample or class weights, which are not supported"
        )
    return counts


def _indicators(y: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Columns (n_samples, n_classes), 1 where y is the class."""
    return np.asarray(class_numbers(y, classes)[:, None] == np.arange(len(classes)), dtype=float)


def _tree_view(tree: Any, leaf: Any, features: IntArray) -> TreeView:
    """A tree of a fitted forest; there are hundreds, so that each array is made once."""
    column = np.array(tree.feature, dtype=np.int32)
    left, right = np.array(tree.children_left, np.int32), np.array(tree.children_right, np.int32)
    column[left < 0] = LEAF
    left_levels = getattr(tree, "left_levels", _NO_SETS)
    nodes = Trees(
        column,
        np.ascontiguousarray(tree.threshold, dtype=np.float64),
        left,
        right,
        np.array([0, len(column)]),
        left_levels if len(left_levels) and left_levels.any() else _NO_SETS,
    )
    # A leaf has no column; the value in place of its feature is never read.
    return TreeView(nodes, nodes.splits, features[column], np.ascontiguousarray(leaf, np.int32))


def _check_rows(given: int, fitted: int) -> None:
    if given != fitted:
        raise ValueError(
            f"X has {given} rows, but the forest was fitted on {fitted}; give its training sample"
        )


def _check_leaves(
    trees: list[TreeView], weights: NDArray[Any], fitted: Sequence[NDArray[Any]]
) -> None:
    """Raise unless every leaf has as many in-bag rows as when the forest was fitted.

    Parameters
    ----------
    weights : array of shape (n_trees, n_samples)
        How much every row counts in every tree.
    fitted : sequence of arrays of shape (n_nodes,)
        The numbers of rows that the trees were fitted to.
    """
    for number, (tree, weight, expected) in enumerate(zip(trees, weights, fitted, strict=True)):
        found = np.bincount(tree.leaf, weight, minlength=len(expected))
        different = (tree.nodes.feature == LEAF) & (found != expected)
        if different.any():
            leaf = int(np.flatnonzero(different)[0])
            raise ValueError(
                "X is not the sample that the forest was fitted on: "
                f"{found[leaf]:g} of its in-bag rows reach leaf {leaf} of tree {number}, but that "
                f"leaf was fitted to {expected[leaf]:g}. Give the rows of the fit in the same "
                "order, with the same columns in the same order, and in the same units"
            )


def _check_root(root: Any, expected: Any, spread: float) -> None:
    """Raise unless the first tree's root has the mean of its in-bag rows."""
    if np.abs(np.asarray(root) - expected).max() > TOLERANCE * max(spread, 1e-12):
        raise ValueError(
            "X and y are not the sample that the forest was fitted on (the first tree's root has "
            "another mean), or it was fitted with sample or class weights, which are not supported"
        )


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
