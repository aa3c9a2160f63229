"""Logits of many classes and columns against their own optimality conditions."""

import numpy as np
import pytest

from losaw.weighting import MultinomialLogit
from losaw.weighting.propensity import PRECISION


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
