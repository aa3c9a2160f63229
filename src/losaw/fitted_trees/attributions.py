"""Attributions of boosted trees, tree by tree, and the sums that scores are made of."""

import hashlib
import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.booster import (
    BoostedTrees,
    Branches,
    Fit,
    Sums,
    as_booster,
    check_columns,
    data_matrix,
    expected_values,
    missing_as_nan,
    numbers,
    read_booster,
)
from losaw.fitted_trees.shapley import PathsUp, add_leaf, subset_weights
from losaw.kernels.compiled import allocating_kernel, kernel
from losaw.support.words import unknown

if TYPE_CHECKING:
    from xgboost import Booster

ATTRIBUTIONS = ("predecomp", "saabas", "treeshap")


@dataclass(frozen=True)
class AttributionSums:
    """Sums over the rows i of a sample and the trees m, one number for each feature k.

    With r_mk(x) the attribution of tree m, f_[m-1] the margin before it and
    g_mi = y_i - mu(f_[m-1](x_i)) the residual (mu the identity or the logistic function):

    Attributes
    ----------
    inner : array of shape (n_features,)
        sum_m sum_i r_mk(x_i) g_mi / eta.
    forest_inner : array of shape (n_features,)
        sum_i (sum_m r_mk(x_i)) (sum_m g_mi) / eta.
    absolute : array of shape (n_features,)
        sum_m sum_i abs(r_mk(x_i)).
    forest : array of shape (n_samples, n_features)
        sum_m r_mk(x_i).
    inner_of_rows : array of shape (n_samples, n_features)
        sum_m r_mk(x_i) g_mi / eta, whose sum over rows is ``inner``; no rows where they were not
        asked for.
    """

    inner: FloatArray
    forest_inner: FloatArray
    absolute: FloatArray
    forest: FloatArray
    inner_of_rows: FloatArray


_kept: "weakref.WeakKeyDictionary[Booster, dict[Any, Any]]" = weakref.WeakKeyDictionary()


def attribution_sums(
    model: Any, X: ArrayLike, y: ArrayLike, attribution: str, of_rows: bool = False
) -> AttributionSums:
    """The sums of one attribution on one sample; stored as long as the booster lives.

    Parameters
    ----------
    model : Booster, XGBRegressor, XGBClassifier or XGBoostTrees
    X, y : arrays of shape (n_samples, n_features) and (n_samples,)
        Any sample; classes are 0 and 1.
    attribution : {"predecomp", "saabas", "treeshap"}
    of_rows : bool, default False
        Whether ``inner_of_rows`` is computed, which takes a tenth longer.

    Raises
    ------
    ValueError
        If the booster is not supported, X has other columns than in training or is not of
        numbers, shapes differ, or a class is not 0 or 1.
    """
    if attribution not in ATTRIBUTIONS:
        raise ValueError(unknown("attribution", attribution, ATTRIBUTIONS))
    booster = as_booster(model)
    _trees_of(booster)  # a booster that is not supported says so before its data are looked at
    known = missing_as_nan(model, X)
    rows, response = numbers("X", known), numbers("y", y)
    check_columns(booster, X)
    # Several scores are made of the same sums. Contents are compared, not identities.
    digest = hashlib.blake2b(rows.tobytes(), digest_size=16)
    digest.update(response.tobytes())
    digest.update(booster.save_raw())
    key = (attribution, of_rows, rows.shape, digest.digest())
    kept = _kept.setdefault(booster, {})
    if key not in kept:
        kept[key] = _attribution_sums(booster, known, response, attribution, of_rows)
    sums: AttributionSums = kept[key]
    return sums


