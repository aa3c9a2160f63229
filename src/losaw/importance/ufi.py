"""Unbiased split improvement, UFI (Zhou and Hooker 2021, Sections 4.1 and 4.2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.tree_means import mean_over_trees
from losaw.scoring.result import ImportanceResult, parameter_repr
from losaw.support.arguments import truth_value
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.over_trees import TreeNodes
from losaw.trees.view import view_forest


def ufi(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    in_bag: bool = True,
) -> ImportanceResult:
    """Split improvement measured with the rows that a tree has not seen.

    With w_m the share of the tree's in-bag rows in node m, y_m its in-bag mean, p_m its in-bag
    class shares, and y', p' the same of its out-of-bag rows,

        UFI_j = mean over trees of sum over splits m on j of D(m),
        D = Delta'(m)               for classification, H'(m) = 1 - sum_k p_mk p'_mk,
        D = Delta(m) + Delta'(m)    for regression, H'(m) = mean out-of-bag (y' - y_m)^2,
        Delta(m) = w_m H(m) - w_l H(l) - w_r H(r),

    Delta with the in-bag variance H, Delta' with H'. Its expectation is 0 for a feature that is
    independent of the response in every node (Theorems 2 and 4); it can be negative and is never
    normalised. Equations (6) to (9); the sum over classes extends the paper's binary case.

    A split counts only if both children contain out-of-bag rows: without them H' is not defined
    (authors' code; deep trees lose many splits to this).

    Parameters
    ----------
    model : estimator
        A fitted scikit-learn random forest with bootstrap, a losaw forest, or a Pipeline that
        ends with one: columns that it makes of one column of X are one feature.
    X : array or data frame of shape (n_samples, n_features)
        The training sample, rows in the order of the fit.
    y : array of shape (n_samples,)
    groups : dict of str to sequence of str, or None
        Group name -> columns, whose scores are summed: the dummies of one factor, for example.
    kinds, feature_names
        As in :func:`losaw.importance.cpi`.
    in_bag : bool, default True
        False: D = Delta'(m) in regression as well. That over-corrects (Section 4.2): a feature
        without influence gets a negative score.

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees: it shows how far more trees would move the score, and not how
        much the score would change in another sample.

    Raises
    ------
    ValueError
        If the forest has no bootstrap samples, was fitted on other rows, or with weights.
    TypeError
        If the model is not such a forest.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import ufi
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> y = X[:, 0] + rng.standard_normal(200)
    >>> ufi(RandomForestRegressor(20, random_state=0).fit(X, y), X, y).select(top=1)
    ('X1',)
    """
    forest = view_forest(model, X, y, groups, kinds, feature_names)
    in_bag = truth_value("in_bag", in_bag)
    rule = _regression if forest.task == "regression" and in_bag else _OUT_OF_BAG[forest.task]
    return mean_over_trees(parameter_repr("ufi", in_bag=in_bag), rule, forest)


def _classification(nodes: TreeNodes) -> FloatArray:
    agreement = (nodes.in_bag.mean * nodes.out_of_bag.mean).sum(axis=1)
    return _seen(nodes, nodes.decrease(1 - agreement))


def _regression(nodes: TreeNodes) -> FloatArray:
    centre = nodes.in_bag.mean
    both = nodes.in_bag.mean_square_distance(centre)
    both = both + nodes.out_of_bag.mean_square_distance(centre)
    return _seen(nodes, nodes.decrease(both))


def _test_error(nodes: TreeNodes) -> FloatArray:
    return _seen(nodes, nodes.decrease(nodes.out_of_bag.mean_square_distance(nodes.in_bag.mean)))


_OUT_OF_BAG = {"classification": _classification, "regression": _test_error}


def _seen(nodes: TreeNodes, values: FloatArray) -> FloatArray:
    """Return ``values``, with 0 for the splits that have a child without out-of-bag rows."""
    size, (left, right) = nodes.out_of_bag.size, nodes.children
    seen = (size[left] > 0) & (size[right] > 0)
    return np.where(seen, values, 0.0)
