"""Rejection rates, shares among the first k, distance from the optimum."""

import math

import numpy as np
import pytest

from losaw.data import Truth
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.metric import Predictions
from losaw.study.metrics.table import optimum_gap, rejection_rate, top_share, type_1_error

NAMES = ("a", "b", "c", "d")
TRUTH = Truth((0, 1), 4)


def result(p_values=None, scores=(4, 3, 2, 1), **details):
    return ImportanceResult(
        np.array(scores, dtype=float), NAMES, p_values=p_values, details=details
    )


def test_power_and_type_1_error_count_different_features():
    found = result(np.array([0.01, 0.2, 0.05, 0.9]))
    assert rejection_rate()(found, TRUTH) == 0.5
    assert type_1_error()(found, TRUTH) == 0.5
    assert rejection_rate(features=["d"])(found, TRUTH) == 0
    assert rejection_rate(features=["a", "c", "d"], alpha=0.02)(found, TRUTH) == pytest.approx(
        1 / 3
    )


def test_a_methods_own_decision_goes_before_p_values():
    found = result(np.ones(4), selected=np.array([True, True, False, False]))
    assert rejection_rate()(found, TRUTH) == 1


def test_a_method_without_p_values_has_no_rejection_rate():
    with pytest.raises(ValueError, match="no p-values"):
        rejection_rate()(result(), TRUTH)


def test_an_importance_without_a_test_is_an_empty_cell_where_that_is_allowed():
    untested = ImportanceResult([1.0, 2.0, 3.0, 4.0], ("a", "b", "c", "d"))
    assert math.isnan(rejection_rate(optional=True)(untested, TRUTH))
    assert math.isnan(type_1_error(optional=True)(untested, TRUTH))


def test_the_first_k_are_as_many_as_signals_unless_told():
    assert top_share()(result(), TRUTH) == 1
    assert top_share(features=["c"])(result(), TRUTH) == 0
    assert top_share(features=["c"], k=3)(result(), TRUTH) == 1


def test_tied_features_share_their_mean_rank():
    found = result(scores=(5, 3, 3, 1))
    assert top_share(features=["b", "c"], k=2)(found, TRUTH) == 0
    assert top_share(features=["b", "c"], k=3)(found, TRUTH) == 1


@pytest.mark.parametrize("metric", [rejection_rate, type_1_error, top_share])
def test_scores_of_groups_count_by_name_only(metric):
    groups = ImportanceResult([1, 2, 3], ("ab", "c", "d"), p_values=np.array([0.01, 0.5, 0.5]))
    with pytest.raises(ValueError, match="3 scores for 4 features"):
        metric()(groups, TRUTH)
    assert metric(features=["ab"])(groups, TRUTH) == (metric is not top_share)


def test_an_unknown_feature_names_the_nearest():
    with pytest.raises(ValueError, match="unknown feature 'x'"):
        top_share(features=["x"])(result(), TRUTH)


def test_the_distance_from_the_optimum_is_of_r2_or_accuracy():
    y = np.array([0.0, 1.0, 0.0, 1.0])
    regression = Predictions(test=(y, y))
    truth = Truth((0, 1), 4, details={"optimum": 0.6})
    assert optimum_gap()(regression, truth) == pytest.approx(0.4)
    probabilities = np.column_stack([1 - y, y])
    probabilities[0] = [0.2, 0.8]
    classification = Predictions(test=(y, probabilities))
    assert optimum_gap()(classification, truth) == pytest.approx(0.15)
    assert optimum_gap(from_optimum=False)(classification, truth) == pytest.approx(0.75)


def test_without_a_known_optimum_the_distance_is_from_a_perfect_prediction():
    y = np.array([0.0, 1.0, 0.0, 1.0])
    assert optimum_gap()(Predictions(test=(y, y)), TRUTH) == 0
