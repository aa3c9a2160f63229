"""One view of the bagged forests that importances are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.arguments import as_floats, beyond_range
from losaw.data import FloatArray, default_feature_names
from losaw.kernels.trees import Trees

IntArray = NDArray[np.intp]
TOLERANCE = 1e-6


class TreeView(NamedTuple):
    """One tree with the leaves of the training rows."""

    nodes: Trees  # one tree, which splits columns
    feature: IntArray  # (n_nodes,), the feature that the column of a split belongs to
    leaf: NDArray[np.int32]  # (n_samples,)

    @property
    def splits(self) -> IntArray:
        """Numbers of the inner nodes."""
        return self.nodes.splits


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
        How often a row stands in a tree's sample; 0 is out of bag.
    task : {"regression", "classification"}
    """

    trees: list[TreeView]
    rows: NDArray[Any]
    feature_of_column: IntArray
    outcomes: FloatArray
    in_bag_counts: NDArray[np.int64]
    task: str

    @property
    def n_features(self) -> int:
        return int(self.feature_of_column.max()) + 1


def view_forest(
    model: Any, X: ArrayLike, y: ArrayLike, groups: Sequence[Any] | None = None
) -> tuple[ForestView, tuple[str, ...]]:
    """A fitted forest with its training sample, and the names of its features.

    Parameters
    ----------
    model : estimator
        A fitted ``RandomForestRegressor`` or ``RandomForestClassifier`` of scikit-learn (or
        extra trees) with ``bootstrap=True``, a ``LosawRandomForestRegressor``, or this package's
        ``RandomForest``.
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
        The training sample, rows in the order of the fit.
    groups : sequence of length n_features or None
        The factor of every column; columns with equal names are one feature.

    Raises
    ------
    ValueError
        If the model has no bootstrap samples, or was fitted on other rows.
    TypeError
        If the model is no such forest.
    """
    names = [str(name) for name in getattr(X, "columns", ())]
    if hasattr(model, "numeric_rows"):  # levels to codes
        X = model.numeric_rows(X)
    rows, response = as_floats("X", X), np.asarray(y)
    if rows.ndim != 2 or response.shape != (len(rows),):
        raise ValueError(
            f"X must be (n_samples, n_features) and y (n_samples,), got {rows.shape} and "
            f"{response.shape}"
        )
    names = names or [str(name) for name in getattr(model, "feature_names_in_", ())]
    names = names or list(default_feature_names(rows.shape[1]))
    feature_of_column = np.arange(rows.shape[1])
    forest = model
    if hasattr(model, "feature_of_column_"):
        forest, feature_of_column = model.forest_, model.feature_of_column_
        rows = model.encode(rows)
    if groups is not None:
        if len(groups) != len(names):
            raise ValueError(f"groups has {len(groups)} entries for {len(names)} columns of X")
        factors = {group: index for index, group in enumerate(dict.fromkeys(groups))}
        feature_of_column = np.array([factors[group] for group in groups])[feature_of_column]
        names = [str(group) for group in factors]
    if hasattr(forest, "trees_") and hasattr(forest, "in_bag_counts"):
        view = _losaw_view(forest, rows, response, feature_of_column)
    elif hasattr(forest, "estimators_") and hasattr(type(forest), "estimators_samples_"):
        view = _scikit_learn_view(forest, rows, response, feature_of_column)
    else:
        raise TypeError(
            f"{type(forest).__name__} is not a fitted bagged forest; fit a scikit-learn "
            "RandomForestRegressor or RandomForestClassifier, or a LosawRandomForestRegressor"
        )
    if not (view.in_bag_counts == 0).any():
        raise ValueError("no tree has out-of-bag rows: fit the forest with bootstrap=True")
    return view, tuple(names)


def _losaw_view(forest: Any, X: FloatArray, y: NDArray[Any], features: IntArray) -> ForestView:
    counts = forest.in_bag_counts()
    _check_rows(len(X), counts.shape[1])
    leaves = forest.forest_.apply(np.require(X, requirements=["C", "A", "W"]))
    trees = [
        _tree_view(tree, leaf, features) for tree, leaf in zip(forest.trees_, leaves.T, strict=True)
    ]
    y = _finite_response(y)
    centred = (y - y.mean())[:, None]
    root = forest.trees_[0].value[0] - y.mean()
    _check_root(root, np.average(centred, axis=0, weights=counts[0]), float(np.ptp(y)))
    return ForestView(trees, X, features, centred, counts, "regression")


def _scikit_learn_view(
    forest: Any, X: FloatArray, y: NDArray[Any], features: IntArray
) -> ForestView:
    if not forest.bootstrap:
        raise ValueError("the forest has no out-of-bag rows: fit it with bootstrap=True")
    if getattr(forest, "n_outputs_", 1) != 1:
        raise ValueError(f"y has {forest.n_outputs_} outputs; explain one forest for each")
    samples = forest.estimators_samples_
    largest = 1 + max(int(rows.max()) for rows in samples)
    _check_rows(len(X), len(samples[0]) if forest.max_samples is None else max(largest, len(X)))
    counts = np.stack([np.bincount(rows, minlength=len(X)) for rows in samples])
    single = X.astype(np.float32)
    inner = [estimator.tree_ for estimator in forest.estimators_]
    trees = [_tree_view(tree, tree.apply(single), features) for tree in inner]
    root = inner[0].value[0, 0]
    if hasattr(forest, "classes_"):
        outcomes = (y[:, None] == forest.classes_).astype(float)
        if not outcomes.any(axis=1).all():
            raise ValueError(f"y holds classes that the forest does not know ({forest.classes_})")
        _check_root(root / root.sum(), np.average(outcomes, axis=0, weights=counts[0]), 1.0)
        return ForestView(trees, single, features, outcomes, counts, "classification")
    y = _finite_response(y)
    centred = (y - y.mean())[:, None]
    expected = np.average(centred, axis=0, weights=counts[0])
    _check_root(root - y.mean(), expected, float(np.ptp(y)))
    return ForestView(trees, single, features, centred, counts, "regression")


def _finite_response(y: ArrayLike) -> FloatArray:
    response = as_floats("y", y)
    if beyond_range(response).any():
        raise ValueError(
            "y has missing or infinite values (NaN, inf, beyond 1e150); give the sample that the "
            "forest was fitted on, in a unit in which its squares are finite"
        )
    return response


def _tree_view(tree: Any, leaf: Any, features: IntArray) -> TreeView:
    left_levels = getattr(tree, "left_levels", None)
    nodes = Trees.of(
        [(tree.feature, tree.threshold, tree.children_left, tree.children_right)],
        left_levels if left_levels is not None and left_levels.any() else None,
    )
    # A leaf has no column; what stands for its feature is never read.
    return TreeView(nodes, features[np.maximum(nodes.feature, 0)], np.require(leaf, np.int32, "C"))


def _check_rows(given: int, fitted: int) -> None:
    if given != fitted:
        raise ValueError(
            f"X has {given} rows, but the forest was fitted on {fitted}; give its training sample"
        )


def _check_root(root: Any, expected: Any, spread: float) -> None:
    """The first tree's root holds the mean of its in-bag rows, or these are other rows."""
    if np.abs(np.asarray(root) - expected).max() > TOLERANCE * max(spread, 1e-12):
        raise ValueError(
            "X and y are not the sample that the forest was fitted on (the first tree's root has "
            "another mean), or it was fitted with sample or class weights, which are not supported"
        )
