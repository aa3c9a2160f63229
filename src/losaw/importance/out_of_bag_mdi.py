"""MDI-oob, the debiased mean decrease in impurity of Li, Wang, Basu, Kumbier and Yu (2019)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import view_forest
from losaw.fitted_trees.node_moments import Nodes, mean_over_trees
from losaw.importance.result import ImportanceResult


class OutOfBagMdi:
    """Inner product of a feature's contributions with the response, on out-of-bag rows.

    With mu_m the in-bag mean (or class shares) of node m, and

        f_j(x) = sum over splits m on j of mu_child(x) - mu_m   over the nodes m that x passes,
        MDI-oob_j = mean over trees of mean over out-of-bag rows of f_j(x_i) · y_i.

    On the in-bag rows the same expression is the split improvement (their Proposition 1).
    The response is centred by its training mean, which changes nothing in bag, where the
    contributions of a split sum to 0.
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the forest ``model`` fitted on ``data.train``; ``rng`` is not used."""
        return ImportanceResult(mdi_oob(model, *data.train).scores, data.feature_names)


def mdi_oob(
    forest: Any, X: ArrayLike, y: ArrayLike, *, groups: Sequence[Any] | None = None
) -> ImportanceResult:
    """MDI-oob of a fitted forest; parameters as of :func:`losaw.importance.ufi`."""
    view, names = view_forest(forest, X, y, groups)
    return ImportanceResult(mean_over_trees(view, _contribution), names)


def _contribution(nodes: Nodes) -> FloatArray:
    product = (nodes.in_bag.mean * nodes.out_of_bag.total).sum(axis=1)
    left, right = nodes.children
    gained = product[left] + product[right] - product[nodes.splits]
    return gained / max(nodes.out_of_bag.size[0], 1.0)
