"""Unbiased split improvement, UFI (Zhou and Hooker 2021, Sections 4.1 and 4.2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import view_forest
from losaw.fitted_trees.node_moments import Nodes, mean_over_trees
from losaw.importance.result import ImportanceResult


class UnbiasedFeatureImportance:
    """Split improvement measured with the rows that the tree has not seen.

    With w_m the share of the tree's in-bag rows in node m, y_m its in-bag mean, p_m its in-bag
    class shares, and y', p' the same of its out-of-bag rows,

        UFI_j = mean over trees of sum over splits m on j of D(m),
        D = Delta'(m)               for classification, H'(m) = 1 - sum_k p_mk p'_mk,
        D = Delta(m) + Delta'(m)    for regression, H'(m) = mean out-of-bag (y' - y_m)^2,
        Delta(m) = w_m H(m) - w_l H(l) - w_r H(r),

    Delta with the in-bag variance H, Delta' with H'. Its expectation is 0 for a feature that is
    independent of the response in every node (Theorems 2 and 4); it can be negative and is never
    normalised. Equations (6) to (9); the sum over classes extends the paper's binary case.

    A split counts only if both children hold out-of-bag rows: without them H' is not defined
    (authors' code; deep trees lose many splits to this).
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the forest ``model`` fitted on ``data.train``; ``rng`` is not used."""
        return ImportanceResult(ufi(model, *data.train).scores, data.feature_names)


def ufi(
    forest: Any, X: ArrayLike, y: ArrayLike, *, groups: Sequence[Any] | None = None
) -> ImportanceResult:
    """UFI of a fitted forest, see :class:`UnbiasedFeatureImportance`.

    Parameters
    ----------
    forest : estimator
        A fitted scikit-learn random forest with bootstrap, or a losaw forest.
    X : array or data frame of shape (n_samples, n_features)
        The training sample, rows in the order of the fit.
    y : array of shape (n_samples,)
    groups : sequence of length n_features or None
        The factor of every column: scores of equal entries (dummies of one factor) are summed.

    Raises
    ------
    ValueError, TypeError
        See :func:`losaw.fitted_trees.forest_view.view_forest`.
    """
    view, names = view_forest(forest, X, y, groups)
    rule = _classification if view.task == "classification" else _regression
    return ImportanceResult(mean_over_trees(view, rule), names)


def _classification(nodes: Nodes) -> FloatArray:
    agreement = (nodes.in_bag.mean * nodes.out_of_bag.mean).sum(axis=1)
    return _seen(nodes, nodes.decrease(1 - agreement))


def _regression(nodes: Nodes) -> FloatArray:
    centre = nodes.in_bag.mean
    both = nodes.in_bag.mean_square_distance(centre)
    both = both + nodes.out_of_bag.mean_square_distance(centre)
    return _seen(nodes, nodes.decrease(both))


def _seen(nodes: Nodes, values: FloatArray) -> FloatArray:
    """``values`` of the splits whose children hold out-of-bag rows, 0 of the others."""
    size, (left, right) = nodes.out_of_bag.size, nodes.children
    seen = (size[left] > 0) & (size[right] > 0)
    return np.where(seen, values, 0.0)
