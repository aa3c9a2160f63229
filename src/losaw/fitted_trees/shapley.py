"""Path-dependent Shapley values of trees (Lundberg et al. 2020), leaf by leaf."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.fitted_trees.exchanged import goes_left
from losaw.fitted_trees.forest_arrays import ForestArrays, forest_arrays, rows_of
from losaw.kernels.compiled import allocating_kernel, kernel
from losaw.kernels.trees import Trees


def shapley_values(model: Any, X: ArrayLike) -> FloatArray:
    """Shapley values of the prediction of a model's trees, (n_rows, n_features).

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
        See :func:`losaw.fitted_trees.forest_arrays.forest_arrays`. The prediction of a gradient
        boosting classifier is its raw score, before the link.
    X : array or data frame of shape (n_rows, n_features)

    Raises
    ------
    TypeError, ValueError
        For a model without readable trees, bad values, or columns that are not those of the fit in
        their order.
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
        _paths_up(forest),
        subset_weights(forest.n_features),
        values,
    )
    return values * forest.scale / forest.trees.n_trees


def subset_weights(size: int) -> FloatArray:
    """Entry [m, s] = s! (m - s - 1)! / m!, the Shapley weight of s of m players' coalitions."""
    weights = np.zeros((size + 1, size + 1))
    for m in range(1, size + 1):
        weights[m, 0] = 1.0 / m
        for s in range(1, m):
            weights[m, s] = weights[m, s - 1] * s / (m - s)
    return weights


class PathsUp(NamedTuple):
    """Nodes of trees as the branches that lead to them, so that a path is walked from its leaf."""

    parent: np.ndarray  # (n_nodes,), number within the tree, -1 for a root
    feature: np.ndarray  # that the parent splits on
    share: np.ndarray  # the node's part of its parent's rows
    value: np.ndarray


def _paths_up(forest: ForestArrays) -> PathsUp:
    trees = forest.trees
    parent = np.zeros(len(trees.feature), dtype=np.int64)
    for children in (trees.left, trees.right):
        parent[children[trees.splits]] = trees.splits
    parent_number = parent - trees.starts[trees.tree]
    parent_number[trees.starts[:-1]] = -1
    share = forest.n_samples / forest.n_samples[parent]
    return PathsUp(parent_number, trees.feature[parent], share, forest.value)


@allocating_kernel()
def _add_trees(
    X: np.ndarray,
    trees: Trees,
    branches: PathsUp,
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add every leaf of every tree to ``out`` (n_rows, n_features)."""
    n_rows = len(X)
    passes = np.empty((np.max(np.diff(trees.starts)), n_rows), dtype=np.bool_)
    for tree in range(len(trees.starts) - 1):
        start, end = trees.starts[tree], trees.starts[tree + 1]
        for node in range(start, end):
            if trees.feature[node] >= 0:
                left, right = trees.left[node] - start, trees.right[node] - start
                for row in range(n_rows):
                    passes[left, row] = goes_left(trees, node, X[row, trees.feature[node]])
                    passes[right, row] = not passes[left, row]
        for node in range(start, end):
            if trees.feature[node] < 0 and branches.parent[node] >= 0:
                add_leaf(node, start, branches, passes, weights, out)


# A leaf whose path tests m features treats all rows that pass the same of them alike. Up to this
# m its 2^m answers are stored; beyond, every row is computed.
MOST_KEPT = 10


@allocating_kernel()
def add_leaf(
    leaf: int,
    start: int,
    branches: PathsUp,
    passes: np.ndarray,
    weights: np.ndarray,
    of_tree: np.ndarray,
) -> None:
    """Add the contributions of a leaf to all rows of ``of_tree`` (n_rows, n_features).

    ``passes`` (n_nodes of the tree, n_rows) says which rows would take the branch to a node, were
    they at its parent; ``start`` is the tree's first node.
    """
    n_rows, n_features = of_tree.shape

    # The features on the path are the players; several tests of one feature have one share.
    slot = np.full(n_features, -1)
    players = np.empty(n_features, dtype=np.int64)
    z = np.empty(n_features)
    size = 0
    node = leaf
    while branches.parent[node] >= 0:
        p = branches.feature[node]
        if slot[p] < 0:
            slot[p] = size
            players[size] = p
            z[size] = 1.0
            size += 1
        z[slot[p]] *= branches.share[node]
        node = start + branches.parent[node]

    # A row passes a feature if it passes all tests of it.
    passed = np.ones((n_rows, size), dtype=np.bool_)
    node = leaf
    while branches.parent[node] >= 0:
        k = slot[branches.feature[node]]
        for row in range(n_rows):
            passed[row, k] &= passes[node - start, row]
        node = start + branches.parent[node]

    # Rows that pass the same features have the same contributions, which are computed once.
    keeps = size <= MOST_KEPT
    kept = np.empty((1 << size if keeps else 1, size))
    is_kept = np.zeros(len(kept), dtype=np.bool_)
    polynomial, quotient = np.empty(size + 1), np.empty(size + 1)
    for row in range(n_rows):
        code = 0
        if keeps:
            for k in range(size):
                code = 2 * code + passed[row, k]
        if not keeps or not is_kept[code]:
            leaf_values(
                branches.value[leaf],
                size,
                passed[row],
                z,
                weights[size],
                polynomial,
                quotient,
                kept[code],
            )
            is_kept[code] = True
        for k in range(size):
            of_tree[row, players[k]] += kept[code, k]


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
