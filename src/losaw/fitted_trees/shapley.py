"""Path-dependent Shapley values of trees (Lundberg et al. 2020), leaf by leaf."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.fitted_trees.forest_arrays import ForestArrays, forest_arrays, rows_of
from losaw.kernels.compiled import allocating_kernel, kernel
from losaw.kernels.trees import Trees, bit


def shapley_values(model: Any, X: ArrayLike) -> FloatArray:
    """Shapley values of the mean prediction of a model's trees, (n_rows, n_features).

    The game's value of a coalition S at a row x is the tree's prediction when a split on a
    feature outside S sends the row down both branches in proportion to their in-bag rows. A leaf
    with value v whose path tests the features U contributes, to feature p of U,

        v sum over S ⊆ U - p of |S|! (|U| - |S| - 1)! / |U|!
          * (o_p - z_p) prod_{q in S} o_q prod_{q in U - S - p} z_q,

    with o_q = 1 if x passes all tests of q on the path, else 0, and z_q the product of the
    branches' shares at those tests. A row's values sum to its prediction minus the mean one.

    Parameters
    ----------
    model : estimator
        See :func:`losaw.fitted_trees.forest_arrays.forest_arrays`. Values of gradient boosting are
        those of the mean of its trees, without the learning rate.
    X : array or data frame of shape (n_rows, n_features)

    Raises
    ------
    TypeError, ValueError
        For a model without readable trees, bad values, or another number of features.
    """
    forest = forest_arrays(model)
    return shapley_values_of_rows(forest, rows_of(model, X, min_rows=1)[0])


def shapley_values_of_rows(forest: ForestArrays, rows: FloatArray) -> FloatArray:
    """:func:`shapley_values` of trees and rows that are read already."""
    if rows.shape[1] != forest.n_features:
        raise ValueError(
            f"X has {rows.shape[1]} features, the model was fitted to {forest.n_features}"
        )
    if forest.single_precision:
        rows = rows.astype(np.float32).astype(float)
    values = np.zeros(rows.shape)
    _add_trees(
        np.ascontiguousarray(rows),
        forest.trees,
        forest.value,
        forest.n_samples,
        subset_weights(forest.n_features),
        values,
    )
    return values / forest.trees.n_trees


def subset_weights(size: int) -> FloatArray:
    """Entry [m, s] = s! (m - s - 1)! / m!, the Shapley weight of s of m players' coalitions."""
    weights = np.zeros((size + 1, size + 1))
    for m in range(1, size + 1):
        weights[m, 0] = 1.0 / m
        for s in range(1, m):
            weights[m, s] = weights[m, s - 1] * s / (m - s)
    return weights


class Path(NamedTuple):
    """The tests between a root and a leaf, feature by feature, and room to work in."""

    slot: np.ndarray  # (n_features,), place of a feature among the players, or -1
    players: np.ndarray  # the features that are tested; the first entries are in use, as below
    low: np.ndarray  # a row passes where low < x <= high
    high: np.ndarray
    levels: np.ndarray  # of a nominal feature, whose low is NaN, those that pass
    share: np.ndarray  # product of the branches' shares
    passes: np.ndarray
    contribution: np.ndarray
    polynomial: np.ndarray  # (n_features + 1,)
    quotient: np.ndarray


