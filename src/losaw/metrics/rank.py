"""At which place the signal features stand."""

import math

from losaw.data import Truth
from losaw.importance.result import ImportanceResult
from losaw.metrics.base import Needs, split_scores


class SignalRank:
    """Mean over the signal features of their rank, 1 + the number of features that score higher.

    With one signal feature this is its place (Zhou and Hooker, Table 1; ties share the better
    place, as in the authors' code). 1 is the best value of one signal feature, the number of
    features the worst.
    """

    range = (1.0, math.inf)
    higher_is_better = False
    needs: Needs = "importance"

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_rank", result, truth)
        return float(1 + (scores[None, :] > scores[is_signal][:, None]).sum(axis=1).mean())
