"""One view of the bagged forests that importances are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.forest_rows import ForestRows, forest_rows
from losaw.kernels.trees import LEAF, Trees
from losaw.support.outcomes import class_numbers, finite_numbers
from losaw.tables.groups import Groups
from losaw.tables.kinds import Kinds

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
    n_features: int = 0


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
        If the model is no such forest.
    """
    sample = forest_rows(model, X, y, groups, kinds, feature_names)
    forest, rows, response = sample.forest, sample.rows, sample.y
    feature_of_column = sample.unit_of_column
    if hasattr(forest, "trees_") and hasattr(forest, "in_bag_counts"):
        view = _losaw_view(forest, rows, response, feature_of_column)
    elif hasattr(forest, "estimators_") and hasattr(type(forest), "estimators_samples_"):
        view = _scikit_learn_view(forest, rows, response, feature_of_column)
    else:
        raise TypeError(
            f"{type(forest).__name__} is not a fitted bagged forest; fit a scikit-learn "
            "RandomForestRegressor or RandomForestClassifier, or a losaw forest"
        )
    if not (view.in_bag_counts == 0).any():
        raise ValueError("no tree has out-of-bag rows: fit the forest with bootstrap=True")
    return replace(view, n_features=len(sample.names)), sample


def _losaw_view(forest: Any, X: FloatArray, y: NDArray[Any], features: IntArray) -> ForestView:
    counts = forest.in_bag_counts()
    _check_rows(len(X), counts.shape[1])
    leaves = forest.forest_.apply(np.require(X, requirements=["C", "A", "W"]))
    trees = [
        _tree_view(tree, leaf, features) for tree, leaf in zip(forest.trees_, leaves.T, strict=True)
    ]
    _check_leaves(trees, counts, [tree.n_samples for tree in forest.trees_])
    if hasattr(forest, "classes_"):
        if len(forest.classes_) == 2:  # its nodes hold the share of the second class alone
            second = float(forest.trees_[0].value[0])
            shares = np.array([1.0 - second, second])
        else:
            shares = forest.forest_.nodes.distribution[0]
        outcomes = _indicators(y, forest.classes_)
        _check_root(shares, np.average(outcomes, axis=0, weights=counts[0]), 1.0)
        return ForestView(trees, X, features, outcomes, counts, "classification")
    centred = _centred(y)
    root = forest.trees_[0].value[0] - finite_numbers(y).mean()
    _check_root(root, np.average(centred, axis=0, weights=counts[0]), float(np.ptp(centred)))
    return ForestView(trees, X, features, centred, counts, "regression")


def _indicators(y: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Columns (n_samples, n_classes), 1 where y is the class."""
    return np.asarray(class_numbers(y, classes)[:, None] == np.arange(len(classes)), dtype=float)


def _centred(y: NDArray[Any]) -> FloatArray:
    values = finite_numbers(y)
    return (values - values.mean())[:, None]


def _scikit_learn_view(
    forest: Any, X: FloatArray, y: NDArray[Any], features: IntArray
) -> ForestView:
    if not forest.bootstrap:
        raise ValueError("the forest has no out-of-bag rows: fit it with bootstrap=True")
    if getattr(forest, "n_outputs_", 1) != 1:
        raise ValueError(f"y has {forest.n_outputs_} outputs; explain one forest for each")
    samples = forest.estimators_samples_
    fitted = len(samples[0])
    if forest.max_samples is not None:  # then a sample is no longer than that
        fitted = max(1 + max(int(rows.max()) for rows in samples), len(X))
    _check_rows(len(X), fitted)
    counts = np.stack([np.bincount(rows, minlength=len(X)) for rows in samples])
    single = X.astype(np.float32)
    inner = [estimator.tree_ for estimator in forest.estimators_]
    trees = [_tree_view(tree, tree.apply(single), features) for tree in inner]
    # Their number of rows in a node counts a row once, however often it is in the bag.
    _check_leaves(trees, counts > 0, [tree.n_node_samples for tree in inner])
    root = inner[0].value[0, 0]
    if hasattr(forest, "classes_"):
        outcomes = _indicators(y, forest.classes_)
        _check_root(root / root.sum(), np.average(outcomes, axis=0, weights=counts[0]), 1.0)
        return ForestView(trees, single, features, outcomes, counts, "classification")
    centred = _centred(y)
    expected = np.average(centred, axis=0, weights=counts[0])
    _check_root(root - finite_numbers(y).mean(), expected, float(np.ptp(centred)))
    return ForestView(trees, single, features, centred, counts, "regression")


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
    """As many in-bag rows reach every leaf as when the forest was fitted, or these are other rows.

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
    """The first tree's root holds the mean of its in-bag rows, or these are other rows."""
    if np.abs(np.asarray(root) - expected).max() > TOLERANCE * max(spread, 1e-12):
        raise ValueError(
            "X and y are not the sample that the forest was fitted on (the first tree's root has "
            "another mean), or it was fitted with sample or class weights, which are not supported"
        )
