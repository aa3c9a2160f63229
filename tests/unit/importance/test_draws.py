"""Draws and what they differ by do not depend on threads."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from losaw.importance import cpi, sage
from losaw.importance.conditional_predictive_impact import own_shares

X = np.random.default_rng(0).standard_normal((80, 4))
Y = X[:, 0] + np.random.default_rng(1).standard_normal(80)


def own_share(columns, copies):
    (share,) = own_shares(columns, copies, [np.arange(columns.shape[1])])
    return share


@pytest.mark.parametrize("method", [cpi, sage])
def test_a_generator_is_left_in_the_same_state_by_any_number_of_threads(method):
    model = LinearRegression().fit(X, Y)
    options = {"n_draws": 3, "sampler": "gaussian"} if method is cpi else {"threshold": 0.5}
    one, three = np.random.default_rng(0), np.random.default_rng(0)
    found = method(model, X, Y, random_state=one, n_jobs=1, **options)
    again = method(model, X, Y, random_state=three, n_jobs=3, **options)
    np.testing.assert_array_equal(found.scores, again.scores)
    assert one.random() == three.random()
    if method is sage:  # it ended early, with orders drawn ahead
        assert found.details["converged"] and found.details["n_permutations"] < 100


def test_a_missing_knockoff_of_a_known_value_counts_like_an_independent_copy():
    columns = X[:, :1]
    assert own_share(columns, np.full_like(columns, np.nan)) == pytest.approx(1.0)


def test_a_constant_column_has_no_own_share_and_does_not_hide_that_of_others():
    both, copies = np.column_stack([np.ones(80), X[:, 0]]), np.column_stack([np.ones(80), X[:, 1]])
    assert own_share(both, copies) == pytest.approx(own_share(both[:, 1:], copies[:, 1:]))
    assert math.isnan(own_share(both[:, :1], copies[:, :1]))
