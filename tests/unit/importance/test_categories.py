"""Importances and trends of losaw forests that split categories into sets of levels."""

import numpy as np
import pandas as pd
import pytest

from losaw.forest import LosawRandomForestRegressor
from losaw.importance import mdi_oob, split_improvement, tree_permutation, ufi
from losaw.trends import absolute_traversal_rate, relative_traversal_rate


def fitted(n=240, n_estimators=10):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, n)
    X = pd.DataFrame(
        {
            "town": pd.Categorical.from_codes(codes, ["Ulm", "Aalen", "Linz", "Bern", "Graz"]),
            "age": rng.standard_normal(n) + 0.3 * codes,
            "noise": pd.Categorical.from_codes(rng.integers(0, 5, n), list("vwxyz")),
        }
    )
    y = np.array([2.0, -1.0, 0.5, 1.0, -2.0])[codes] + X["age"] + 0.3 * rng.standard_normal(n)
    forest = LosawRandomForestRegressor(n_estimators=n_estimators, max_features=2, random_state=0)
    return forest.fit(X, y), X, y


@pytest.mark.parametrize("method", [ufi, mdi_oob, split_improvement])
def test_scores_of_a_frame_with_categories(method):
    forest, X, y = fitted()
    result = method(forest, X, y)
    assert result.feature_names == ("town", "age", "noise")
    assert result.scores[0] > 5 * abs(result.scores[2])
    assert result.scores[1] > 5 * abs(result.scores[2])


def test_permuting_a_column_of_levels_costs_what_it_explains():
    forest, X, y = fitted()
    result = tree_permutation(forest, X, y, random_state=0)
    assert result.scores[0] > 10 * abs(result.scores[2])


def test_a_nominal_feature_has_no_trend():
    forest = fitted()[0]
    for result in (
        absolute_traversal_rate(forest),
        relative_traversal_rate(forest),
    ):
        assert result.feature_names == ("town", "age", "noise")
        assert np.isnan(result.scores[[0, 2]]).all()
        assert result.scores[1] > 0.5


def test_an_array_is_named_as_the_forest_was_fitted():
    _, X, y = fitted()
    ages = pd.DataFrame({"age": X["age"], "square": X["age"] ** 2})
    forest = LosawRandomForestRegressor(n_estimators=3, random_state=0).fit(ages, y)
    with pytest.warns(UserWarning, match="feature names"):
        result = ufi(forest, ages.to_numpy(), y)
    assert result.feature_names == ("age", "square")
    np.testing.assert_array_equal(result.scores, ufi(forest, ages, y).scores)
