"""Logits of many classes and columns, and of separated classes, against their optimum.

Linear predictors of separated classes lie further apart than exponentials reach. The penalty keeps
the optimum finite: it has to be found, or the fit says that it was not.
"""

import numpy as np
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest.growing import arrays
from losaw.weighting import MultinomialLogit, cap_weights, losaw_weights
from losaw.weighting.propensity import PRECISION
from reference.logit import ReferenceLogit, solve
from reference.node_by_node import compare


def draw(rng, n_classes, levels, n_columns, rows, strength):
    """A target that depends on discrete and standardised continuous features; they, the levels."""
    discrete = rng.integers(0, levels, (150, len(levels)))
    columns = rng.standard_normal((150, n_columns))
    score = np.zeros((150, n_classes))
    for j, n_levels in enumerate(levels):
        score += rng.normal(0, strength, (n_levels, n_classes))[discrete[:, j]]
    score += columns @ rng.normal(0, strength, (n_columns, n_classes))
    share = np.exp(score - score.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(rows, p) for p in share])
    pattern, target = np.nonzero(counts)
    mask = np.arange(len(levels) + n_columns) < len(levels)
    return target, np.hstack([discrete, columns])[pattern], mask, counts[pattern, target]


def distance(model, target, adjustment, counts):
    """Squared distance to the optimum in standard errors, g' H^-1 g with the exact Hessian."""
    z = model.encoder_(adjustment)
    p = model.probabilities(adjustment)
    n_classes, width = p.shape[1], z.shape[1]
    full = np.vstack([np.zeros(width), model.coefficients_])
    is_target = target[:, None] == model.classes_
    share = 1 / n_classes if n_classes > 2 else 0.0
    shrink = full - share * full.sum(axis=0)
    shrink[:, 0] = 0.0
    gradient = ((counts[:, None] * (is_target - p)).T @ z - shrink)[1:]
    q = p[:, 1:]
    curvature = np.einsum("n,nk,kl->nkl", counts, q, np.eye(n_classes - 1))
    curvature -= np.einsum("n,nk,nl->nkl", counts, q, q)
    hessian = np.einsum("nkl,ni,nj->kilj", curvature, z, z)
    ridge = np.diag(np.arange(width) > 0).astype(float)
    hessian += np.einsum("kl,ij->kilj", np.eye(n_classes - 1) - share, ridge)
    size = (n_classes - 1) * width
    step = np.linalg.lstsq(hessian.reshape(size, size), gradient.ravel(), rcond=1e-13)[0]
    return gradient.ravel() @ step


@pytest.mark.parametrize("strength", [0.3, 2.0, 30.0])  # classes alike, apart, separated
@pytest.mark.parametrize("rows", [1, 400])  # of a pattern
@pytest.mark.parametrize(
    ("n_classes", "levels", "n_columns"),
    [(3, (3,), 0), (3, (9,), 1), (5, (5, 5, 2), 0), (10, (4, 6), 2)],
)
def test_logits_end_at_their_optimum(n_classes, levels, n_columns, rows, strength):
    rng = np.random.default_rng([n_classes, rows])
    target, adjustment, mask, counts = draw(rng, n_classes, levels, n_columns, rows, strength)
    model = MultinomialLogit(discrete=mask, standardize=False).fit(target, adjustment, counts)
    assert model.n_steps_ > 0
    assert abs(distance(model, target, adjustment, counts)) < 10 * PRECISION


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
    assert compare(forest, X, y, arrays.PRECISION**0.5, {"discrete": ReferenceLogit()}) == 3


def test_a_fit_that_does_not_reach_its_optimum_says_so():
    target, z = separated(10)
    with pytest.warns(UserWarning, match="has not reached its optimum"):
        model = MultinomialLogit(discrete=NUMERIC, standardize=False).fit(target, 1e4 * z)
    assert model.n_steps_ == -1