def predecomp(model: Any, X: ArrayLike) -> tuple[FloatArray, float]:
    """Prediction decomposition of every row (TreeInner, Definition 1 and Equation (10)).

    With p_m(t) what node t of tree m would predict as a leaf,

        f_[M],k(x) = sum over trees m and splits t on k that x passes of p_m(child) - p_m(t).

    Parameters
    ----------
    model : Booster, XGBRegressor, XGBClassifier or XGBoostTrees
    X : array or data frame of shape (n_samples, n_features)

    Returns
    -------
    attributions : array of shape (n_samples, n_features)
        ``f_[M],k`` of every row.
    bias : float
        Base margin plus the roots' predictions: attributions and bias sum to the margin
        (Proposition 1).

    Examples
    --------
    >>> import numpy as np
    >>> import xgboost
    >>> from losaw.importance import predecomp
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> model = xgboost.XGBRegressor(n_estimators=5).fit(X, X[:, 0])
    >>> attributions, bias = predecomp(model, X)
    >>> bool(np.allclose(attributions.sum(axis=1) + bias, model.predict(X), atol=1e-5))
    True
    """
    return _along_paths(model, X, "predecomp")


def saabas(model: Any, X: ArrayLike) -> tuple[FloatArray, float]:
    """PreDecomp with p~_m(t), the expected output below a node, in place of p_m(t) (Equation (8)).

    What xgboost returns as ``pred_contribs`` with ``approx_contribs``. Without an L2 penalty, or
    with many rows, it is PreDecomp; with few rows its bias changes with the splits that a tree
    happens to take, while PreDecomp's does not (Section 6 and Table 3).

    Parameters
    ----------
    model, X
        As of :func:`predecomp`.

    Returns
    -------
    attributions : array of shape (n_samples, n_features)
    bias : float
        Base margin plus the trees' expected outputs: both sum to the margin.

    Examples
    --------
    >>> import numpy as np
    >>> import xgboost
    >>> from losaw.importance import saabas
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> model = xgboost.XGBRegressor(n_estimators=5).fit(X, X[:, 0])
    >>> attributions, bias = saabas(model, X)
    >>> bool(np.isclose(bias, model.predict(X).mean(), atol=1e-5))
    True
    """
    return _along_paths(model, X, "saabas")


def _along_paths(model: Any, X: ArrayLike, attribution: str) -> tuple[FloatArray, float]:
    booster = as_booster(model)
    trees = _with_values(_trees_of(booster), attribution)
    check_columns(booster, X)
    rows = _leaves(booster, missing_as_nan(model, X))
    sums = _sums(trees, rows, np.zeros(len(rows)))
    return sums.forest, float(trees.base_margin + trees.roots.sum())


def _with_values(trees: BoostedTrees, attribution: str) -> BoostedTrees:
    """The trees with the inner nodes' values that an attribution goes by."""
    if attribution != "saabas":
        return trees
    branches = trees.branches
    return replace(trees, branches=branches._replace(value=expected_values(branches)))


def _trees_of(booster: "Booster") -> BoostedTrees:
    kept = _kept.setdefault(booster, {})
    key = hashlib.blake2b(booster.save_raw()).digest()  # load_model changes a booster in place
    if key not in kept:
        kept[key] = read_booster(booster)
    trees: BoostedTrees = kept[key]
    return trees


def _attribution_sums(
    booster: "Booster", X: ArrayLike, y: FloatArray, attribution: str, of_rows: bool
) -> AttributionSums:
    trees = _with_values(_trees_of(booster), attribution)
    leaves = _leaves(booster, X)
    if y.shape != (len(leaves),):
        raise ValueError(f"y has shape {y.shape}, expected ({len(leaves)},): one per row of X")
    if not np.isfinite(y).all():
        raise ValueError("y must hold finite numbers")
    if trees.objective == "binary:logistic" and not np.isin(y, (0, 1)).all():
        raise ValueError(f"y must hold the classes 0 and 1, got {np.unique(y)[:5]}")
    return _sums(trees, leaves, y, X if attribution == "treeshap" else None, of_rows)


def _leaves(booster: "Booster", X: ArrayLike) -> NDArray[np.int32]:
    leaves = booster.predict(data_matrix(booster, X), pred_leaf=True)
    return np.ascontiguousarray(leaves.reshape(len(leaves), -1), dtype=np.int32)


