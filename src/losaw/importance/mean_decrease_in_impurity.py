"""Mean decrease in impurity, as the fitted forest reports it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.over_trees import result_of_trees
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.forests import random_forests
from losaw.trees.view import ForestRows, forest_rows


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
        ``std_error`` over trees, if each tree has importances of its own.

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
    trees = sample.forest.estimators_ if isinstance(sample.forest, random_forests()) else ()
    # What a forest reports is the mean over its trees that have a split.
    own = [tree.feature_importances_ for tree in trees if tree.tree_.node_count > 1] or [reported]
    of_trees = np.stack([_summed(sample, decreases) for decreases in own])
    scores = _summed(sample, reported)
    return result_of_trees("mdi()", of_trees, sample, scores)


def _summed(sample: ForestRows, scores: FloatArray) -> FloatArray:
    """Scores of columns, summed by feature."""
    sums = np.bincount(sample.unit_of_column, scores, minlength=len(sample.names))
    return sums.astype(float)
