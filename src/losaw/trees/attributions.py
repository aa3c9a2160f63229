"""Attributions of boosted trees, tree by tree, and the sums that scores are made of."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import one_of
from losaw.support.outcomes import finite_numbers, one_column
from losaw.trees.booster import BoostedTrees, booster_and_rows, read_booster

if TYPE_CHECKING:
    from xgboost import Booster, DMatrix

ATTRIBUTIONS = ("predecomp", "saabas", "treeshap")


@dataclass(frozen=True)
class AttributionSums:
    """The sums of attributions, over rows and trees, that scores of a booster are made of.

    For row i, tree m and feature k, with r_mk(x) the attribution of tree m, f_[m-1] the margin
    before it and g_mi = y_i - mu(f_[m-1](x_i)) the residual (mu the identity or the logistic
    function).
    """

    inner_of_rows: FloatArray  # (n_samples, n_features), sum_m r_mk(x_i) g_mi / eta
    forest_inner: FloatArray  # (n_features,), sum_i (sum_m r_mk(x_i)) (sum_m g_mi) / eta
    absolute: FloatArray  # (n_features,), sum_m sum_i abs(r_mk(x_i))
    forest: FloatArray  # (n_samples, n_features), sum_m r_mk(x_i)

    @property
    def inner(self) -> FloatArray:
        """sum_m sum_i r_mk(x_i) g_mi / eta, (n_features,)."""
        total: FloatArray = self.inner_of_rows.sum(axis=0)
        return total


_SHARED: ContextVar[dict[bytes, AttributionSums] | None] = ContextVar("_SHARED", default=None)


@contextmanager
def shared_sums() -> Iterator[None]:
    """Compute sums of the same contents once within the block, and keep none behind it.

    For studies, in which four scores of a booster are made of the same sums: TreeSHAP takes
    seconds.
    """
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def attribution_sums(model: Any, X: ArrayLike, y: ArrayLike, attribution: str) -> AttributionSums:
    """The sums of one attribution on any sample, of classes 0 and 1."""
    one_of("attribution", attribution, ATTRIBUTIONS)
    booster, matrix = booster_and_rows(model, X)
    if callable(objective := getattr(model, "objective", None)):
        raise ValueError(
            f"the model was fitted to an objective of its own ({getattr(objective, '__name__', '')}"
            "); give one that xgboost names: reg:squarederror or binary:logistic"
        )
    response = finite_numbers(one_column(y))
    if response.shape != (matrix.num_row(),):
        raise ValueError(
            f"y has shape {response.shape}, expected ({matrix.num_row()},): one per row of X"
        )
    known = _SHARED.get()
    if known is None:
        return _sums(booster, matrix, response, attribution)
    rows = matrix.get_data()
    digest = hashlib.blake2b(f"{attribution} {rows.shape} {booster.save_config()}".encode())
    for array in (rows.indptr, rows.indices, rows.data, response):
        digest.update(array.tobytes())
    digest.update(booster.save_raw())
    key = digest.digest()
    if key not in known:
        known[key] = _sums(booster, matrix, response, attribution)
    return known[key]


def _sums(
    booster: "Booster", matrix: "DMatrix", response: FloatArray, attribution: str
) -> AttributionSums:
    trees = read_booster(booster, residuals=True)
    if trees.objective == "binary:logistic" and not np.isin(response, (0, 1)).all():
        raise ValueError(f"y must hold the classes 0 and 1, got {np.unique(response)[:5]}")
    leaves = _leaves(booster, matrix, trees)
    shape = (len(response), trees.n_features)
    inner, forest, absolute = np.zeros(shape), np.zeros(shape), np.zeros(trees.n_features)
    residuals, margin = np.zeros(len(response)), np.full(len(response), trees.base_margin)
    for number, leaves_of_tree in enumerate(leaves):
        if attribution == "predecomp":
            of_tree = _along_paths(trees, leaves_of_tree)
        else:
            of_tree = _contributions(booster[number : number + 1], matrix, attribution)[:, :-1]
        residual = response - trees.means(margin)
        inner += residual[:, None] * of_tree
        forest += of_tree
        absolute += np.abs(of_tree).sum(axis=0)
        residuals += residual
        margin += trees.value[leaves_of_tree]
    return AttributionSums(inner / trees.eta, residuals @ forest / trees.eta, absolute, forest)


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
    booster, matrix = booster_and_rows(model, X)
    trees = read_booster(booster)
    leaves = _leaves(booster, matrix, trees)
    attributions = np.zeros((leaves.shape[1], trees.n_features))
    for leaves_of_tree in leaves:
        attributions += _along_paths(trees, leaves_of_tree)
    return attributions, float(trees.base_margin + trees.value[trees.starts[:-1]].sum())


def saabas(model: Any, X: ArrayLike) -> tuple[FloatArray, float]:
    """PreDecomp with p~_m(t), the expected output below a node, in place of p_m(t),

        p~_m(t) = sum over leaves l below t of H_l p_m(l) / H_t

    (Equation (8), which counts rows, as H does for squared error), with H the sum of the training
    rows' Hessians: xgboost's ``pred_contribs`` with ``approx_contribs``. Without an L2 penalty, or
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
    booster, matrix = booster_and_rows(model, X)
    read_booster(booster)
    contributions = _contributions(booster, matrix, "saabas")
    return contributions[:, :-1], float(contributions[0, -1])


def _leaves(booster: "Booster", matrix: "DMatrix", trees: BoostedTrees) -> NDArray[np.intp]:
    """The leaves (n_trees, n_rows) of rows, as numbers among all nodes."""
    leaves = booster.predict(matrix, pred_leaf=True)
    of_trees = leaves.reshape(len(leaves), -1).T.astype(np.intp)
    return of_trees + trees.starts[:-1, None]


def _along_paths(trees: BoostedTrees, leaves: NDArray[np.intp]) -> FloatArray:
    """PreDecomp (n_rows, n_features) of one tree, each row's path walked up from its leaf."""
    attributions = np.zeros((len(leaves), trees.n_features))
    rows, nodes = np.arange(len(leaves)), leaves
    while len(rows):
        is_below = trees.parent[nodes] >= 0
        rows, nodes = rows[is_below], nodes[is_below]
        above = trees.parent[nodes]
        attributions[rows, trees.feature[nodes]] += trees.value[nodes] - trees.value[above]
        nodes = above
    return attributions


def _contributions(booster: "Booster", matrix: "DMatrix", attribution: str) -> FloatArray:
    """xgboost's own attributions (n_rows, n_features + 1), the bias last."""
    contributions = booster.predict(
        matrix, pred_contribs=True, approx_contribs=attribution == "saabas"
    )
    return np.asarray(contributions, dtype=float)
