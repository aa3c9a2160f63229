"""Split improvement: the mean decrease in impurity as it is, not normalised."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import view_forest
from losaw.fitted_trees.node_moments import Nodes, mean_over_trees
from losaw.importance.result import ImportanceResult


class SplitImprovement:
    """Decrease of the in-bag impurity, summed over the splits on a feature,

        SI_j = mean over trees of sum over splits m on j of w_m H(m) - w_l H(l) - w_r H(r),

    with w the share of the tree's in-bag rows and H their variance or Gini index (Breiman et al.
    1984; Zhou and Hooker 2021, Equations (3) to (5)). In units of the response's variance;
    scikit-learn's ``feature_importances_`` is the same with every tree scaled to sum 1.
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the forest ``model`` fitted on ``data.train``; ``rng`` is not used."""
        scores = split_improvement(model, *data.train).scores
        return ImportanceResult(scores, data.feature_names)


def split_improvement(
    forest: Any, X: ArrayLike, y: ArrayLike, *, groups: Sequence[Any] | None = None
) -> ImportanceResult:
    """Split improvement of a fitted forest; parameters as of :func:`losaw.importance.ufi`."""
    view, names = view_forest(forest, X, y, groups)
    return ImportanceResult(mean_over_trees(view, _decrease), names)


def _decrease(nodes: Nodes) -> FloatArray:
    return nodes.decrease(nodes.in_bag.mean_square_distance(nodes.in_bag.mean))
