"""Linear coefficients, correlations and bad input."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor

from losaw.trends import (
    absolute_traversal_rate,
    linear_coefficient,
    relative_traversal_rate,
    shapley_correlation,
    target_correlation,
)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n_features=st.integers(1, 6), scale=st.floats(1e-6, 1e6))
def test_a_noiseless_linear_model_is_recovered_exactly(seed, n_features, scale):
    rng = np.random.default_rng(seed)
    X = scale * rng.standard_normal((30, n_features)) + rng.standard_normal()
    coefficients = rng.standard_normal(n_features)
    result = linear_coefficient(X, X @ coefficients + 3)
    np.testing.assert_allclose(result.scores, coefficients, rtol=1e-6, atol=1e-9)


def test_p_values_are_those_of_least_squares_in_any_unit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 3))
    y = X @ [0.5, 0.0, -0.2] + rng.standard_normal(30)
    found = linear_coefficient(X, y)

    def squared_error(columns):
        design = np.column_stack([np.ones(30), X[:, columns]])
        return np.linalg.lstsq(design, y, rcond=None)[1][0]

    full = squared_error([0, 1, 2])
    # t² of a coefficient is the F of leaving its feature out.
    ratios = np.array([squared_error(list({0, 1, 2} - {j})) - full for j in range(3)]) / (full / 26)
    np.testing.assert_allclose(found.p_values, scipy.stats.f.sf(ratios, 1, 26), rtol=1e-8)
    rescaled = linear_coefficient(1e-70 * X, 1e-60 * y, standardized=True)
    np.testing.assert_allclose(rescaled.p_values, found.p_values, rtol=1e-8)
    shown = found.to_frame().set_index("feature")["p_value"]
    assert shown[list(found.feature_names)].tolist() == found.p_values.tolist()


def test_p_values_hold_their_level_in_small_samples():
    rng = np.random.default_rng(0)
    smallest = [
        linear_coefficient(rng.standard_normal((8, 2)), rng.standard_normal(8)).p_values[0]
        for _ in range(2000)
    ]
    # Exact 99.9 % bounds of a binomial with 2,000 runs and rate .05.
    assert 69 <= (np.array(smallest) <= 0.05).sum() <= 133


def test_a_standardised_coefficient_of_one_feature_is_its_correlation():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 50)) * 7
    result = linear_coefficient(x[:, None], y, standardized=True)
    assert result.scores[0] == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_duplicated_features_share_their_coefficient_and_constant_ones_have_none():
    x = np.random.default_rng(0).standard_normal(40)
    result = linear_coefficient(np.column_stack([x, x, np.full(40, 0.1)]), 4 * x)
    np.testing.assert_allclose(result.scores, [2, 2, 0], atol=1e-12)
    assert np.isnan(result.std_error).all()


@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1])
@pytest.mark.parametrize("standardized", [True, False])
def test_a_constant_feature_takes_no_error_or_p_value_from_the_others(constant, standardized):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    alone = linear_coefficient(X, y, standardized=standardized)
    X = np.insert(X, 1, constant, axis=1)
    found = linear_coefficient(X, y, standardized=standardized)
    for name in ("scores", "std_error", "p_values"):
        np.testing.assert_allclose(getattr(found, name)[[0, 2]], getattr(alone, name))
    assert found.degrees_of_freedom == alone.degrees_of_freedom and found.scores[1] == 0
    assert np.isnan(found.std_error[1]) and np.isnan(found.p_values[1])
    nothing = linear_coefficient(X[:, 1:2], y, standardized=standardized)
    assert nothing.scores[0] == 0 and np.isnan(nothing.p_values[0])


def test_more_features_than_rows_have_finite_coefficients():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5, 9)), rng.standard_normal(5)
    result = linear_coefficient(X, y)
    np.testing.assert_allclose((X - X.mean(axis=0)) @ result.scores, y - y.mean(), atol=1e-9)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlations_are_those_of_scipy(method):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (40, 3)).astype(float)
    y = X[:, 0] ** 3 + rng.standard_normal(40)
    reference = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}[method]
    expected = [reference(column, y).statistic for column in X.T]
    found = target_correlation(1e-70 * X, 1e-60 * y, method=method)
    np.testing.assert_allclose(found.scores, expected)


def test_constant_features_and_responses_have_no_correlation():
    x = np.arange(5.0)
    constant = np.full(5, 0.1)
    assert target_correlation(np.column_stack([constant, x]), x).scores[0] == 0
    assert target_correlation(x[:, None], constant).scores[0] == 0


@pytest.mark.parametrize("estimator", [linear_coefficient, target_correlation])
def test_a_feature_that_is_constant_up_to_rounding_has_no_trend(estimator):
    X = np.array([[0.3], [0.1 + 0.2]] * 5)
    assert X[0] != X[1]
    assert estimator(X, np.arange(10.0) % 2).scores[0] == 0


def test_all_estimators_give_one_named_estimate_per_feature_with_its_sign():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["up", "down"])
    y = frame["up"] - 3 * frame["down"]
    forest = RandomForestRegressor(20, random_state=0).fit(frame, y)
    for result in (
        linear_coefficient(frame, y),
        target_correlation(frame, y),
        target_correlation(frame, y, method="spearman"),
        shapley_correlation(forest, frame),
        absolute_traversal_rate(forest),
        relative_traversal_rate(forest),
    ):
        assert result.feature_names == ("up", "down")
        assert np.sign(result.scores).tolist() == [1, -1]
        assert list(result.to_frame()["feature"]) == ["down", "up"]
        assert result.select(top=1) == ("down",)


def test_one_degree_of_freedom_gives_a_standard_error():
    rng = np.random.default_rng(0)
    trend = linear_coefficient(rng.standard_normal((4, 2)), rng.standard_normal(4))
    assert np.isfinite(trend.std_error).all() and np.isfinite(trend.p_values).all()


def test_shapley_correlations_are_of_a_hundred_rows_unless_told():
    X = np.random.default_rng(0).standard_normal((120, 2))
    forest = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    one = shapley_correlation(forest, X, random_state=0)
    other = shapley_correlation(forest, X, n_rows=100, random_state=0)
    np.testing.assert_array_equal(one.scores, other.scores)


def test_the_error_of_a_correlation_is_the_one_of_large_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2))
    y = X[:, 0] + rng.standard_normal(50)
    r = np.array([np.corrcoef(column, y)[0, 1] for column in X.T])
    found = target_correlation(X, y)
    np.testing.assert_allclose(found.std_error, (1 - r**2) / np.sqrt(49))


def test_copies_but_for_rounding_have_neither_error_nor_p_value_and_one_alone_has():
    rng = np.random.default_rng(0)
    for size in (1e-9, 1e-10, 1e-12, 0.0):
        x = rng.standard_normal(100)
        assert linear_coefficient(x[:, None], 4 * x).p_values[0] < 1e-100
        found = linear_coefficient(np.column_stack([x, x + size * rng.standard_normal(100)]), x)
        assert np.isnan(found.p_values).all() and np.isnan(found.std_error).all()


def test_the_error_of_a_rank_correlation_is_its_spread():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        x = rng.standard_normal(100)
        y = 0.9 * x + np.sqrt(1 - 0.9**2) * rng.standard_normal(100)
        found.append(target_correlation(x[:, None], y, method="spearman"))
    spread = np.std([one.scores[0] for one in found])
    assert np.mean([one.std_error[0] for one in found]) == pytest.approx(spread, rel=0.06)
