"""Huge, tiny and odd numbers: the checks of weights, and everything that squares what it is given.

Of support.arguments, weighting.checks.
"""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from losaw.data import Dataset, Sample, Truth, default_feature_names
from losaw.forest import LosawRandomForestRegressor
from losaw.importance import boruta, mdi_oob, ufi
from losaw.knockoffs import make_sampler
from losaw.registry import get
from losaw.support.arguments import as_floats
from losaw.weighting import effective_sample_size, losaw_weights, weighted_correlations

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = X[:, 0] + 0.1 * rng.standard_normal(60)


def data_of(X, y, task="regression"):
    names = default_feature_names(X.shape[1])
    sample = Sample(X, y)
    kinds = ("continuous",) * X.shape[1]
    return Dataset(sample, sample, Truth((0,), X.shape[1]), names, kinds, task=task)


@pytest.mark.parametrize("unit", [1e-300, 1e-162, 1.0, 1e154, 1e300])
def test_the_effective_sample_size_has_no_unit(unit):
    assert effective_sample_size(np.array([1.0, 2.0, 3.0]) * unit) == pytest.approx(36 / 14)


@pytest.mark.parametrize("unit", [1e-300, 1e-162, 1.0, 1e140])
def test_weighted_correlations_have_no_unit(unit):
    target, adjustment, weights = X[:, 0], X[:, 1:] + X[:, [0]], rng.random(60)
    expected = weighted_correlations(target, adjustment, weights)
    found = weighted_correlations(target * unit, adjustment * unit, weights * unit)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_logit_of_a_thousand_levels_is_refused_at_once():
    target = np.arange(2000) % 1000
    with pytest.raises(ValueError, match=r"target has 1000 levels.*merge levels"):
        losaw_weights(target, rng.standard_normal((2000, 3)), propensity="logit")


@pytest.mark.parametrize("sampler", ["gaussian", "sequential"])
@pytest.mark.parametrize(
    "columns", [np.ones((20, 3)), np.ones((20, 1)), X[:20] + 1e17], ids=["all", "one", "lost"]
)
def test_constant_columns_are_their_own_knockoffs(sampler, columns):
    drawn = make_sampler(sampler).fit(columns, None, rng).sample(rng)
    np.testing.assert_array_equal(drawn, columns)


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1e140])
def test_gaussian_knockoffs_have_no_unit(unit):
    knockoffs = [
        make_sampler("gaussian").fit(X * u, None).sample(np.random.default_rng(1)) / u
        for u in (1.0, unit)
    ]
    np.testing.assert_allclose(knockoffs[1], knockoffs[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["cpi-gaussian", "loco", "pfi-difference", "subgroups", "sage"])
def test_importances_refuse_a_response_whose_squares_are_infinite(name):
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"y .*1e150"):
        get("importance", name).create().explain(forest, data_of(X, Y * 1e160), rng)


@pytest.mark.parametrize("function", [ufi, mdi_oob])
def test_forest_importances_refuse_a_response_whose_squares_are_infinite(function):
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"y has .*1e150"):
        function(forest, X, Y * 1e160)


def test_the_forest_refuses_a_response_whose_squares_are_infinite():
    with pytest.raises(ValueError, match="y has 60 values beyond 1e150"):
        LosawRandomForestRegressor(2).fit(X, np.sign(Y) * 1e160)


ODD = {
    "object": lambda y: y.astype(object),
    "float16": lambda y: y.astype(np.float16),
    "longdouble": lambda y: y.astype(np.longdouble),
    "big-endian": lambda y: y.astype(">f8"),
}


@pytest.mark.parametrize("kind", ODD)
def test_boruta_takes_numbers_of_any_type(kind):
    options = {"task": "regression", "n_estimators": 5, "max_runs": 2, "random_state": 0}
    rows, y = ODD[kind](X), ODD[kind](Y)
    found = boruta(None, rows, y, **options)
    expected = boruta(None, rows.astype(float), y.astype(float), **options)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_a_data_set_of_objects_is_refused_by_its_dtype():
    with pytest.raises(TypeError, match=r"train.X must be an array of numbers.* of dtype object"):
        data_of(X.astype(object), Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(["a", "b"] * 30), "y holds values that are not numbers"),
        (np.column_stack([Y, Y]), r"y has shape \(60, 2\)"),
    ],
)
def test_boruta_names_a_bad_response(y, message):
    boruta = get("importance", "boruta").create(n_estimators=5, max_runs=2)
    with pytest.raises(ValueError, match=message):
        boruta.explain(None, data_of(X, y), rng)


@pytest.mark.parametrize(
    "values",
    [[1 + 1j], ["a"], [10**400], np.array(["2020-01-01"], dtype="M8[D]"), [[1.0], [1.0, 2.0]]],
    ids=["complex", "text", "integer", "date", "ragged"],
)
def test_what_is_no_number_is_refused_by_name(values):
    with pytest.raises(ValueError, match="column_of_mine holds"):
        as_floats("column_of_mine", values)
