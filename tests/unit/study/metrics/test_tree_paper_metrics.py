"""Rank, normalised scores and risk by hand."""

import numpy as np
import pytest

from losaw.data import Truth
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.metric import Predictions
from losaw.study.metrics.table import noise_score, risk, signal_rank, signal_score


def result(*scores):
    return ImportanceResult(np.array(scores), tuple(f"X{i}" for i in range(len(scores))))


def test_the_rank_of_a_signal_feature_counts_the_features_above_it():
    assert signal_rank()(result(2.0, 5.0, 1.0, 3.0), Truth((0,), 4)) == 3


def test_tied_features_share_the_better_rank():
    assert signal_rank()(result(1.0, 1.0, 1.0), Truth((2,), 3)) == 1


def test_the_rank_is_averaged_over_signal_features():
    assert signal_rank()(result(4.0, 3.0, 2.0, 1.0), Truth((0, 3), 4)) == 2.5


def test_scores_are_scaled_to_unit_length():
    scores, truth = result(3.0, 0.0, -4.0), Truth((0,), 3)
    assert signal_score()(scores, truth) == pytest.approx(0.6)
    assert noise_score()(scores, truth) == pytest.approx(-0.4)


def test_all_zero_scores_stay_zero():
    assert noise_score()(result(0.0, 0.0), Truth((0,), 2)) == 0


def test_risk_of_means_is_the_mean_squared_error():
    predictions = Predictions((np.array([0.0, 2.0]), np.array([1.0, 4.0])))
    assert risk()(predictions, Truth((0,), 2)) == 2.5


def test_risk_of_probabilities_is_the_share_of_pairs_in_wrong_order():
    p = np.array([0.1, 0.8, 0.4, 0.9])
    predictions = Predictions((np.array([0, 0, 1, 1]), np.column_stack([1 - p, p])))
    assert risk()(predictions, Truth((0,), 2)) == 0.25


@pytest.mark.parametrize(
    ("y", "predicted", "message"),
    [
        ([0.0, np.nan], [1.0, 1.0], "finite"),
        ([0.0, 1.0], np.full((2, 3), 1 / 3), "two classes, not for 3 classes"),
        ([0.0, 1.0], np.full((3, 2), 1 / 2), r"shape \(3, 2\)"),
        ([1.0, 1.0], np.full((2, 2), 0.5), "one class only"),
    ],
)
def test_risk_that_is_not_defined_is_refused(y, predicted, message):
    with pytest.raises(ValueError, match=message):
        risk()(Predictions((np.array(y), np.array(predicted))), Truth((0,), 2))
