"""Linear coefficients, correlations, the result object and bad input.

Of trends.linear, trends.correlation, trends.trend_result, trends.estimate.
"""

import importlib.util
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor

from losaw.data import Dataset, Sample, Truth
from losaw.registry import get
from losaw.trends import (
    TrendResult,
    estimate_trends,
    linear_coefficient,
    shapley_correlation,
    target_correlation,
)


def in_study(name, **parameters):
    """The importance of a study file's name and parameters."""
    return get("importance", name).create(**parameters)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n_features=st.integers(1, 6), scale=st.floats(1e-6, 1e6))
def test_a_noiseless_linear_model_is_recovered_exactly(seed, n_features, scale):
    rng = np.random.default_rng(seed)
    X = scale * rng.standard_normal((30, n_features)) + rng.standard_normal()
    coefficients = rng.standard_normal(n_features)
    result = linear_coefficient(X, X @ coefficients + 3)
    np.testing.assert_allclose(result.estimates, coefficients, rtol=1e-6, atol=1e-9)


def test_standard_errors_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(50)
    y = x + rng.standard_normal(50)
    reference = scipy.stats.linregress(x, y)
    result = linear_coefficient(x[:, None], y)
    assert result.estimates[0] == pytest.approx(reference.slope)
    assert result.spread[0] == pytest.approx(reference.stderr)


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
    rescaled = linear_coefficient(1e3 * X, 1e-3 * y, standardized=True)
    np.testing.assert_allclose(rescaled.p_values, found.p_values, rtol=1e-8)
    assert list(found.to_frame()["p_value"]) == found.p_values.tolist()


def test_p_values_hold_their_level_in_small_samples():
    rng = np.random.default_rng(0)
    smallest = [
        linear_coefficient(rng.standard_normal((8, 2)), rng.standard_normal(8)).p_values[0]
        for _ in range(2000)
    ]
    # Exact 99.9 % bounds of a binomial with 2,000 runs and rate .05.
    assert 69 <= (np.array(smallest) <= 0.05).sum() <= 133


def test_where_the_error_is_not_known_the_p_value_is_not_either():
    x = np.random.default_rng(0).standard_normal(40)
    assert np.isnan(linear_coefficient(np.column_stack([x, x]), x).p_values).all()
    exact = linear_coefficient(x[:, None], 4 * x)
    assert exact.p_values[0] < 1e-100


def test_sizes_as_importances_come_with_p_values_where_there_are_any():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    data = data_set(X, X[:, 0] + rng.standard_normal(60))
    result = in_study("linear-coefficient").explain(None, data, rng)
    assert result.p_values[0] < 0.001 < result.p_values[1]
    assert (
        get("importance", "linear-coefficient")
        .create(signed=True)
        .explain(None, data, rng)
        .p_values
        is None
    )
    twice = data_set(X[:, [0, 0]], X[:, 0])
    assert in_study("linear-coefficient").explain(None, twice, rng).p_values is None


def data_set(X, y):
    sample = Sample(X, y)
    return Dataset(sample, sample, Truth((0,), X.shape[1]), ("a", "b"), ("continuous",) * 2)


def test_a_standardised_coefficient_of_one_feature_is_its_correlation():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 50)) * 7
    result = linear_coefficient(x[:, None], y, standardized=True)
    assert result.estimates[0] == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_duplicated_features_share_their_coefficient_and_constant_ones_have_none():
    x = np.random.default_rng(0).standard_normal(40)
    result = linear_coefficient(np.column_stack([x, x, np.full(40, 0.1)]), 4 * x)
    np.testing.assert_allclose(result.estimates, [2, 2, 0], atol=1e-12)
    assert np.isnan(result.spread).all()


def test_more_features_than_rows_have_finite_coefficients():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5, 9)), rng.standard_normal(5)
    result = linear_coefficient(X, y)
    np.testing.assert_allclose((X - X.mean(axis=0)) @ result.estimates, y - y.mean(), atol=1e-9)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlations_are_those_of_scipy(method):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (40, 3)).astype(float)
    y = X[:, 0] ** 3 + rng.standard_normal(40)
    reference = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}[method]
    expected = [reference(column, y).statistic for column in X.T]
    np.testing.assert_allclose(target_correlation(X, y, method=method).estimates, expected)


def test_constant_features_and_responses_have_no_correlation():
    x = np.arange(5.0)
    constant = np.full(5, 0.1)
    assert target_correlation(np.column_stack([constant, x]), x).estimates[0] == 0
    assert target_correlation(x[:, None], constant).estimates[0] == 0


@pytest.mark.parametrize("estimator", [linear_coefficient, target_correlation])
def test_a_feature_that_is_constant_up_to_rounding_has_no_trend(estimator):
    X = np.array([[0.3], [0.1 + 0.2]] * 5)
    assert X[0] != X[1]
    assert estimator(X, np.arange(10.0) % 2).estimates[0] == 0