def _sums(
    trees: BoostedTrees,
    leaves: NDArray[np.int32],
    y: FloatArray,
    X: ArrayLike | None = None,
    of_rows: bool = False,
) -> AttributionSums:
    """The sums along the paths of the rows, or with the rows ``X`` those of TreeSHAP."""
    inner, absolute = np.zeros(trees.n_features), np.zeros(trees.n_features)
    forest, residuals = np.zeros((len(y), trees.n_features)), np.zeros(len(y))
    branches = trees.branches
    fit = Fit(
        np.ascontiguousarray(leaves.T),
        y,
        np.full(len(y), trees.base_margin),
        trees.objective == "binary:logistic",
    )
    rows_of_inner = np.zeros((len(y) if of_rows else 0, trees.n_features))
    sums = Sums(inner, absolute, forest, residuals, rows_of_inner)
    if X is None:
        of_leaf = np.zeros((2, int(np.diff(branches.starts).max())))
        add_trees(branches, fit, of_leaf, np.zeros(trees.n_features), sums)
    else:
        rows = np.ascontiguousarray(X, dtype=np.float32)
        add_shapley_values(rows, branches, fit, subset_weights(trees.n_features), sums)
    return AttributionSums(
        inner / trees.eta,
        residuals @ forest / trees.eta,
        absolute,
        forest,
        rows_of_inner / trees.eta,
    )


@kernel()
def add_trees(
    branches: Branches, fit: Fit, of_leaf: np.ndarray, of_feature: np.ndarray, sums: Sums
) -> None:
    """Add the sums of all trees' prediction decompositions.

    ``of_leaf`` (2, largest tree) and ``of_feature`` (n_features,) are zeros to work in: rows and
    residuals of every leaf, and the attribution of every feature along one path.
    """
    parent, feature, value = branches.parent, branches.feature, branches.value
    of_rows = len(sums.rows) > 0
    for tree in range(len(branches.starts) - 1):
        start = branches.starts[tree]

        # Every row: the residual that the tree was fitted to, and the values along its path.
        for row in range(len(fit.y)):
            leaf = fit.leaves[tree, row]
            margin = fit.margin[row]
            mean = 1 / (1 + np.exp(-margin)) if fit.logistic else margin
            residual = fit.y[row] - mean
            sums.residuals[row] += residual
            fit.margin[row] += value[start + leaf]
            of_leaf[0, leaf] += 1
            of_leaf[1, leaf] += residual
            node = leaf
            while parent[start + node] >= 0:
                up = parent[start + node]
                step = value[start + node] - value[start + up]
                sums.forest[row, feature[start + node]] += step
                if of_rows:
                    sums.rows[row, feature[start + node]] += residual * step
                node = up

        # Rows of one leaf have one attribution, so that its product with their residuals is that
        # with their sum.
        for leaf in range(branches.starts[tree + 1] - start):
            if of_leaf[0, leaf] == 0:
                continue
            node = leaf
            while parent[start + node] >= 0:
                up = parent[start + node]
                of_feature[feature[start + node]] += value[start + node] - value[start + up]
                node = up
            node = leaf
            while parent[start + node] >= 0:
                split = feature[start + node]
                sums.inner[split] += of_leaf[1, leaf] * of_feature[split]
                sums.absolute[split] += of_leaf[0, leaf] * abs(of_feature[split])
                of_feature[split] = 0.0
                node = parent[start + node]
            of_leaf[0, leaf] = 0
            of_leaf[1, leaf] = 0


@allocating_kernel()
def add_shapley_values(
    X: np.ndarray, branches: Branches, fit: Fit, weights: np.ndarray, sums: Sums
) -> None:
    """Add the sums of all trees' Shapley values.

    Values as of :func:`losaw.fitted_trees.shapley.shapley_values`, with shares of hessians; X
    (n_rows, n_features) in single precision.
    """
    n_rows, n_features = X.shape
    paths = PathsUp(branches.parent, branches.feature, branches.share, branches.value)
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
                add_leaf(node, start, paths, passes, weights, of_tree)

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
