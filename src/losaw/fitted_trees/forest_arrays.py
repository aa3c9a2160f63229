"""All trees of a fitted model as flat arrays: scikit-learn's forests, and ours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

SUPPORTED = (
    "a fitted DecisionTree, RandomForest, ExtraTrees, Bagging (of trees) or GradientBoosting "
    "model of scikit-learn, or a losaw forest"
)


@dataclass(frozen=True)
class ForestArrays:
    """Nodes of many trees, one tree after the other; children are numbered over all trees.

    Attributes
    ----------
    feature : int array
        Split feature, negative in a leaf. Rows with ``x <= threshold`` go left.
    threshold, value, n_samples : float array
        Split point; mean of the response over the node's in-bag rows; their weighted number.
    left, right : int array
        Node numbers, meaningless in a leaf.
    tree : int array
        The tree that a node belongs to.
    roots : int array of shape (n_trees,)
    n_features : int
    single_precision : bool
        Whether the trees compare features rounded to 32 bits, as scikit-learn's do.
    """

    feature: NDArray[np.int64]
    threshold: FloatArray
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: FloatArray
    n_samples: FloatArray
    tree: NDArray[np.int64]
    roots: NDArray[np.int64]
    n_features: int
    single_precision: bool

    @property
    def n_trees(self) -> int:
        return len(self.roots)


def forest_arrays(model: Any) -> ForestArrays:
    """The trees of a fitted model.

    Parameters
    ----------
    model : estimator
        One response, numeric or of two classes (then a node's value is the share of the second).

    Raises
    ------
    TypeError
        If the model has no trees that can be read, or is not fitted.
    ValueError
        If it has several responses, more than two classes, or trees on subsets of the features.
    """
    if len(getattr(model, "classes_", ())) > 2:
        raise ValueError(
            f"the model has {len(model.classes_)} classes; a trend is defined for one response "
            "that is numeric or has two classes"
        )
    if hasattr(model, "trees_"):
        return _join(
            [
                (t.feature, t.threshold, t.children_left, t.children_right, t.value, t.n_samples)
                for t in model.trees_
            ],
            model.n_features_in_,
            single_precision=False,
        )
    estimators = [model] if hasattr(model, "tree_") else np.ravel(_members(model)).tolist()
    _check_features(model)
    return _join(
        [
            (
                estimator.tree_.feature,
                estimator.tree_.threshold,
                estimator.tree_.children_left,
                estimator.tree_.children_right,
                _node_values(estimator.tree_.value),
                estimator.tree_.weighted_n_node_samples,
            )
            for estimator in estimators
        ],
        model.n_features_in_,
        single_precision=True,
    )


def _members(model: Any) -> Any:
    members = getattr(model, "estimators_", None)
    if members is None or not all(hasattr(one, "tree_") for one in np.ravel(members)):
        raise TypeError(
            f"{type(model).__name__} has no trees that can be read; expected {SUPPORTED}"
        )
    return members


def _check_features(model: Any) -> None:
    every = np.arange(model.n_features_in_)
    for chosen in getattr(model, "estimators_features_", ()):
        if not np.array_equal(chosen, every):
            raise ValueError(
                f"the trees of this {type(model).__name__} see different features; fit it with "
                "max_features=1.0 and bootstrap_features=False"
            )


def _node_values(value: FloatArray) -> FloatArray:
    """(n_nodes, n_outputs, n_classes) to the mean, or the share of the second class."""
    if value.shape[1] != 1 or value.shape[2] > 2:
        raise ValueError(
            f"the model has {value.shape[1]} responses and {value.shape[2]} classes; a trend is "
            "defined for one response that is numeric or has two classes"
        )
    if value.shape[2] == 1:
        return value[:, 0, 0]
    return value[:, 0, 1] / value[:, 0].sum(axis=1)


def _join(trees: list[tuple[Any, ...]], n_features: int, single_precision: bool) -> ForestArrays:
    sizes = np.array([len(tree[0]) for tree in trees])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    offset = np.repeat(roots, sizes)
    feature, threshold, left, right, value, n_samples = (
        np.concatenate(arrays) for arrays in zip(*trees, strict=True)
    )
    return ForestArrays(
        feature=feature.astype(np.int64),
        threshold=threshold.astype(float),
        left=left + offset,
        right=right + offset,
        value=value.astype(float),
        n_samples=n_samples.astype(float),
        tree=np.repeat(np.arange(len(trees)), sizes),
        roots=roots.astype(np.int64),
        n_features=int(n_features),
        single_precision=single_precision,
    )