def test_all_estimators_give_one_named_estimate_per_feature():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["up", "down"])
    found = estimate_trends(frame, frame["up"] - frame["down"], random_state=0)
    assert list(found) == [
        "linear-coefficient",
        "pearson",
        "spearman",
        "shap-pearson",
        "shap-spearman",
        "atr",
        "rtr",
    ]
    for result in found.values():
        assert result.feature_names == ("up", "down")
        assert list(result.sign) == [1, -1]


def test_three_rows_are_enough_for_trends_and_two_are_not():
    X = np.array([[0.0], [1.0], [2.0]])
    found = estimate_trends(X, X[:, 0], random_state=0)
    assert found["linear-coefficient"].sign.tolist() == [1]
    with pytest.raises(ValueError, match="X has 2 rows, at least 3 are needed"):
        estimate_trends(X[:2], X[:2, 0], random_state=0)


def test_the_same_random_state_gives_the_same_trends():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.standard_normal(60)
    one, other = (estimate_trends(X, y, n_rows=20, random_state=5) for _ in range(2))
    for name, result in one.items():
        np.testing.assert_array_equal(result.estimates, other[name].estimates)


def test_a_result_shows_sign_size_and_spread():
    result = TrendResult("rate", [0.5, -2.0, 0.0], ("a", "b", "c"), np.ones(3), "over something")
    frame = result.to_frame()
    assert list(frame["sign"]) == [1, -1, 0]
    assert list(frame["size"]) == [0.5, 2.0, 0.0]
    assert list(frame["spread"]) == [1, 1, 1]


def test_a_plot_has_one_bar_per_feature():
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    TrendResult("rate", [0.5, -2.0], ("a", "b")).plot(ax)
    assert [bar.get_width() for bar in ax.patches] == [0.5, -2.0]


def test_a_spread_needs_its_kind():
    with pytest.raises(ValueError, match="spread_kind belong together"):
        TrendResult("rate", [1.0], ("a",), np.ones(1))


GOOD_X, GOOD_Y = np.arange(8.0).reshape(4, 2), np.arange(4.0)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.where(GOOD_X == 3, np.nan, GOOD_X), GOOD_Y, r"row 1, column 'X2'.*SimpleImputer"),
        (np.where(GOOD_X == 3, np.inf, GOOD_X), GOOD_Y, "missing or infinite"),
        (GOOD_X[:, 0], GOOD_Y, r"X has shape \(4,\).*reshape"),
        (GOOD_X, GOOD_Y[:3], r"y has shape \(3,\), expected \(4,\)"),
        (GOOD_X, [1, 2, np.nan, 4], "y has 1 missing"),
        ([["a", "b"]] * 4, GOOD_Y, "X holds values that are not numbers.*OrdinalEncoder"),
        (GOOD_X, list("abcd"), "y holds values that are not numbers"),
        (GOOD_X[:1], GOOD_Y[:1], "X has 1 rows, at least"),
        (GOOD_X[:, :0], GOOD_Y, "expected"),
        (GOOD_X, None, "y is None; give the response"),
    ],
)
@pytest.mark.parametrize("estimator", [linear_coefficient, target_correlation])
def test_bad_input_is_refused_with_a_remedy(estimator, X, y, message):
    with pytest.raises(ValueError, match=message):
        estimator(X, y)


def test_another_number_of_features_than_the_model_s_is_refused():
    model = RandomForestRegressor(2).fit(GOOD_X, GOOD_Y)
    with pytest.raises(ValueError, match="X has 1 features, the model was fitted to 2"):
        shapley_correlation(model, GOOD_X[:, :1])
    with pytest.raises(ValueError, match="n_rows must be an integer of at least 3"):
        shapley_correlation(model, GOOD_X, n_rows=2)


def test_one_degree_of_freedom_gives_a_standard_error():
    rng = np.random.default_rng(0)
    trend = linear_coefficient(rng.standard_normal((4, 2)), rng.standard_normal(4))
    assert np.isfinite(trend.spread).all() and np.isfinite(trend.p_values).all()


def test_shapley_correlations_are_of_a_hundred_rows_unless_told():
    X = np.random.default_rng(0).standard_normal((120, 2))
    forest = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    one = estimate_trends(X, X[:, 0], forest=forest, random_state=0)["shap-pearson"]
    other = estimate_trends(X, X[:, 0], forest=forest, n_rows=100, random_state=0)["shap-pearson"]
    np.testing.assert_array_equal(one.estimates, other.estimates)


def test_trends_need_no_plots_to_be_imported(monkeypatch):
    for name in ("matplotlib", "matplotlib.axes", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    spec = importlib.util.find_spec("losaw.trends.trend_result")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_the_spread_of_a_correlation_is_the_one_of_large_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2))
    y = X[:, 0] + rng.standard_normal(50)
    r = np.array([np.corrcoef(column, y)[0, 1] for column in X.T])
    found = target_correlation(X, y)
    np.testing.assert_allclose(found.spread, (1 - r**2) / np.sqrt(49))
