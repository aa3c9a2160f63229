"""The trees of a fitted model as flat arrays: scikit-learn's and ours."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.trees import Trees
from losaw.support.models import require_instance

SUPPORTED = "a fitted DecisionTree, RandomForest or ExtraTrees of scikit-learn, or a losaw forest"

_MANY = (
    "the model has {} responses and {} classes; a trend is defined for one response that is "
    "numeric or has two classes"
)


@dataclass(frozen=True)
class FlatForest:
    """Trees of a fitted model, what their nodes hold, and the columns that they compare."""

    trees: Trees
    # (n_nodes,) or (n_nodes, n_classes), what a node predicts as a leaf: the mean of its in-bag
    # rows, of two classes the share of the second, of more those of all.
    value: FloatArray
    n_samples: FloatArray  # (n_nodes,), weighted number of in-bag rows
    encode: Callable[
        [Any], FloatArray
    ]  # rows as the model is given them to columns as trees compare
    # (n_columns,), the feature of the rows that each such column is computed from.
    feature_of_column: NDArray[np.intp]
    is_nominal: NDArray[np.bool_]  # (n_columns,), which columns are split into sets of levels

    def columns_of(self, features: NDArray[np.intp]) -> NDArray[np.intp]:
        """The columns that are computed from some features of the rows."""
        return np.flatnonzero(np.isin(self.feature_of_column, features))


def read_forest(model: Any) -> FlatForest:
    """The trees of a fitted model with one response, numeric or of two classes."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    require_instance(model)
    families = (DecisionTreeClassifier, DecisionTreeRegressor, *random_forests())
    if len(getattr(model, "classes_", ())) > 2:
        raise ValueError(_MANY.format(1, len(model.classes_)))
    if hasattr(model, "trees_"):
        return _of_losaw(model)
    members = [model] if hasattr(model, "tree_") else getattr(model, "estimators_", ())
    if not isinstance(model, families) or not members:
        raise TypeError(
            f"{type(model).__name__} has no trees that can be read; expected {SUPPORTED}"
        )
    inner = [member.tree_ for member in members]
    if inner[0].value.shape[1] != 1 or inner[0].value.shape[2] > 2:
        raise ValueError(_MANY.format(*inner[0].value.shape[1:]))
    return _of_scikit_learn(inner, model)


def random_forests() -> tuple[type[Any], ...]:
    """scikit-learn's forests: a prediction is the mean of the trees."""
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    return ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor


def mean_of_trees(model: Any) -> FlatForest | None:
    """The trees whose mean a fitted model predicts; None if there are none, or columns are mixed.

    Forests of scikit-learn, losaw forests, models that have a method ``mean_of_trees()``, and
    Pipelines of one whose steps before it say that each column of theirs is made of that column.
    Not subclasses of the first two, which may predict as they like.
    """
    from sklearn.pipeline import Pipeline

    kind = type(model)
    if kind is Pipeline:
        before, inner = model[:-1], mean_of_trees(model.steps[-1][1])
        if not all(hasattr(step, "is_column_by_column") for _, step in before.steps):
            return None
        if inner is None or not before.steps:
            return inner
        return replace(inner, encode=lambda rows: inner.encode(before.transform(rows)))
    if hasattr(model, "mean_of_trees"):
        known: FlatForest | None = model.mean_of_trees()
        return known
    # By name: what exchanges a model's features does not rest on how our forests are grown.
    ours = kind.__name__ if kind.__module__.startswith("losaw.") else ""
    if ours in ("LosawRandomForestClassifier", "LosawRandomForestRegressor"):
        return _of_losaw(model)
    if (
        kind not in random_forests()
        or model.n_outputs_ != 1
        or len(getattr(model, "classes_", "ab")) < 2
    ):
        return None
    return _of_scikit_learn([estimator.tree_ for estimator in model.estimators_], model)


