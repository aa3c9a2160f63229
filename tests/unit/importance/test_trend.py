"""Trend estimators as importances."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from reference.in_study import data_of, in_study

NAMES = ("atr", "rtr", "linear-coefficient", "pearson", "spearman", "shap-pearson", "shap-spearman")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    data = data_of(X, X[:, 0] - X[:, 1] + 5)
    return RandomForestRegressor(10, random_state=0).fit(*data.train), data


@pytest.mark.parametrize("name", NAMES)
def test_signed_scores_are_the_estimates_and_others_their_size(fitted, name):
    options = {"n_rows": 40} if name.startswith("shap") else {}
    signed, size = (
        in_study(name, signed=signed, **options).explain(*fitted, np.random.default_rng(0))
        for signed in (True, False)
    )
    assert signed.scores[0] > 0 > signed.scores[1]
    np.testing.assert_array_equal(np.abs(signed.scores), size.scores)
    assert size.feature_names == ("X1", "X2", "X3")
