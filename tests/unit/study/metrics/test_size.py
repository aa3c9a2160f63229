"""Sizes of signed scores."""

import pytest

from losaw.data import Truth
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.table import largest_size, noise_size, signal_size, size_auc

TRUTH = Truth((0, 1), 4)


def result(*scores, **options):
    return ImportanceResult(scores, ("a", "b", "c", "d"), **options)


def test_sizes_are_means_of_absolute_scores():
    assert signal_size()(result(-3.0, 1.0, 0.5, -0.5), TRUTH) == 2.0
    assert noise_size()(result(-3.0, 1.0, 0.5, -1.5), TRUTH) == 1.0


def test_the_largest_size_is_of_all_features():
    assert largest_size()(result(-3.0, 1.0, 0.5, -0.5), TRUTH) == 3.0


def test_a_large_falling_trend_beats_a_small_rising_one():
    assert size_auc()(result(-3.0, -2.0, 1.0, 0.0), TRUTH) == 1.0


@pytest.mark.parametrize("metric", [signal_size, noise_size, size_auc])
def test_a_truth_without_noise_features_is_refused(metric):
    with pytest.raises(ValueError, match="not defined: the truth has no noise feature"):
        metric()(result(1.0, 2.0, 3.0, 4.0), Truth((0, 1, 2, 3), 4))
