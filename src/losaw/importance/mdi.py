"""Mean decrease in impurity, as the fitted forest reports it, and without its normalisation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.tree_means import mean_over_trees, result_of_trees
from losaw.scoring.result import ImportanceResult
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.flat import random_forests
from losaw.trees.over_trees import TreeNodes
from losaw.trees.view import forest_rows, view_forest


def mdi(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ImportanceResult:
    """The forest's own ``feature_importances_``.

    For a tree with inner nodes k, split features p_k, in-bag sizes N_k and impurity decreases
    Delta_k,

        FI_p = sum_k 1(p_k = p) N_k Delta_k / sum_k N_k Delta_k,

    averaged over the trees (Breiman et al. 1984). For losawRF, Delta_k is the weighted relative
    impurity decrease times the node's unweighted mean squared error (losaw, Definition 4.6).
    Columns that a Pipeline makes of one column of X are one feature; their scores are summed.

    Parameters
    ----------
    model : fitted forest of trees, or a Pipeline that ends with one
    X, y, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`. Nothing is computed from the values of X and y.

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees, if each tree has importances of its own. ``method`` names what a
        booster reports instead: its ``importance_type``, as "gain".

    Raises
    ------
    TypeError
        If the model reports no ``feature_importances_``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import mdi
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> mdi(RandomForestRegressor(20, random_state=0).fit(X, X[:, 0]), X, X[:, 0]).select(top=1)
    ('X1',)
    """
    sample = forest_rows(model, X, y, groups, kinds, feature_names)
    reported = getattr(sample.forest, "feature_importances_", None)
    if reported is None:
        raise TypeError(f"{type(sample.forest).__name__} has no feature_importances_")
    if getattr(sample.forest, "booster", None) == "gblinear":
        raise TypeError("the model is linear (booster='gblinear'): it has no trees")
    trees = sample.forest.estimators_ if isinstance(sample.forest, random_forests()) else ()
    # What a forest reports is the mean over its trees that have a split.
    by_tree = [tree.feature_importances_ for tree in trees if tree.tree_.node_count > 1]
    of_trees = np.stack([sample.summed(decreases) for decreases in by_tree or [reported]])
    # Boosters report what their importance_type says, and gain if it is None.
    kind = getattr(sample.forest, "importance_type", "")
    shown = "mdi()" if kind == "" else f"mdi(importance_type={kind or 'gain'!r})"
    return result_of_trees(shown, of_trees, sample, sample.summed(reported))


def split_improvement(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ImportanceResult:
    """Decrease of the in-bag impurity, summed over the splits on a feature,

        SI_j = mean over trees of sum over splits m on j of w_m H(m) - w_l H(l) - w_r H(r),

    with w the share of the tree's in-bag rows and H their variance or Gini index (Breiman et al.
    1984; Zhou and Hooker 2021, Equations (3) to (5)). In units of the response's variance;
    scikit-learn's ``feature_importances_`` is the same with every tree scaled to sum 1.

    Parameters
    ----------
    model, X, y, groups, kinds, feature_names
        As of :func:`losaw.importance.ufi`, with its errors: the forest and its training sample.

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import split_improvement
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0])
    >>> split_improvement(forest, X, X[:, 0]).select(top=1)
    ('X1',)
    """
    forest = view_forest(model, X, y, groups, kinds, feature_names)
    return mean_over_trees("split_improvement()", _decrease, forest)


def _decrease(nodes: TreeNodes) -> FloatArray:
    return nodes.decrease(nodes.in_bag.mean_square_distance(nodes.in_bag.mean))
