"""The scores that a fitted learner reports of itself."""

from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult


class ReportedImportance(Described):
    """``feature_importances_`` of any fitted learner, as it is.

    What it estimates is the learner's business: for the R peers, ranger's corrected impurity and
    cforest's permutation importance.

    Raises
    ------
    TypeError
        If the learner reports none.
    """

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Read the scores off the fitted ``model``; ``rng`` is not used."""
        scores = getattr(model, "feature_importances_", None)
        if scores is None:
            raise TypeError(f"{type(model).__name__} has no feature_importances_ to report")
        return ImportanceResult(np.array(scores, dtype=float), data.feature_names)