@dataclass(frozen=True)
class GrownTree:
    """One tree of a forest, with the rows that it was grown on."""

    tree: Any  # of scikit-learn or of ours
    leaf: NDArray[Any]  # (n_samples,)
    in_bag: NDArray[Any]  # (n_samples,), how often a row is in the tree's sample
    weight: NDArray[Any]  # (n_samples,), how often a row counts in ``size``
    size: NDArray[Any]  # (n_nodes,), the rows of every node as the fit counted them
    # (n_nodes, n_outcomes), the mean outcomes of every node's in-bag rows: of the response, or of
    # the class indicators.
    mean: FloatArray

    @cached_property
    def nodes(self) -> Trees:
        """The splits of the tree."""
        tree, sets = self.tree, getattr(self.tree, "left_levels", None)
        nodes = (tree.feature, tree.threshold, tree.children_left, tree.children_right)
        return Trees.of([nodes], None if sets is None or not sets.any() else sets)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask (n_nodes,) of the leaves."""
        return np.asarray(self.tree.children_left) < 0

    def sizes_of_rows(self) -> FloatArray:
        """How many rows reach every leaf, counted as in ``size``; inner nodes have 0."""
        return np.bincount(self.leaf, self.weight, minlength=len(self.size)).astype(float)


def grown_trees(forest: Any, rows: Any, in_bag: NDArray[Any]) -> Iterator[GrownTree]:
    """Lead rows through the trees of a fitted forest, one tree after the other.

    The forest is ours or ranger's, or a forest or a single tree of scikit-learn.
    ``rows`` (n_samples, n_columns) are what they split, ``in_bag`` is (n_trees, n_samples).
    """
    if hasattr(forest, "in_bag_counts"):
        inner = getattr(forest, "forest_", forest)  # of a study's forest: itself
        leaves = inner.apply(np.require(rows, np.float64, ["C", "A", "W"]))
        for tree, start, leaf, counts in zip(
            inner.trees, inner.starts[:-1], np.ascontiguousarray(leaves.T), in_bag, strict=True
        ):
            mean = tree.value[:, None]
            if inner.nodes.distribution.size:
                mean = inner.nodes.distribution[start : start + len(mean)]
            elif hasattr(forest, "classes_"):  # nodes hold the share of the second class alone
                mean = np.hstack([1.0 - mean, mean])
            # ranger's nodes, and scikit-learn's, count a row once.
            weight = counts if counts.sum() == tree.n_samples[0] else counts > 0
            yield GrownTree(tree, leaf, counts, weight, tree.n_samples, mean)
        return
    for estimator, counts in zip(getattr(forest, "estimators_", [forest]), in_bag, strict=True):
        tree = estimator.tree_
        leaf = tree.apply(rows.astype(np.float32)).astype(np.int32)
        yield GrownTree(tree, leaf, counts, counts > 0, tree.n_node_samples, tree.value[:, 0])


def counts_of(samples: Sequence[NDArray[np.intp]], n_rows: int) -> NDArray[np.int64]:
    """How often each row is in each tree's sample, (n_trees, n_rows)."""
    return np.stack([np.bincount(rows, minlength=n_rows) for rows in samples])


def _of_scikit_learn(inner: Sequence[Any], model: Any) -> FlatForest:
    values = np.concatenate([tree.value[:, 0] for tree in inner])
    if values.shape[1] < 3:
        values = values[:, -1]
    columns = np.arange(model.n_features_in_)
    return FlatForest(
        Trees.of((t.feature, t.threshold, t.children_left, t.children_right) for t in inner),
        values,
        np.concatenate([tree.weighted_n_node_samples for tree in inner]),
        _single,
        columns,
        np.zeros(len(columns), dtype=bool),
    )


def _of_losaw(model: Any) -> FlatForest:
    nodes = model.forest_.nodes
    return FlatForest(
        model.forest_.flat_trees,
        nodes.distribution if len(getattr(model, "classes_", ())) > 2 else nodes.value,
        nodes.n_samples,
        model.numeric_rows,
        np.arange(model.n_features_in_),
        model.is_nominal_,
    )


def _single(rows: Any) -> FloatArray:
    """Rows in the precision in which scikit-learn's trees compare them."""
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    if hasattr(dense, "to_numpy"):  # a frame, in which pandas' own missing values may stand
        dense = dense.to_numpy(dtype=float, na_value=np.nan)
    with np.errstate(over="ignore"):
        return np.asarray(dense).astype(np.float32).astype(np.float64)
