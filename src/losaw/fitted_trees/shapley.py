"""Path-dependent Shapley values of trees (Lundberg et al. 2020), leaf by leaf."""

from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.fitted_trees.forest_arrays import forest_arrays
from losaw.trends.inputs import checked

compiled = partial(njit, cache=True, nogil=True, error_model="numpy")


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
    rows, _, _ = checked(X, None, min_rows=1)
    if rows.shape[1] != forest.n_features:
        raise ValueError(
            f"X has {rows.shape[1]} features, the model was fitted to {forest.n_features}"
        )
    if forest.single_precision:
        rows = rows.astype(np.float32).astype(float)
    values = np.zeros(rows.shape)
    _add_trees(
        np.ascontiguousarray(rows),
        forest.feature,
        forest.threshold,
        forest.left,
        forest.right,
        forest.value,
        forest.n_samples,
        forest.roots,
        subset_weights(forest.n_features),
        values,
    )
    return values / forest.n_trees


def subset_weights(size: int) -> FloatArray:
    """Entry [m, s] = s! (m - s - 1)! / m!, the Shapley weight of s of m players' coalitions."""
    weights = np.zeros((size + 1, size + 1))
    for m in range(1, size + 1):
        weights[m, 0] = 1.0 / m
        for s in range(1, m):
            weights[m, s] = weights[m, s - 1] * s / (m - s)
    return weights


@compiled()
def _add_trees(
    X: np.ndarray,
    feature: np.ndarray,
    threshold: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    value: np.ndarray,
    n_samples: np.ndarray,
    roots: np.ndarray,
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add every leaf of every tree to ``out`` (n_rows, n_features)."""
    n_features = X.shape[1]
    parent = np.full(len(feature), -1)
    slot = np.full(n_features, -1)
    players = np.empty(n_features, dtype=np.int64)
    low, high, share = np.empty(n_features), np.empty(n_features), np.empty(n_features)
    passes = np.empty(n_features, dtype=np.bool_)
    polynomial, quotient = np.empty(n_features + 1), np.empty(n_features + 1)
    found = np.empty(n_features)
    for node in range(len(feature)):
        if feature[node] >= 0:
            parent[left[node]] = node
            parent[right[node]] = node
    for leaf in range(len(feature)):
        if feature[leaf] >= 0:
            continue
        size = 0
        child = leaf
        node = parent[leaf]
        while node >= 0:
            p = feature[node]
            if slot[p] < 0:
                slot[p] = size
                players[size] = p
                low[size], high[size], share[size] = -np.inf, np.inf, 1.0
                size += 1
            k = slot[p]
            if child == left[node]:
                high[k] = min(high[k], threshold[node])
            else:
                low[k] = max(low[k], threshold[node])
            share[k] *= n_samples[child] / n_samples[node]
            child = node
            node = parent[node]
        for k in range(size):
            slot[players[k]] = -1
        if size == 0:
            continue
        _add_leaf(
            X,
            value[leaf],
            size,
            players,
            low,
            high,
            share,
            weights[size],
            passes,
            polynomial,
            quotient,
            found,
            out,
        )


@compiled()
def _add_leaf(
    X: np.ndarray,
    value: float,
    size: int,
    players: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    share: np.ndarray,
    weights: np.ndarray,
    passes: np.ndarray,
    polynomial: np.ndarray,
    quotient: np.ndarray,
    found: np.ndarray,
    out: np.ndarray,
) -> None:
    """One leaf's contribution to every row."""
    for row in range(X.shape[0]):
        for k in range(size):
            passes[k] = low[k] < X[row, players[k]] <= high[k]
        leaf_values(value, size, passes, share, weights, polynomial, quotient, found)
        for k in range(size):
            out[row, players[k]] += found[k]


@compiled()
def leaf_values(
    value: float,
    size: int,
    passes: np.ndarray,
    share: np.ndarray,
    weights: np.ndarray,
    polynomial: np.ndarray,
    quotient: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write a leaf's contribution to each of the ``size`` features of its path to ``found``.

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
            found[k] = -absent
            continue
        quotient[degree] = 0.0
        total = 0.0
        for s in range(degree - 1, -1, -1):
            quotient[s] = polynomial[s + 1] - share[k] * quotient[s + 1]
            total += weights[s] * quotient[s]
        found[k] = (1.0 - share[k]) * total
