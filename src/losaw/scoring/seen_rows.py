"""Are rows those that a model was fitted to? Trees remember how many rows each leaf had.

Nothing is guessed: a model without trees, or trees with too few splits to be certain, were fitted
to other rows as far as this file can tell.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.scoring.predictor import rebuild_for
from losaw.scoring.rows import Rows
from losaw.trees.forests import unwrapped

SEEN = "not tested: the model was fitted to these rows"
WARNING = (
    "the model was fitted to these rows: losses of rows that a model remembers are no measure of "
    "what it needs, and are not tested. Give rows that it has not seen, or cv=5 to fit it in folds"
)
# So many splits must hold the same numbers of rows as in the fit, and leaves the same means.
_SPLITS = 20
_TOLERANCE = 1e-5


def are_of_the_fit(model: Any, rows: Rows, y: FloatArray) -> bool:
    """Return whether a fitted model was, for certain, fitted to exactly these rows.

    Parameters
    ----------
    model : fitted predictor
        Random forests, trees and gradient boosting of scikit-learn, losaw's forests, ranger's and
        xgboost's boosters can tell, also at the end of a Pipeline or inside a search.
    y : array of shape (n_rows,)
        Numbers, or positions in the model's classes.
    """
    last: Any = model
    if rows.table.is_plain and hasattr(model, "predict_encoded"):
        last, given = getattr(model, "model_", None), model.encode(rows.table.codes)
    else:
        given = rebuild_for(model, rows.table)(rows.table.codes)
    last = unwrapped(last)
    while hasattr(last, "steps"):
        given, last = last[:-1].transform(given), unwrapped(last[-1])
    if hasattr(last, "feature_of_column_"):  # encodes the columns for its forest
        given, last = last.encode(given), last.forest_
    confirmed = 0
    for splits in _confirmed_splits(last, given, y):
        if splits is None:
            return False
        confirmed += splits
        if confirmed >= _SPLITS:
            return True
    return False


def _confirmed_splits(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    """Yield for one tree after the other its splits, or None if it was grown on other rows."""
    if hasattr(model, "in_bag_counts") and hasattr(model, "forest_"):
        yield from _of_losaw(model, given, y)
    elif type(model).__module__.startswith("sklearn."):
        yield from _of_scikit_learn(model, given, y)
    elif hasattr(model, "get_booster"):
        yield from _of_xgboost(model, given, y)


def _holds(
    leaf: NDArray[Any], weight: FloatArray, y: FloatArray, size: FloatArray, mean: FloatArray
) -> bool:
    """Return whether the leaves of a tree have these sizes, and these means of y."""
    total = np.bincount(leaf, weight * y, minlength=len(size))
    found = np.bincount(leaf, weight, minlength=len(size))
    reached = found > 0
    means = total[reached] / found[reached]
    return len(found) == len(size) and bool(
        np.allclose(means, mean[reached], rtol=_TOLERANCE, atol=_TOLERANCE * (np.ptp(y) or 1.0))
    )


def _of_losaw(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    forest = model.forest_
    columns = model.numeric_rows(given) if hasattr(model, "numeric_rows") else given
    columns = np.ascontiguousarray(columns, dtype=float)
    if columns.shape != (forest.n_samples, forest.n_features):
        yield None
        return
    if len(getattr(model, "classes_", ())) > 2:
        y = (y == y.max()).astype(float)
    leaves, counts = forest.apply(columns), forest.in_bag_counts()
    for tree, (first, end) in enumerate(zip(forest.starts, forest.starts[1:], strict=False)):
        size = forest.nodes.n_samples[first:end]
        is_leaf = forest.nodes.feature[first:end] < 0
        if forest.nodes.distribution.size:
            mean = forest.nodes.distribution[first:end, -1]
        else:
            mean = forest.nodes.value[first:end]
        leaf, weight = leaves[:, tree], counts[tree].astype(float)
        same = any(
            np.array_equal(np.bincount(leaf, times, len(size))[is_leaf], size[is_leaf])
            for times in (weight, weight > 0)  # ranger's nodes count a row once
        )
        good = same and _holds(leaf, weight, y, size, mean)
        yield int(is_leaf.sum()) - 1 if good else None


def _of_scikit_learn(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    forests = (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    boosted = (GradientBoostingClassifier, GradientBoostingRegressor)
    if not isinstance(model, (*forests, *boosted, DecisionTreeClassifier, DecisionTreeRegressor)):
        return
    if getattr(model, "n_outputs_", 1) != 1:
        return
    dense = given.toarray() if hasattr(given, "toarray") else given
    columns = np.asarray(dense, dtype=np.float32)
    classes = getattr(model, "classes_", ())
    ones = np.ones(len(y))
    if isinstance(model, boosted):
        yield from _of_boosting(model, columns, y)
        return
    samples = model.estimators_samples_ if getattr(model, "bootstrap", False) else None
    trees = model.estimators_ if isinstance(model, forests) else [model]
    for number, tree in enumerate(trees):
        inner, weight = tree.tree_, ones
        if samples is not None:
            if model.max_samples is None and len(samples[number]) != len(y):
                yield None
                return
            weight = np.bincount(samples[number], minlength=len(y)).astype(float)
            if len(weight) != len(y):
                yield None
                return
        leaf, size, is_leaf = inner.apply(columns), inner.n_node_samples, inner.children_left < 0
        if not np.array_equal(np.bincount(leaf, weight > 0, len(size))[is_leaf], size[is_leaf]):
            yield None
            return
        shares = inner.value[:, 0]
        good = all(
            _holds(leaf, weight, (y == k).astype(float), size, shares[:, k])
            for k in range(len(classes))
        )
        good = good and (len(classes) > 0 or _holds(leaf, weight, y, size, shares[:, 0]))
        yield int(is_leaf.sum()) - 1 if good else None


def _of_boosting(model: Any, columns: NDArray[Any], y: FloatArray) -> Iterator[int | None]:
    """Compare the first tree's leaves, which hold what a constant leaves of y, then sizes alone."""
    if model.estimators_.shape[1] != 1 or model.subsample < 1:
        return
    hessian = y.mean() * (1 - y.mean()) if hasattr(model, "classes_") else 1.0
    if hessian == 0 or model.loss not in ("squared_error", "log_loss"):
        return
    scaled = (y - y.mean()) / hessian
    known: set[Any] = set()
    for number, tree in enumerate(model.estimators_[:, 0]):
        inner = tree.tree_
        leaf, size, is_leaf = inner.apply(columns), inner.n_node_samples, inner.children_left < 0
        same = np.array_equal(np.bincount(leaf, minlength=len(size))[is_leaf], size[is_leaf])
        if number == 0:
            same = same and _holds(leaf, np.ones(len(y)), scaled, size, inner.value[:, 0, 0])
        if not same:
            yield None
            return
        # A split that another tree has as well says nothing new.
        splits = set(zip(inner.feature[~is_leaf], inner.threshold[~is_leaf], strict=True))
        yield len(splits - known)
        known |= splits


