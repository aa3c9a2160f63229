"""All trees of a fitted model as flat arrays: scikit-learn's forests, and ours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.kernels.trees import Trees
from losaw.support.arguments import finite_rows
from losaw.support.words import other_columns

SUPPORTED = (
    "a fitted DecisionTree, RandomForest, ExtraTrees, Bagging (of trees) or GradientBoosting "
    "model of scikit-learn, or a losaw forest"
)

_MANY_CLASSES = (
    "the model has {} responses and {} classes; a trend is defined for one response that is "
    "numeric or has two classes"
)


@dataclass(frozen=True)
class ForestArrays:
    """Trees of a fitted model, and what their nodes hold.

    Attributes
    ----------
    trees : Trees
    value, n_samples : array of shape (n_nodes,)
        Mean of the response over the node's in-bag rows (of gradient boosting, of what the leaves
        below it add to the raw score, before the learning rate); their weighted number.
    n_features : int
    single_precision : bool
        Whether the trees compare features rounded to 32 bits, as scikit-learn's do.
    is_nominal : bool array of shape (n_features,)
        Which features are split into sets of levels.
    scale : float, default 1.0
        What the mean over trees is multiplied with in a prediction: 1 of a forest, number of trees
        times learning rate of gradient boosting.
    """

    trees: Trees
    value: FloatArray
    n_samples: FloatArray
    n_features: int
    single_precision: bool
    is_nominal: NDArray[np.bool_]
    scale: float = 1.0


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
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    if len(getattr(model, "classes_", ())) > 2:
        raise ValueError(_MANY_CLASSES.format(1, len(model.classes_)))
    if hasattr(model, "trees_"):
        nodes, n_features = model.forest_.nodes, model.n_features_in_
        return ForestArrays(
            model.forest_.flat_trees,
            nodes.value,
            nodes.n_samples,
            n_features,
            single_precision=False,
            is_nominal=model.is_nominal_,
        )
    members = [model] if hasattr(model, "tree_") else np.ravel(_members(model)).tolist()
    check_features(model)
    inner = [member.tree_ for member in members]
    is_boosted = isinstance(model, GradientBoostingRegressor | GradientBoostingClassifier)
    return ForestArrays(
        Trees.of((t.feature, t.threshold, t.children_left, t.children_right) for t in inner),
        np.concatenate(
            [_boosted_values(t) if is_boosted else _node_values(t.value) for t in inner]
        ),
        np.concatenate([tree.weighted_n_node_samples for tree in inner]),
        model.n_features_in_,
        single_precision=True,
        is_nominal=np.zeros(model.n_features_in_, dtype=bool),
        scale=len(inner) * model.learning_rate if is_boosted else 1.0,
    )


def _members(model: Any) -> Any:
    members = getattr(model, "estimators_", None)
    if members is None or not all(hasattr(member, "tree_") for member in np.ravel(members)):
        raise TypeError(
            f"{type(model).__name__} has no trees that can be read; expected {SUPPORTED}"
        )
    return members


def check_features(model: Any) -> None:
    """Raise a ValueError for an ensemble whose trees see different features."""
    every = np.arange(model.n_features_in_)
    for features in getattr(model, "estimators_features_", ()):
        if not np.array_equal(features, every):
            raise ValueError(
                f"the trees of this {type(model).__name__} see different features; fit it with "
                "max_features=1.0 and bootstrap_features=False"
            )


def _node_values(value: FloatArray) -> FloatArray:
    """(n_nodes, n_outputs, n_classes) to the mean, or the share of the second class."""
    if value.shape[1] != 1 or value.shape[2] > 2:
        raise ValueError(_MANY_CLASSES.format(value.shape[1], value.shape[2]))
    if value.shape[2] == 1:
        return value[:, 0, 0]
    return value[:, 0, 1] / value[:, 0].sum(axis=1)


def _boosted_values(tree: Any) -> FloatArray:
    """Mean of the leaf values below every node: the fit replaces the leaves' values only."""
    value, weight = tree.value[:, 0, 0].copy(), tree.weighted_n_node_samples
    for node in range(len(value) - 1, -1, -1):  # children come after their parent
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0:
            value[node] = (weight[left] * value[left] + weight[right] * value[right]) / weight[node]
    return value


def rows_of(model: Any, X: ArrayLike, min_rows: int = 2) -> tuple[FloatArray, tuple[str, ...]]:
    """Rows as the trees of a fitted ``model`` compare them, and the features' names.

    Those of a losaw forest may hold categories, which become codes.

    Raises
    ------
    ValueError
        For bad values, too few rows, or columns of a frame that are not those of the fit in their
        order.
    """
    names, fitted = getattr(X, "columns", None), getattr(model, "feature_names_in_", None)
    if names is not None and fitted is not None:
        of = f"{type(model).__name__} was fitted to"
        differ = other_columns("X", map(str, names), of, map(str, fitted))
        if differ:
            raise ValueError(f"{differ}; give X[model.feature_names_in_]")
    if hasattr(model, "numeric_rows"):
        X = model.numeric_rows(X)
    rows, shown = finite_rows(X, min_rows)
    return rows, shown if names is None else tuple(map(str, names))
