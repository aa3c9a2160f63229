"""R²: which sample it reads, and what it refuses."""

import numpy as np
import pytest

from losaw.data import Truth
from losaw.study.metrics.metric import Predictions
from losaw.study.metrics.table import r2_ind, r2_test

TRUTH = Truth((0,), 2)
Y = np.array([1.0, 2.0, 3.0, 6.0])


def test_each_r_squared_reads_its_own_sample():
    predictions = Predictions(test=(Y, Y), independent=(Y, np.full(4, Y.mean())))
    assert r2_test()(predictions, TRUTH) == 1.0
    assert r2_ind()(predictions, TRUTH) == 0.0


def test_the_value_is_one_minus_the_residual_share_of_the_variation():
    # Residuals 1, 0, 0, 0 against deviations 2, 1, 0, 3.
    predictions = Predictions(test=(Y, Y + np.array([1, 0, 0, 0])))
    assert r2_test()(predictions, TRUTH) == pytest.approx(1 - 1 / 14)


def test_a_missing_independent_sample_is_reported():
    with pytest.raises(ValueError, match="the generator gives no independent sample"):
        r2_ind()(Predictions(test=(Y, Y)), TRUTH)


@pytest.mark.parametrize(
    ("y", "y_hat", "message"),
    [
        (Y, Y[:3], r"predictions have shape \(3,\), responses \(4,\)"),
        (Y, Y[:, None], r"predictions have shape \(4, 1\)"),
        (np.empty(0), np.empty(0), "2 rows or more, got 0"),
        (Y[:1], Y[:1], "2 rows or more, got 1"),
        (Y, Y * np.nan, "must be finite numbers"),
        (np.full(4, np.inf), Y, "must be finite numbers"),
        (np.ones(4), Y, "the response is constant"),
    ],
)
def test_what_has_no_r_squared_is_refused(y, y_hat, message):
    with pytest.raises(ValueError, match=message):
        r2_test()(Predictions(test=(y, y_hat)), TRUTH)
