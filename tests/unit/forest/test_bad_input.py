"""Bad input is refused at once, with argument, value and remedy.

Of forest.validation, forest.losaw_forest.
"""

import numpy as np
import pandas as pd
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest.validation import check_max_features


def sample(n=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, X[:, 0] + rng.standard_normal(n)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"eta": 0.0}, ValueError, r"eta must lie in \(0, 1\], got 0.0"),
        ({"eta": 1.2}, ValueError, r"eta must lie in \(0, 1\], got 1.2"),
        ({"eta": "a"}, TypeError, "eta must be a number"),
        ({"n_estimators": 0}, ValueError, "n_estimators must be an integer of at least 1, got 0"),
        ({"n_estimators": 1.5}, TypeError, "n_estimators must be an integer"),
        ({"max_depth": 0}, ValueError, "max_depth must be an integer of at least 1"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be an integer of at least 1"),
        ({"max_features": 0}, ValueError, "max_features must be at least 1"),
        ({"max_features": 1.5}, ValueError, r"fraction must lie in \(0, 1\], got 1.5"),
        ({"max_features": "sqr"}, ValueError, "did you mean 'sqrt'"),
        ({"n_adjustment": -1}, ValueError, "n_adjustment must be an integer of at least 0"),
        (
            {"n_initial_estimators": 0},
            ValueError,
            "n_initial_estimators must be an",
        ),
        ({"correlation_threshold": 2}, ValueError, r"must be a number in \[0, 1\], got 2"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None, a positive integer or -1"),
        ({"random_state": "x"}, TypeError, "random_state must be an int"),
        ({"discrete_features": "atuo"}, ValueError, "did you mean 'auto'"),
        ({"discrete_features": ["b"]}, ValueError, "X has none: pass a data frame"),
        ({"discrete_features": [3]}, ValueError, "names column 3, allowed are 0 to 2"),
        ({"discrete_features": [True]}, ValueError, r"mask of shape \(1,\), expected \(3,\)"),
        ({"discrete_features": [0]}, ValueError, "60 levels in 60 rows"),
        ({"min_samples_leaf": 31}, ValueError, r"n_samples=60 is fewer than 2 \* min_samples_leaf"),
    ],
)
def test_parameters_out_of_range(parameters, error, message):
    X, y = sample()
    with pytest.raises(error, match=message):
        LosawRandomForestRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values_are_located(value):
    X, y = sample()
    X[17, 2] = value
    frame = pd.DataFrame(X, columns=["age", "size", "income"])
    with pytest.raises(ValueError, match=r"1 rows .* row 17, column 'income'.*SimpleImputer"):
        LosawRandomForestRegressor().fit(frame, y)


def test_missing_values_are_refused_in_prediction_as_well():
    X, y = sample()
    forest = LosawRandomForestRegressor(n_estimators=1).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1"):
        forest.predict(X)


def test_values_whose_squares_overflow_count_as_infinite():
    X, y = sample()
    X[5, 0] = 1e200
    with pytest.raises(ValueError, match="beyond 1e150; first: row 5"):
        LosawRandomForestRegressor().fit(X, y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_responses(value):
    X, y = sample()
    y[4] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        LosawRandomForestRegressor().fit(X, y)


X, Y = sample()
FRAME = pd.DataFrame(X, columns=["age", "size", "income"])
LEVELS = np.random.default_rng(0).integers(0, 80, (4000, 2)).astype(float)


@pytest.mark.parametrize(
    ("X", "y", "discrete", "message"),
    [
        (X, np.full(60, 3.0), "auto", r"y is constant \(3\)"),
        ([[1.0, 2.0]], [1.0], "auto", "n_samples=1"),
        (LEVELS, LEVELS[:, 1], [0], "80 levels, at most 63"),
        (FRAME, Y, ["incme"], "did you mean 'income'"),
        (X, Y[:-1], "auto", "inconsistent"),
    ],
)
def test_tables_that_cannot_be_fitted(X, y, discrete, message):
    with pytest.raises(ValueError, match=message):
        LosawRandomForestRegressor(discrete_features=discrete).fit(X, y)


@pytest.mark.parametrize("X", [np.array([["a", "b"]] * 20), np.zeros(20), np.zeros((20, 0))])
def test_strings_and_wrong_shapes(X):
    with pytest.raises(ValueError):
        LosawRandomForestRegressor().fit(X, np.arange(20.0))


def test_more_features_than_rows_and_constant_columns_are_fine():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 50))
    X[:, 10:20] = 1.0
    y = X[:, 0] + rng.standard_normal(30)
    forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict(X)).all()
    assert (forest.feature_importances_[10:20] == 0).all()


def test_collinear_features_are_fine():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((80, 2)), 3, axis=1)
    y = X[:, 0] + rng.standard_normal(80)
    forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    assert np.isfinite(forest.feature_importances_).all()


@pytest.mark.parametrize(
    ("choice", "n_features", "expected"),
    [(0.5, 5, 2), (1 / 3, 5, 1), (1 / 3, 6, 2), (0.99, 3, 2), (1.0, 3, 3), (0.01, 3, 1)],
)
def test_a_fraction_of_the_features_is_rounded_down(choice, n_features, expected):
    assert check_max_features(choice, n_features) == expected


def test_a_response_whose_squares_are_infinite_is_refused():
    X, y = sample()
    with pytest.raises(ValueError, match="y has 60 values beyond 1e150"):
        LosawRandomForestRegressor(2).fit(X, np.sign(y) * 1e160)
