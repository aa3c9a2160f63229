"""Rows of another precision than the fit's go to the side of their level."""

import numpy as np
import pandas as pd
import pytest

from losaw import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.forest import PlainRandomForestRegressor
from losaw.forest.precision import as_of_fit, precision_of

FORESTS = [
    LosawRandomForestRegressor(n_estimators=10, random_state=0),
    LosawRandomForestClassifier(n_estimators=10, random_state=0),
    PlainRandomForestRegressor(n_estimators=10, random_state=0),
]


def nullable(X):
    return pd.DataFrame(X).astype("Float64" if X.dtype == "f8" else "Float32")


def table():
    rng = np.random.default_rng(0)
    tenths = rng.integers(1, 10, 300) / 10
    rounded = rng.integers(-200, 200, 300) / 100  # more values than a discrete feature has
    X = np.column_stack([tenths, rounded, rng.standard_normal(300)])
    y = (np.sin(40 * tenths) + rounded + 0.1 * rng.standard_normal(300) > 0).astype(int)
    return X, y


@pytest.mark.parametrize(
    ("forest", "make"),
    [*((forest, np.asarray) for forest in FORESTS),
     (FORESTS[0], pd.DataFrame), (FORESTS[0], nullable)],
)  # fmt: skip
@pytest.mark.parametrize(("fitted", "given"), [("f8", "f4"), ("f4", "f8")])
def test_rows_of_another_precision_have_the_predictions_of_the_fits(forest, make, fitted, given):
    X, y = table()
    X[:, 2] = 0.0  # a number that is random to the last bit may be rounded to the other side
    here, there = X.astype(fitted), X.astype(given)
    forest.fit(make(here), y)
    expected = forest.predict(make(here))
    np.testing.assert_array_equal(forest.predict(make(there)), expected)
    np.testing.assert_array_equal(forest.apply(make(there)), forest.apply(make(here)))
    np.testing.assert_array_equal(there, X.astype(given))


def test_a_level_without_an_order_is_itself_in_fewer_bits():
    X, y = table()
    X = np.column_stack([(10 * X[:, 0]).round(), (100 * X[:, 1]).round()])
    forest = LosawRandomForestRegressor(n_estimators=10, random_state=0, nominal_features=[0])
    forest.fit(X, y)
    np.testing.assert_array_equal(forest.predict(X.astype("f4")), forest.predict(X))


@pytest.mark.parametrize("own", [np.float16, np.float32])
def test_no_comparison_differs_from_that_in_the_lower_precision(own):
    rng = np.random.default_rng(1)
    values = rng.standard_normal((2000, 1)).astype(own)
    near = np.nextafter(values, own(9)).astype(float)
    halfway = (near + values) / 2  # rounded to the even one of both
    for thresholds in (values.astype(float), near, halfway, np.nextafter(halfway, -9)):
        rows = as_of_fit(
            values.astype(float), precision_of(values, np.zeros(1, bool)), [np.dtype("f8")]
        )
        np.testing.assert_array_equal(rows <= thresholds, values <= thresholds.astype(own))
