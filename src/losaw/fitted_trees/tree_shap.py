"""TreeSHAP of every tree of a booster (Lundberg et al. 2020), as sums over its trees and rows."""

import numpy as np

from losaw.fitted_trees.booster import Branches, Fit, Sums
from losaw.fitted_trees.shapley import leaf_values
from losaw.kernels.compiled import allocating_kernel

# A leaf whose path tests m features treats all rows that pass the same of them alike. Up to this
# m its 2^m answers are stored; beyond, every row is computed.
MOST_KEPT = 10


@allocating_kernel()
def add_shapley_values(
    X: np.ndarray, branches: Branches, fit: Fit, weights: np.ndarray, sums: Sums
) -> None:
    """Add the sums of all trees' Shapley values.

    Values as of :func:`losaw.fitted_trees.shapley.shapley_values`, with shares of hessians; X
    (n_rows, n_features) in single precision.
    """
    n_rows, n_features = X.shape
    largest = np.max(np.diff(branches.starts))
    passes = np.empty((largest, n_rows), dtype=np.bool_)
    of_tree = np.zeros((n_rows, n_features))
    is_used = np.zeros(n_features, dtype=np.bool_)
    for tree in range(len(branches.starts) - 1):
        start, end = branches.starts[tree], branches.starts[tree + 1]
        is_used[:] = False

        # Which rows would take the branch to a node, were they at its parent.
        for node in range(start, end):
            if branches.parent[node] >= 0:
                is_used[branches.feature[node]] = True
                column = X[:, branches.feature[node]]
                for row in range(n_rows):
                    goes_left = column[row] < branches.threshold[node]
                    if np.isnan(column[row]):
                        goes_left = branches.missing_is_left[node]
                    passes[node - start, row] = goes_left == branches.is_left[node]

        # The tree's values are the sums over its leaves.
        for node in range(start, end):
            if branches.is_leaf[node] and branches.parent[node] >= 0:
                _add_leaf(node, start, branches, passes, weights, of_tree)

        # They are added up with the residuals that the tree was fitted to, and forgotten.
        used = np.flatnonzero(is_used)
        for row in range(n_rows):
            margin = fit.margin[row]
            mean = 1 / (1 + np.exp(-margin)) if fit.logistic else margin
            residual = fit.y[row] - mean
            sums.residuals[row] += residual
            fit.margin[row] += branches.value[start + fit.leaves[tree, row]]
            for p in used:
                sums.inner[p] += residual * of_tree[row, p]
                sums.absolute[p] += abs(of_tree[row, p])
                sums.forest[row, p] += of_tree[row, p]
                if len(sums.rows) > 0:
                    sums.rows[row, p] += residual * of_tree[row, p]
                of_tree[row, p] = 0.0


@allocating_kernel()
def _add_leaf(
    leaf: int,
    start: int,
    branches: Branches,
    passes: np.ndarray,
    weights: np.ndarray,
    of_tree: np.ndarray,
) -> None:
    """Add the contributions of a leaf to all rows of ``of_tree`` (n_rows, n_features)."""
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
