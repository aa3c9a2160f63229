"""MDI-oob, the debiased mean decrease in impurity of Li, Wang, Basu, Kumbier and Yu (2019)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import view_forest
from losaw.fitted_trees.node_moments import Nodes
from losaw.importance.described import Described
from losaw.importance.explained import of_dataset
from losaw.importance.over_trees import mean_over_trees, scores_only
from losaw.importance.result import ImportanceResult
from losaw.tables.groups import Groups
from losaw.tables.kinds import Kinds


class OutOfBagMdi(Described):
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
        return scores_only(mdi_oob(model, *data.train, **of_dataset(model, data)))


def mdi_oob(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ImportanceResult:
    """MDI-oob of a fitted forest; everything else as of :func:`losaw.importance.ufi`."""
    return mean_over_trees(
        "mdi_oob()",
        lambda task: _contribution,
        view_forest(model, X, y, groups, kinds, feature_names),
        features,
    )


def _contribution(nodes: Nodes) -> FloatArray:
    product = (nodes.in_bag.mean * nodes.out_of_bag.total).sum(axis=1)
    left, right = nodes.children
    gained = product[left] + product[right] - product[nodes.splits]
    return gained / max(nodes.out_of_bag.size[0], 1.0)
