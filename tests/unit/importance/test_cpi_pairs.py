"""CPI of pairs: what it estimates in closed form, and the level of its test."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from losaw.forest import LosawRandomForestRegressor
from losaw.importance import cpi_pairs


class Known:
    """A model that is a function of the columns."""

    def __init__(self, function):
        self.function = function

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.function(*np.asarray(X).T)


def linear(x, z, w):
    return x + 0.5 * z + w


def opposite(x, z, w):
    return x - 0.5 * z + w


def product(x, z, w):
    return x * z + w


@pytest.mark.parametrize(
    ("of_model", "of_y", "r", "expected"),
    [
        (product, product, 0.0, 2.0),
        (product, lambda x, z, w: 0.5 * x * z, 0.0, 1.0),
        # Either is additive: whatever the other one is.
        (product, linear, 0.0, 0.0),
        (linear, product, 0.0, 0.0),
        (linear, linear, 0.6, -0.6),
        (opposite, opposite, 0.6, 0.6),
    ],
)
def test_the_score_of_normal_features_is_within_three_errors_of_its_closed_form(
    of_model, of_y, r, expected
):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((2000, 3))
    X[:, 1] = r * X[:, 0] + np.sqrt(1 - r**2) * X[:, 1]
    y = of_y(*X.T) + 0.5 * rng.standard_normal(len(X))
    pairs = [("X1", "X2"), ("X3", "X1")]
    found = cpi_pairs(Known(of_model), X, y, pairs, n_draws=3, random_state=0)
    assert (np.abs(found.scores - [expected, 0.0]) <= 3 * found.std_error + 1e-12).all()


@pytest.mark.parametrize("cv", [None, 3])
def test_pairs_of_an_additive_response_are_found_at_the_level(cv):
    runs, found = 25, np.zeros(3)
    for seed in range(runs):
        rng = np.random.default_rng([seed, 3])
        X = rng.standard_normal((240, 3))
        X[:, 2] += X[:, 1]  # a noisy copy of a cause
        y = np.abs(X[:, 0]) + X[:, 1] + rng.standard_normal(len(X))
        model = DecisionTreeRegressor(max_depth=4, min_samples_leaf=5, random_state=0)
        rows = slice(240) if cv else slice(120, 240)
        model.fit(X[:120], y[:120])
        pairs = [("X1", "X2"), ("X1", "X3"), ("X2", "X3")]
        result = cpi_pairs(model, X[rows], y[rows], pairs, cv=cv, random_state=seed)
        found += result.p_values <= 0.05
    # A level of .3 is found with .49, one of .15 with .03; it takes 220 runs to find it with .93.
    assert (found <= binom.isf(1e-4, runs, 0.05)).all()


class Wrapped:
    """A model of which nobody knows that it is a mean of trees."""

    def __init__(self, model):
        self.predict = model.predict


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(20, random_state=0),
        ExtraTreesRegressor(20, random_state=0),
        LosawRandomForestRegressor(20, random_state=0),
    ],
)
def test_pairs_are_exchanged_in_trees_as_in_any_other_model(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((450, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    fitted, pairs = model.fit(X[:300], y[:300]), [("X1", "X2"), ("X1", "X3")]
    of_trees, of_any = (
        cpi_pairs(given, X[300:], y[300:], pairs, n_draws=2, random_state=0)
        for given in (fitted, Wrapped(fitted))
    )
    np.testing.assert_allclose(of_trees.scores, of_any.scores, rtol=1e-9)
    np.testing.assert_allclose(of_trees.std_error, of_any.std_error, rtol=1e-9)
    assert of_trees.select(fwer=0.05) == ("X1 & X2",)
