"""Tests of whether draws can be recognised."""

import numpy as np
import pytest

from losaw.knockoffs import make_sampler
from losaw.knockoffs.diagnostics import draw_tests


def zero_inflated(n=500, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    u = x + 0.5 * rng.standard_normal(n)
    return np.column_stack([x, np.where(u > 1.5, np.exp(u), 0.0)])


def drawn_by(name, X, kinds=None, seed=1):
    rng = np.random.default_rng(seed)
    return make_sampler(name).fit(X, kinds, rng).sample(rng)


def test_a_normal_draw_of_a_column_of_zeros_is_recognised_and_a_conditional_one_is_not():
    X = zero_inflated()
    wrong, right = (
        draw_tests(X, drawn_by(name, X), columns=[1], random_state=0)[1]
        for name in ("gaussian", "conditional")
    )
    assert wrong.recognised > 0.9 and wrong.p_value < 1e-6
    assert right.p_value > 0.01


def test_a_draw_that_ignores_the_other_columns_is_recognised():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3))
    X[:, 2] = X[:, 0] + 0.5 * X[:, 2]
    levels = np.digitize(X[:, 2], [-0.5, 0.5]).astype(float)
    X = np.column_stack([X, levels])
    kinds = ("continuous",) * 3 + ("nominal",)
    permuted = np.column_stack([rng.permutation(column) for column in X.T])
    found = draw_tests(X, permuted, kinds, columns=[1, 2, 3], random_state=0)
    assert found[2].p_value < 1e-6 and found[3].p_value < 1e-6
    assert found[1].p_value > 0.01  # of a column that the others do not predict it is right


def test_a_draw_that_spreads_too_far_is_recognised():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 2))
    noise = rng.standard_normal((2, 600))
    X[:, 1] = X[:, 0] + 0.2 * noise[0]
    drawn = X.copy()
    drawn[:, 1] = X[:, 0] + 0.5 * noise[1]
    assert draw_tests(X, drawn, columns=[1], random_state=0)[1].p_value < 1e-6


def test_only_columns_that_vary_are_tested_missing_values_included():
    X = zero_inflated(100)
    X = np.column_stack([X, np.ones(100), np.where(np.arange(100) % 5, X[:, 0], np.nan)])
    drawn = drawn_by("conditional", X)
    assert set(draw_tests(X, drawn, random_state=0)) == {0, 1, 3}
    assert set(draw_tests(X, drawn, columns=[1, 2], random_state=0)) == {1}


def test_a_test_follows_its_seed_and_not_the_other_columns():
    X = zero_inflated(100)
    drawn = drawn_by("conditional", X)
    every = draw_tests(X, drawn, random_state=0)
    assert draw_tests(X, drawn, columns=[1], random_state=0)[1] == every[1]


def test_draws_of_a_group_of_one_column_are_tested_as_those_of_the_column():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1)) + rng.standard_normal((200, 3))
    drawn = rng.permutation(X)
    of_column = draw_tests(X, drawn, columns=[1], random_state=1)[1]
    # Shuffled together they lose their relation to the third, which shows more than either alone.
    found = draw_tests(X, drawn, columns=[(1,), (0, 1)], random_state=1)
    assert found[1,] == of_column
    assert found[0, 1].p_value < 1e-3


def test_a_group_without_variation_is_not_tested_and_wrong_shapes_are_named():
    X = np.column_stack([np.ones(50), np.arange(50.0)])
    assert draw_tests(X, X, columns=[(0,)]) == {}
    with pytest.raises(ValueError, match=r"drawn has shape \(50, 1\), expected \(50, 2\)"):
        draw_tests(X, X[:, [0]], columns=[0])
    with pytest.raises(ValueError, match="drawn has shape"):
        draw_tests(X, X[:40])
