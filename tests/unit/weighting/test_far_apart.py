"""Logits of separated classes, whose linear predictors lie further apart than exponentials reach.

The penalty keeps the optimum finite: it has to be found, or the fit says that it was not.
"""

import numpy as np
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest.growing.arrays import PRECISION
from losaw.weighting import MultinomialLogit, cap_weights, losaw_weights
from reference.logit import ReferenceLogit, solve
from reference.node_by_node import compare

NUMERIC = np.zeros(2, dtype=bool)


def separated(n_classes, n_rows=400, seed=1):
    """Ranks of the levels of a feature cut at its quantiles, and that feature with another."""
    rng = np.random.default_rng(seed)
    z = rng.standard_t(2, (n_rows, 2))
    inner = np.quantile(z[:, 0], np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.searchsorted(inner, z[:, 0]).astype(float), z


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5, 10])
def test_probabilities_and_weights_are_those_of_an_independent_solver(n_classes, scale):
    target, z = separated(n_classes)
    z = scale * z
    is_class = target[:, None] == np.arange(n_classes)
    expected = solve(np.column_stack([np.ones(len(z)), z]), is_class.astype(float))
    model = MultinomialLogit(discrete=NUMERIC, standardize=False)
    probability = model.fit(target, z).probabilities(z)
    assert model.n_steps_ > 0
    # A fit creeps where almost all probabilities are 0 or 1, and is further away than its last
    # steps are long. An inverse magnifies that.
    error = 1e-4
    np.testing.assert_allclose(probability, expected, atol=error)

    weights = losaw_weights(target, z, eta=0.25, propensity=model)
    raw = is_class.mean(axis=0)[target.astype(int)] / expected[is_class]
    np.testing.assert_allclose(weights, cap_weights(raw, 0.25), rtol=10 * error)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_forest_weighs_them_as_with_the_independent_solver(n_classes):
    rng = np.random.default_rng(0)
    target, z = separated(n_classes, n_rows=2000)
    X = np.column_stack([target, z])
    y = z[:, 1] + rng.standard_normal(len(X))
    forest = LosawRandomForestRegressor(
        n_estimators=1, max_depth=2, max_features=None, random_state=0
    ).fit(X, y)
    assert forest.is_discrete_.tolist() == [True, False, False]
    assert compare(forest, X, y, PRECISION**0.5, {"discrete": ReferenceLogit()}) == 3


def test_a_fit_that_does_not_reach_its_optimum_says_so():
    target, z = separated(10)
    with pytest.warns(UserWarning, match="has not reached its optimum"):
        model = MultinomialLogit(discrete=NUMERIC, standardize=False).fit(target, 1e4 * z)
    assert model.n_steps_ == -1
