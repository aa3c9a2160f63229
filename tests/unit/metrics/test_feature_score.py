"""The score and the place of one feature, by name.

Of metrics.feature.
"""

import math

import pytest

from losaw.data import Truth
from losaw.metrics.feature import FeatureRank, FeatureScore
from losaw.scoring.importance_result import ImportanceResult

RESULT = ImportanceResult([1.0, -3.0], ("a", "b"))
TRUTH = Truth((0,), 2)


def test_it_is_the_signed_score_of_the_named_feature():
    assert FeatureScore("b")(RESULT, TRUTH) == -3.0


def test_a_share_is_relative_to_all_absolute_scores():
    assert FeatureScore("b", share=True)(RESULT, TRUTH) == -0.75


def test_a_share_of_nothing_is_zero():
    assert FeatureScore("a", share=True)(ImportanceResult([0.0], ("a",)), Truth((0,), 1)) == 0.0


def test_an_absent_feature_is_an_error_unless_it_is_optional():
    with pytest.raises(ValueError, match=r"unknown feature 'c' \(known: a, b\)"):
        FeatureScore("c")(RESULT, TRUTH)
    assert math.isnan(FeatureScore("c", optional=True)(RESULT, TRUTH))


def test_the_place_counts_what_scores_higher_and_ties_share_the_better():
    result = ImportanceResult([1.0, 3.0, 1.0, -3.0], ("a", "b", "c", "d"))
    assert [FeatureRank(name)(result, TRUTH) for name in "abcd"] == [2.0, 1.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="unknown feature 'e'"):
        FeatureRank("e")(result, TRUTH)
