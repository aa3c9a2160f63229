"""Mean decrease in impurity, as the fitted forest reports it."""

from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.importance.result import ImportanceResult


class MeanDecreaseInImpurity:
    """The forest's own ``feature_importances_``.

    For a tree with inner nodes k, split features p_k, in-bag sizes N_k and impurity decreases
    Delta_k,

        FI_p = sum_k 1(p_k = p) N_k Delta_k / sum_k N_k Delta_k,

    averaged over the trees (Breiman et al. 1984). For losawRF, Delta_k is the weighted relative
    impurity decrease times the node's unweighted mean squared error (losaw, Definition 4.6).
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Read the scores off the fitted ``model``; ``rng`` is not used."""
        return ImportanceResult(np.array(model.feature_importances_), data.feature_names)
