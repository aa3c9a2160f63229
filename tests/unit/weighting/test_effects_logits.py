"""Logits in the effects of levels against scipy's solver and their own precision.

Of kernels.logit.effects_fit, kernels.logit.effects_terms, kernels.logit.effects_curvature.
"""

import numpy as np
import pytest

from reference.effects_logits import contrasts, solve
from reference.logit import solve as solve_by_scipy

SHAPES = [  # classes, levels of the discrete features, continuous columns
    (3, (4,), 0),
    (5, (5, 3, 2), 1),
    (8, (), 3),
    (10, (6, 4), 2),
    (10, (10, 10), 0),
    (17, (3,), 0),
]


def draw(rng, n_classes, n_levels, n_columns, strength, n_patterns=60, rows=8):
    """Levels, columns and counts of a logit whose effects are this strong; all classes occur."""
    levels = np.array([np.arange(n_patterns) % m for m in n_levels], dtype=np.int64)
    levels = rng.permuted(levels.reshape(len(n_levels), n_patterns), axis=1).T
    values = rng.standard_normal((n_patterns, n_columns))
    score = values @ rng.normal(0, strength, (n_columns, n_classes))
    for column, m in zip(levels.T, n_levels, strict=True):
        score += rng.normal(0, strength, (m, n_classes))[column]
    share = np.exp(score - score.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(rng.integers(1, rows), p) for p in share]).astype(float)
    counts[0, counts.sum(axis=0) == 0] = 1.0
    return levels, values, counts


def squared_distance(z, counts, p, expected, penalty=1.0):
    """From the probabilities' logit to the optimum, in standard errors at the optimum."""
    n_classes, width = counts.shape[1], z.shape[1]
    size = counts.sum(axis=1)
    ratio = np.log(p[:, 1:] / p[:, :1]) - np.log(expected[:, 1:] / expected[:, :1])
    step = np.linalg.lstsq(z, ratio, rcond=None)[0].T.ravel()
    q = expected[:, 1:]
    curvature = np.einsum("n,nk,kl->nkl", size, q, np.eye(n_classes - 1))
    curvature -= np.einsum("n,nk,nl->nkl", size, q, q)
    hessian = np.einsum("nkl,ni,nj->kilj", curvature, z, z)
    ridge = penalty * np.diag(np.arange(width) > 0)
    hessian += np.einsum("kl,ij->kilj", np.eye(n_classes - 1) - 1 / n_classes, ridge)
    return step @ hessian.reshape(len(step), len(step)) @ step


@pytest.mark.parametrize("strength", [0.3, 3.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_tight_fit_has_the_probabilities_of_scipys_solver(shape, strength):
    logit = draw(np.random.default_rng(0), *shape, strength)
    p, steps = solve(*logit, precision=1e-20)
    assert 0 < steps < 200
    levels, values, counts = logit
    expected = solve_by_scipy(contrasts(levels, values), counts)
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("precision", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("strength", [0.3, 3.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_fit_ends_within_its_precision(shape, strength, precision):
    logit = draw(np.random.default_rng(1), *shape, strength)
    p, _ = solve(*logit, precision=precision)
    expected, _ = solve(*logit, precision=1e-20)
    # what is left is estimated from the last two steps; ten as for logits in contrasts
    assert squared_distance(contrasts(*logit[:2]), logit[2], p, expected) < 10 * precision


@pytest.mark.parametrize("rows", [2, 400])
def test_separated_classes_reach_their_optimum(rows):
    rng = np.random.default_rng(2)
    levels = np.repeat(np.arange(5), 4)[:, None]
    counts = np.zeros((20, 5))
    counts[np.arange(20), levels[:, 0]] = rng.integers(1, rows, 20)
    p, steps = solve(levels, np.zeros((20, 0)), counts, precision=1e-20)
    assert 0 < steps < 200
    expected = solve_by_scipy(contrasts(levels, np.zeros((20, 0))), counts)
    np.testing.assert_allclose(p, expected, rtol=0, atol=1e-9)


def test_predictors_beyond_the_exponential_are_told_apart():
    # one standard deviation of the column moves the predictors by hundreds
    values = 1e4 * np.array([[-1.0], [-0.9], [0.1], [0.2], [1.0], [1.1]])
    counts = np.kron(np.eye(3), np.ones((2, 1))) * 50.0
    counts = np.hstack([counts, np.full((6, 1), 1e-3)])
    p, _ = solve(np.zeros((6, 0), dtype=np.int64), values, counts, precision=1e-10)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert (p.argmax(axis=1) == counts.argmax(axis=1)).all()


def test_the_order_of_patterns_classes_and_levels_does_not_matter():
    rng = np.random.default_rng(3)
    levels, values, counts = draw(rng, 6, (5, 3), 1, 1.0)
    p, _ = solve(levels, values, counts, precision=1e-3)
    patterns, classes = rng.permutation(len(levels)), rng.permutation(6)
    renamed = np.column_stack([rng.permutation(5)[levels[:, 0]], levels[:, 1]])
    q, _ = solve(renamed[patterns], values[patterns], counts[patterns][:, classes], precision=1e-3)
    np.testing.assert_allclose(q, p[patterns][:, classes], rtol=1e-9)