@allocating_kernel(error_model="numpy")
def _add_trees(
    X: np.ndarray,
    trees: Trees,
    value: np.ndarray,
    n_samples: np.ndarray,
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add every leaf of every tree to ``out`` (n_rows, n_features)."""
    n_features = X.shape[1]
    path = Path(
        np.full(n_features, -1),
        np.empty(n_features, dtype=np.int64),
        np.empty(n_features),
        np.empty(n_features),
        np.empty(n_features, dtype=np.uint64),
        np.empty(n_features),
        np.empty(n_features, dtype=np.bool_),
        np.empty(n_features),
        np.empty(n_features + 1),
        np.empty(n_features + 1),
    )
    n_nodes = len(trees.feature)
    parent = np.full(n_nodes, -1)
    for node in range(n_nodes):
        if trees.feature[node] >= 0:
            parent[trees.left[node]] = node
            parent[trees.right[node]] = node
    for leaf in range(n_nodes):
        if trees.feature[leaf] < 0:
            size = _walk_up(trees, n_samples, parent, leaf, path)
            if size > 0:
                _add_leaf(X, value[leaf], size, path, weights[size], out)


@kernel()
def _walk_up(trees: Trees, n_samples: np.ndarray, parent: np.ndarray, leaf: int, path: Path) -> int:
    """Fill the path of a leaf; the number of its features.

    Several tests of one feature are one interval, or one set of levels, and one share.
    """
    size = 0
    child = leaf
    node = parent[leaf]
    while node >= 0:
        p = trees.feature[node]
        if path.slot[p] < 0:
            path.slot[p] = size
            path.players[size] = p
            path.low[size], path.high[size], path.share[size] = -np.inf, np.inf, 1.0
            path.levels[size] = ~np.uint64(0)
            size += 1
        k = path.slot[p]
        if np.isnan(trees.threshold[node]):
            left = trees.left_levels[node]
            path.low[k] = np.nan
            path.levels[k] &= left if child == trees.left[node] else ~left
        elif child == trees.left[node]:
            path.high[k] = min(path.high[k], trees.threshold[node])
        else:
            path.low[k] = max(path.low[k], trees.threshold[node])
        path.share[k] *= n_samples[child] / n_samples[node]
        child = node
        node = parent[node]
    for k in range(size):
        path.slot[path.players[k]] = -1
    return size


@kernel()
def _add_leaf(
    X: np.ndarray, value: float, size: int, path: Path, weights: np.ndarray, out: np.ndarray
) -> None:
    """One leaf's contribution to every row."""
    for row in range(X.shape[0]):
        for k in range(size):
            x = X[row, path.players[k]]
            path.passes[k] = path.low[k] < x <= path.high[k]
            if np.isnan(path.low[k]):
                path.passes[k] = (path.levels[k] & bit(int(x))) != np.uint64(0)
        leaf_values(
            value,
            size,
            path.passes,
            path.share,
            weights,
            path.polynomial,
            path.quotient,
            path.contribution,
        )
        for k in range(size):
            out[row, path.players[k]] += path.contribution[k]


@kernel()
def leaf_values(
    value: float,
    size: int,
    passes: np.ndarray,
    share: np.ndarray,
    weights: np.ndarray,
    polynomial: np.ndarray,
    quotient: np.ndarray,
    contribution: np.ndarray,
) -> None:
    """Write a leaf's contribution to each of the ``size`` features of its path to ``contribution``.

    ``passes`` and ``share`` are o and z of :func:`shapley_values`, ``weights`` the row ``size`` of
    :func:`subset_weights`; ``polynomial`` and ``quotient`` (size + 1,) are space to work in.

    Only coalitions of features that pass count. Coefficient s of ``prod (z_q + t)`` over them
    sums the products of shares outside all coalitions of size s.
    """
    degree = 0
    polynomial[0] = value
    for k in range(size):
        if passes[k]:
            polynomial[degree + 1] = polynomial[degree]
            for s in range(degree, 0, -1):
                polynomial[s] = polynomial[s - 1] + share[k] * polynomial[s]
            polynomial[0] *= share[k]
            degree += 1
        else:
            for s in range(degree + 1):
                polynomial[s] *= share[k]
    absent = 0.0
    if degree < size:
        for s in range(degree + 1):
            absent += weights[s] * polynomial[s]
    for k in range(size):
        if not passes[k]:
            contribution[k] = -absent
            continue
        quotient[degree] = 0.0
        total = 0.0
        for s in range(degree - 1, -1, -1):
            quotient[s] = polynomial[s + 1] - share[k] * quotient[s + 1]
            total += weights[s] * quotient[s]
        contribution[k] = (1.0 - share[k]) * total
