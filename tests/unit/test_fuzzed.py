"""What the fuzz found, kept as cases of their own: each error names its argument.

Of weighting.propensity, weighting.losaw_weights, knockoffs.base, knockoffs.s_matrix,
trends.correlation, fitted_trees.booster, support.signatures, forest.diagnostics.
"""

import numpy as np
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest import diagnose
from losaw.importance import air, cpi, loco, predecomp, residual_importance, sage, treeinner, ufi
from losaw.knockoffs import make_sampler
from losaw.knockoffs.s_matrix import s_values
from losaw.registry import get
from losaw.trends import shapley_correlation
from losaw.weighting import (
    ClassFrequency,
    MultinomialLogit,
    losaw_weights,
    weighted_correlations,
)

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
    with pytest.raises(TypeError, match=r"feature_names must be a sequence of (strings|names)"):
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ufi(forest(), X, Y, features=True),
            "features must be a sequence of strings or None, got True",
        ),
        (
            lambda: cpi(forest(), X, Y, kinds=float("nan")),
            "kinds must be a dict or a sequence of strings or None, got nan",
        ),
        (
            lambda: loco(forest(), X, Y, train=(X, Y), loss=[1, 2]),
            r"loss must be .* or a function or None, got \[1, 2\]",
        ),
        (
            lambda: residual_importance(None, X, Y, algorithm=None),
            "algorithm must be a string or a scikit-learn estimator, got None",
        ),
        (lambda: ufi(forest(), None, Y), "X must be an array or a data frame, got None"),
        (lambda: air(forest(), X + 1j, Y), "X has dtype complex128"),
        (lambda: air(forest(), [[10**400] * 2] * 40, Y), "X holds values that are not numbers"),
        (
            lambda: get("importance", "cpi-gaussian").create(n_folds="five"),
            "n_folds must be an integer of at least 2, got 'five'",
        ),
        (
            lambda: get("importance", "cpi-sequential").create(groups=-1),
            "groups must be a dict or None, got -1",
        ),
        (lambda: losaw_weights(Y, X, reference=1), r"reference has shape \(\), expected \(n,\)"),
    ],
)
def test_a_value_that_does_not_fit_the_signature_is_refused_by_name(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("names", [["X1"], ("X1",), np.array(["X1"]), "X1"])
def test_any_sequence_of_names_fits_a_signature(names):
    assert ufi(forest(), X, Y, features=names).feature_names == ("X1",)


def test_numbers_of_numpy_fit_a_signature():
    assert get("importance", "cpi-gaussian").create(n_folds=np.int64(3)).parameters["n_folds"] == 3
    assert get("importance", "subgroups").create(n_repeats=np.int32(2)).parameters["n_repeats"] == 2


def test_a_checked_function_is_the_same_at_every_look_and_can_be_pickled():
    import pickle

    import losaw.importance

    assert losaw.importance.ufi is losaw.importance.ufi
    assert pickle.loads(pickle.dumps(losaw.importance.ufi)) is losaw.importance.ufi


def test_diagnose_refuses_rows_that_the_forest_was_not_fitted_to():
    fitted = LosawRandomForestRegressor(3, random_state=0).fit(X, Y)
    with pytest.raises(
        ValueError, match="X has other rows than those that the forest was fitted on"
    ):
        diagnose(fitted, np.full_like(X, 9.0))


def test_a_response_that_single_precision_cannot_square_is_refused():
    X = np.random.default_rng(0).standard_normal((40, 10))
    from losaw import LosawNetworkRegressor

    with pytest.raises(ValueError, match=r"^y holds values beyond 1e\+18"):
        LosawNetworkRegressor(n_steps=2).fit(X, 1e149 * X[:, 0])


def test_deep_knockoffs_of_a_column_that_hardly_varies_say_so():
    X = np.random.default_rng(0).standard_normal((40, 2)) * [1.0, 1e-310]
    sampler = make_sampler("deep", n_epochs=2)
    with pytest.raises(ValueError, match=r"^X gives deep knockoffs whose training diverges"):
        sampler.fit(X, ("continuous",) * 2, np.random.default_rng(0))


@pytest.mark.parametrize("target", [None, 1.0, [], [[1.0]]])
def test_frequencies_of_no_vector_are_refused(target):
    with pytest.raises(ValueError, match=r"^target "):
        ClassFrequency().fit(target)