def _of_xgboost(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    """Compare the first tree's leaves with their sums of y, then the sizes of squared error's.

    Before the first tree every row has one Hessian h, so that the cover H of a leaf of N rows is
    h N; its value v = -eta G / (H + lambda), with G = N b - sum of y, is linear in N, v H and v.
    """
    import xgboost

    booster = model.get_booster()
    if len(getattr(model, "classes_", ())) > 2 or booster.num_boosted_rounds() < 1:
        return
    trees = booster[: min(_SPLITS, booster.num_boosted_rounds())]
    table = trees.trees_to_dataframe()
    data = xgboost.DMatrix(given, enable_categorical=True)
    nodes = np.asarray(trees.predict(data, pred_leaf=True)).reshape(len(y), -1).astype(int)
    known: set[Any] = set()
    for number, node in enumerate(nodes.T):
        of_tree = table[table["Tree"] == number]
        is_leaf = of_tree["Feature"] == "Leaf"
        leaves, inner = of_tree[is_leaf], of_tree[~is_leaf]
        places = leaves["Node"].to_numpy()
        count = np.bincount(node, minlength=places.max() + 1)[places].astype(float)
        cover, value = leaves["Cover"].to_numpy(), leaves["Gain"].to_numpy()
        if (count == 0).any() or np.ptp(cover / count) > _TOLERANCE * (cover / count).max():
            # Other objectives have other Hessians from the second tree on.
            yield None if number == 0 else 0
            return
        if number == 0:
            total = np.bincount(node, y, minlength=places.max() + 1)[places]
            design = np.column_stack([count, value * cover, value])
            fitted = design @ np.linalg.lstsq(design, total, rcond=None)[0]
            if np.abs(total - fitted).max() > 1e-3 * max(np.abs(total).max(), 1e-300):
                yield None
                return
        splits = set(zip(inner["Feature"], inner["Split"], strict=True))
        yield len(splits - known)
        known |= splits
