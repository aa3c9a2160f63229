"""TreeSHAP of every tree of a booster (Lundberg et al. 2020), as sums over its trees and rows."""

import numpy as np

from losaw.fitted_trees.shapley import compiled, leaf_values

# A leaf whose path tests m features treats all rows that pass the same of them alike. Up to this
# m its 2^m answers are kept; beyond, every row is computed.
MOST_KEPT = 10


@compiled()
def add_shapley_values(
    X: np.ndarray,
    parent: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    is_left: np.ndarray,
    missing_is_left: np.ndarray,
    share: np.ndarray,
    value: np.ndarray,
    is_leaf: np.ndarray,
    starts: np.ndarray,
    leaves: np.ndarray,
    y: np.ndarray,
    margin: np.ndarray,
    logistic: bool,
    weights: np.ndarray,
    inner: np.ndarray,
    absolute: np.ndarray,
    forest: np.ndarray,
    residuals: np.ndarray,
) -> None:
    """Add all trees' sums to ``inner``, ``absolute``, ``forest`` and ``residuals``.

    Shapley values as of :func:`losaw.fitted_trees.shapley.shapley_values`, with shares of hessians;
    trees as of :class:`losaw.fitted_trees.booster.BoostedTrees`, ``leaves`` (n_trees, n_rows).
    """
    n_rows, n_features = X.shape
    largest = np.max(np.diff(starts))
    passes = np.empty((largest, n_rows), dtype=np.bool_)
    one = np.zeros((n_rows, n_features))
    is_used = np.zeros(n_features, dtype=np.bool_)
    for tree in range(len(starts) - 1):
        start, end = starts[tree], starts[tree + 1]
        is_used[:] = False
        for node in range(start, end):
            if parent[node] >= 0:
                is_used[feature[node]] = True
                column = X[:, feature[node]]
                for row in range(n_rows):
                    goes_left = column[row] < threshold[node]
                    if np.isnan(column[row]):
                        goes_left = missing_is_left[node]
                    passes[node - start, row] = goes_left == is_left[node]
        for node in range(start, end):
            if is_leaf[node] and parent[node] >= 0:
                _add_leaf(node, start, parent, feature, share, value[node], passes, weights, one)
        used = np.flatnonzero(is_used)
        for row in range(n_rows):
            mean = 1 / (1 + np.exp(-margin[row])) if logistic else margin[row]
            residual = y[row] - mean
            residuals[row] += residual
            margin[row] += value[start + leaves[tree, row]]
            for p in used:
                inner[p] += residual * one[row, p]
                absolute[p] += abs(one[row, p])
                forest[row, p] += one[row, p]
                one[row, p] = 0.0


@compiled()
def _add_leaf(
    leaf: int,
    start: int,
    parent: np.ndarray,
    feature: np.ndarray,
    share: np.ndarray,
    value: float,
    passes: np.ndarray,
    weights: np.ndarray,
    one: np.ndarray,
) -> None:
    """Add the contributions of the leaf ``leaf`` to all rows of ``one`` (n_rows, n_features)."""
    n_rows, n_features = one.shape
    slot = np.full(n_features, -1)
    players = np.empty(n_features, dtype=np.int64)
    z = np.empty(n_features)
    size = 0
    node = leaf
    while parent[node] >= 0:
        p = feature[node]
        if slot[p] < 0:
            slot[p] = size
            players[size] = p
            z[size] = 1.0
            size += 1
        z[slot[p]] *= share[node]
        node = start + parent[node]
    passed = np.ones((n_rows, size), dtype=np.bool_)
    node = leaf
    while parent[node] >= 0:
        k = slot[feature[node]]
        for row in range(n_rows):
            passed[row, k] &= passes[node - start, row]
        node = start + parent[node]
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
                value, size, passed[row], z, weights[size], polynomial, quotient, kept[code]
            )
            is_kept[code] = True
        for k in range(size):
            one[row, players[k]] += kept[code, k]
