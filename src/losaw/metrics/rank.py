"""The mean rank of the signal features."""

import math

from losaw.data import Truth
from losaw.metrics.base import Needs, split_scores
from losaw.scoring.result import ImportanceResult
from losaw.support.words import unknown

TIES = ("better", "mean")


class SignalRank:
    """The mean rank of the signal features; a rank is 1 + the number of features that score higher.

    With a single signal feature this is its rank (Zhou and Hooker, Table 1; ties share the better
    rank, as in the authors' code). 1 is the best value of a single signal feature, the number of
    features the worst.

    Parameters
    ----------
    ties : {"better", "mean"}, default "better"
        The place that equal scores share: that of the first of them, or their mean place.

    Raises
    ------
    ValueError
        For an unknown way to share.
    """

    range = (1.0, math.inf)
    higher_is_better = False
    needs: Needs = "importance"

    def __init__(self, ties: str = "better") -> None:
        if ties not in TIES:
            raise ValueError(unknown("ties", ties, TIES))
        self.ties = ties

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_rank", result, truth)
        own = scores[is_signal][:, None]
        ranks = 1 + (scores > own).sum(axis=1)
        if self.ties == "mean":
            ranks = ranks + ((scores == own).sum(axis=1) - 1) / 2
        return float(ranks.mean())
