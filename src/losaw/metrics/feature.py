"""Score and rank of a single feature, for tables of importances feature by feature."""

import math

from losaw.data import Truth
from losaw.metrics.metric import OfImportance
from losaw.scoring.importance_result import ImportanceResult
from losaw.support.words import unknown


class FeatureScore(OfImportance):
    """The score that an importance gives to a single feature.

    It describes and does not judge: of two methods, that with the larger score is not better.

    Parameters
    ----------
    feature : str
        Name of the feature.
    share : bool, default False
        Divide by the sum of the absolute scores of all features.
    optional : bool, default False
        NaN, and so an empty cell, for data without this feature, instead of an error.

    Raises
    ------
    ValueError
        When called, if there is no such feature and ``optional`` is False.
    """

    examples = ({"feature": "X2"}, {"feature": "X2", "share": True})
    range = (-math.inf, math.inf)
    ranks_methods = False

    def __init__(self, feature: str, share: bool = False, optional: bool = False) -> None:
        self.feature = feature
        self.share = share
        self.optional = optional

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        if self.feature not in result.feature_names:
            if self.optional:
                return math.nan
            raise ValueError(unknown("feature", self.feature, result.feature_names))
        scores = result.ranking_scores()
        total = float(abs(scores).sum()) if self.share else 1.0
        score = float(scores[result.feature_names.index(self.feature)])
        return score / total if total > 0 else 0.0


class FeatureRank(OfImportance):
    """The rank of a feature, 1 + the number of features that score higher; ties share the better.

    It describes and does not judge: the relevant features need not be known.

    Parameters
    ----------
    feature : str
        Name of the feature.

    Raises
    ------
    ValueError
        When called, if there is no such feature.
    """

    examples = ({"feature": "X2"},)
    range = (1.0, math.inf)
    higher_is_better = False
    ranks_methods = False

    def __init__(self, feature: str) -> None:
        self.feature = feature

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        if self.feature not in result.feature_names:
            raise ValueError(unknown("feature", self.feature, result.feature_names))
        scores = result.ranking_scores()
        return float(1 + (scores > scores[result.feature_names.index(self.feature)]).sum())
