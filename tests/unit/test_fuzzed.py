"""What the fuzz found, kept as cases of their own: each error names its argument.

Of weighting.propensity, weighting.losaw_weights, knockoffs.base, knockoffs.s_matrix,
trends.correlation, fitted_trees.booster.
"""

import numpy as np
import pytest

from losaw.importance import predecomp, sage, treeinner
from losaw.knockoffs import make_sampler
from losaw.knockoffs.s_matrix import s_values
from losaw.trends import shapley_correlation
from losaw.weighting import MultinomialLogit, weighted_correlations

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 2))
Y = X[:, 0]


def forest():
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(3, random_state=0).fit(X, Y)


def booster():
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBRegressor(n_estimators=2, max_depth=2).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MultinomialLogit(C=1e300), "C must be positive and at most 1e"),
        (lambda: weighted_correlations(Y, X, np.ones(30)), r"weights has shape \(30,\)"),
        (lambda: s_values(np.eye(2), None), "unknown method None"),
        (lambda: make_sampler("gaussian").fit(X, True), "kinds must be a sequence"),
        (lambda: make_sampler("sequential").fit(X, "nominal"), "kinds must be a sequence"),
        (lambda: sage(forest(), X, Y, threshold="auto"), "threshold"),
        (lambda: shapley_correlation(forest(), X, n_rows="auto"), "n_rows must be an integer"),
        (lambda: predecomp(booster(), 1e40 * X), "X holds values beyond 3.4e38"),
        (lambda: treeinner(booster(), 1e40 * X, Y), "X holds values beyond 3.4e38"),
    ],
)
def test_the_error_names_the_argument(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_numbers_in_the_other_order_of_bytes_are_read():
    model = booster()
    found, expected = predecomp(model, X.astype(">f8")), predecomp(model, X)
    np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("given", [True, 3, "ab"])
def test_names_of_features_that_are_no_sequence_are_refused_by_name(given):
    with pytest.raises(TypeError, match="feature_names must be a sequence of names"):
        sage(forest(), X, Y, feature_names=given, random_state=0)


def test_a_shrinkage_that_is_no_number_is_refused_by_name():
    with pytest.raises(TypeError, match="shrinkage must be in"):
        make_sampler("gaussian", shrinkage="half")


@pytest.mark.parametrize("name", ["n_epochs", "n_layers", "batch_size"])
def test_sizes_of_deep_knockoffs_that_are_no_numbers_are_refused_by_name(name):
    with pytest.raises(TypeError, match=f"{name} must be an integer"):
        make_sampler("deep", **{name: None})


@pytest.mark.parametrize("name", ["n_folds", "mixing", "tolerance", "patience"])
def test_sizes_of_sequential_knockoffs_that_are_no_numbers_are_refused_by_name(name):
    with pytest.raises(TypeError, match=f"{name} must be"):
        make_sampler("sequential", **{name: "half"})
