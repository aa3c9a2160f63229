"""Numbers that a run notes, and R² under the other reading of the noise."""

import math

import numpy as np
import pytest

from losaw.data import Truth
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.metric import Predictions
from losaw.study.metrics.table import (
    importance_detail,
    r2_ind,
    r2_ind_train_noise,
    signal_share,
    truth_detail,
)

NAMES = ("a", "b", "c")


def result(**details):
    return ImportanceResult(np.arange(3.0), NAMES, details=details)


def test_a_truths_detail_is_read_by_its_key():
    predictions = Predictions(test=(np.zeros(2), np.zeros(2)))
    truth = Truth((0,), 3, details={"alpha": 0.8})
    assert truth_detail(key="alpha")(predictions, truth) == 0.8
    assert math.isnan(truth_detail(key="beta")(predictions, truth))


def test_an_importances_detail_is_read_by_its_key():
    assert importance_detail(key="draws_made")(result(draws_made=7), Truth((0,), 3)) == 7.0
    assert math.isnan(importance_detail(key="other")(result(), Truth((0,), 3)))


def test_the_share_of_draws_counts_the_signal_features():
    share = signal_share(key="draws")
    assert share(result(draws=np.array([1, 2, 5])), Truth((0, 2), 3)) == 6 / 8
    assert math.isnan(share(result(), Truth((0, 2), 3)))
    assert math.isnan(share(result(draws=np.zeros(3)), Truth((0, 2), 3)))


def noisy(variance, n=200_000):
    rng = np.random.default_rng(0)
    signal = rng.standard_normal(n)
    return signal + math.sqrt(variance) * rng.standard_normal(n), 0.7 * signal


def test_exchanged_noise_gives_the_r_squared_of_a_sample_with_that_noise():
    truth = Truth((0,), 3, noise_variance=2.0, details={"independent_noise_variance": 0.5})
    little, prediction = noisy(0.5)
    much, _ = noisy(2.0)
    expected = r2_ind()(Predictions((much, prediction), (much, prediction)), truth)
    found = r2_ind_train_noise()(Predictions((little, prediction), (little, prediction)), truth)
    # sd of R² at n = 200,000 is about .002
    assert found == pytest.approx(expected, abs=0.01)


def test_without_a_second_noise_it_is_the_r_squared_as_it_is():
    pair = noisy(0.5, 100)
    predictions, truth = Predictions(pair, pair), Truth((0,), 3)
    found = r2_ind_train_noise()(predictions, truth)
    assert found == pytest.approx(r2_ind()(predictions, truth))


def test_it_is_undefined_without_an_independent_sample():
    with pytest.raises(ValueError, match="gives no independent sample"):
        r2_ind_train_noise()(Predictions(noisy(1.0, 10)), Truth((0,), 3))
