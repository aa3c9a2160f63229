"""The scores that a fitted learner reports of itself."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from losaw.scoring.importance_result import ImportanceResult


def reported(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """The ``feature_importances_`` of any fitted learner, unchanged.

    The learner decides what they estimate: for the learners in R, the corrected impurity of ranger
    and the permutation importance of cforest.

    Parameters
    ----------
    model : fitted learner
    feature_names : sequence of str

    Returns
    -------
    ImportanceResult

    Raises
    ------
    TypeError
        If the learner reports none.
    """
    scores = getattr(model, "feature_importances_", None)
    if scores is None:
        raise TypeError(f"{type(model).__name__} has no feature_importances_ to report")
    return ImportanceResult(np.array(scores, dtype=float), tuple(feature_names))
