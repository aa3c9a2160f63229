"""Bad input is refused at once, with argument, value and remedy."""

import numpy as np
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest.validation import check_max_features


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
