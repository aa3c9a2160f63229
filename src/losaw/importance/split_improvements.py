"""Split improvement: the mean decrease in impurity without normalisation."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.over_trees import TreeNodes, mean_over_trees
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.view import view_forest


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
