"""The score and the place of one feature, by name."""

import math

import pytest

from losaw.data import Truth
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.table import feature_rank, feature_score

RESULT = ImportanceResult([1.0, -3.0], ("a", "b"))
TRUTH = Truth((0,), 2)


def test_it_is_the_signed_score_of_the_named_feature():
    assert feature_score(feature="b")(RESULT, TRUTH) == -3.0


def test_a_share_is_relative_to_all_absolute_scores():
    assert feature_score(feature="b", share=True)(RESULT, TRUTH) == -0.75


def test_a_share_of_nothing_is_zero():
    assert (
        feature_score(feature="a", share=True)(ImportanceResult([0.0], ("a",)), Truth((0,), 1))
        == 0.0
    )


def test_an_absent_feature_is_an_error_unless_it_is_optional():
    with pytest.raises(ValueError, match=r"unknown feature 'c' \(known: a, b\)"):
        feature_score(feature="c")(RESULT, TRUTH)
    assert math.isnan(feature_score(feature="c", optional=True)(RESULT, TRUTH))


def test_the_place_counts_what_scores_higher_and_ties_share_the_better():
    result = ImportanceResult([1.0, 3.0, 1.0, -3.0], ("a", "b", "c", "d"))
    assert [feature_rank(feature=name)(result, TRUTH) for name in "abcd"] == [2.0, 1.0, 2.0, 4.0]
    with pytest.raises(ValueError, match="unknown feature 'e'"):
        feature_rank(feature="e")(result, TRUTH)
