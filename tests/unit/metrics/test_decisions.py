"""Rejection rates, shares among the first k, distance from the optimum."""

import math

import numpy as np
import pytest

from losaw.data import Truth
from losaw.metrics.decisions import FalseRejectionRate, RejectionRate, TopShare
from losaw.metrics.metric import Predictions
from losaw.metrics.prediction import DistanceFromOptimum
from losaw.scoring.importance_result import ImportanceResult

NAMES = ("a", "b", "c", "d")
TRUTH = Truth((0, 1), 4)


def result(p_values=None, scores=(4, 3, 2, 1), **details):
    return ImportanceResult(
        np.array(scores, dtype=float), NAMES, p_values=p_values, details=details
    )


def test_power_and_type_1_error_count_different_features():
    found = result(np.array([0.01, 0.2, 0.05, 0.9]))
    assert RejectionRate()(found, TRUTH) == 0.5
    assert FalseRejectionRate()(found, TRUTH) == 0.5
    assert RejectionRate(["d"])(found, TRUTH) == 0
    assert RejectionRate(["a", "c", "d"], alpha=0.02)(found, TRUTH) == pytest.approx(1 / 3)


def test_a_methods_own_decision_goes_before_p_values():
    found = result(np.ones(4), selected=np.array([True, True, False, False]))
    assert RejectionRate()(found, TRUTH) == 1


def test_a_method_without_p_values_has_no_rejection_rate():
    with pytest.raises(ValueError, match="no p-values"):
        RejectionRate()(result(), TRUTH)


def test_an_importance_without_a_test_is_an_empty_cell_where_that_is_allowed():
    untested = ImportanceResult([1.0, 2.0, 3.0, 4.0], ("a", "b", "c", "d"))
    assert math.isnan(RejectionRate(optional=True)(untested, TRUTH))
    assert math.isnan(FalseRejectionRate(optional=True)(untested, TRUTH))


def test_the_first_k_are_as_many_as_signals_unless_told():
    assert TopShare()(result(), TRUTH) == 1
    assert TopShare(["c"])(result(), TRUTH) == 0
    assert TopShare(["c"], k=3)(result(), TRUTH) == 1


def test_tied_features_share_their_mean_rank():
    found = result(scores=(5, 3, 3, 1))
    assert TopShare(["b", "c"], k=2)(found, TRUTH) == 0
    assert TopShare(["b", "c"], k=3)(found, TRUTH) == 1


@pytest.mark.parametrize("metric", [RejectionRate, FalseRejectionRate, TopShare])
def test_scores_of_groups_count_by_name_only(metric):
    groups = ImportanceResult([1, 2, 3], ("ab", "c", "d"), p_values=np.array([0.01, 0.5, 0.5]))
    with pytest.raises(ValueError, match="3 scores for 4 features"):
        metric()(groups, TRUTH)
    assert metric(["ab"])(groups, TRUTH) == (metric is not TopShare)


def test_an_unknown_feature_names_the_nearest():
    with pytest.raises(ValueError, match="unknown feature 'x'"):
        TopShare(["x"])(result(), TRUTH)


def test_the_distance_from_the_optimum_is_of_r2_or_accuracy():
    y = np.array([0.0, 1.0, 0.0, 1.0])
    regression = Predictions(test=(y, y))
    truth = Truth((0, 1), 4, details={"optimum": 0.6})
    assert DistanceFromOptimum()(regression, truth) == pytest.approx(0.4)
    probabilities = np.column_stack([1 - y, y])
    probabilities[0] = [0.2, 0.8]
    classification = Predictions(test=(y, probabilities))
    assert DistanceFromOptimum()(classification, truth) == pytest.approx(0.15)
    assert DistanceFromOptimum(from_optimum=False)(classification, truth) == pytest.approx(0.75)


def test_without_a_known_optimum_the_distance_is_from_a_perfect_prediction():
    y = np.array([0.0, 1.0, 0.0, 1.0])
    assert DistanceFromOptimum()(Predictions(test=(y, y)), TRUTH) == 0
