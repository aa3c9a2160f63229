"""Eight logits side by side against their own optimality conditions and each other.

Of kernels.logit.eight_newton, kernels.logit.eight_terms.
"""

import numpy as np
import pytest

from losaw.kernels.vectors import LANES
from losaw.weighting.levels import helmert
from reference.eight_logits import solve

pytestmark = pytest.mark.long

SIZES = [(3, 3, 3), (2, 2, 2), (5, 2, 4), (9, 3, 5), (7, 4, 3), (20, 3, 9)]


def draw(rng, n_patterns, n_classes, width, strength=2.0):
    """Design and counts of one logit; every class occurs."""
    z = np.ones((n_patterns, width))
    z[:, 1:] = rng.choice([-1.0, 0.0, 1.0], (n_patterns, width - 1))
    shares = np.exp(z @ rng.normal(0, strength, (width, n_classes)))
    shares /= shares.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(rng.integers(1, 25), share) for share in shares]).T
    counts[counts.sum(axis=1) == 0, 0] = 1
    return z, counts.astype(float)


def gradient(z, counts, b, penalty):
    """Derivative of the penalised log-likelihood, by its definition."""
    full = np.vstack([np.zeros(z.shape[1]), b])
    odds = np.exp(z @ full.T)
    p = odds / odds.sum(axis=1, keepdims=True)
    score = (counts.T - counts.sum(axis=0)[:, None] * p).T @ z
    centre = full.mean(axis=0) if len(full) > 2 else 0.0
    shrink = penalty * (full - centre)
    shrink[:, 0] = 0.0
    return (score - shrink)[1:], p.T


@pytest.mark.parametrize("size", SIZES)
def test_every_lane_is_at_its_optimum(size):
    rng = np.random.default_rng(0)
    logits = [draw(rng, *size) for _ in range(LANES)]
    probability, coefficients = solve(logits)
    for (z, counts), p, b in zip(logits, probability, coefficients, strict=True):
        slope, expected = gradient(z, counts, b, 1.0)
        # the decrement at the end is below 1e-5, and full steps square it once more
        assert np.abs(slope).max() < 1e-5 * counts.sum()
        np.testing.assert_allclose(p, expected, rtol=1e-12)


def test_a_lane_does_not_depend_on_its_neighbours():
    rng = np.random.default_rng(1)
    # the neighbours of the second call are so steep that their steps are halved
    calm = [draw(rng, 9, 3, 5, strength=0.5) for _ in range(LANES)]
    steep = [draw(rng, 9, 3, 5, strength=30.0) for _ in range(LANES)]
    alone = solve(calm[:1])[0][0]
    for others in (calm[1:], steep[1:]):
        np.testing.assert_array_equal(solve([calm[0], *others])[0][0], alone)


@pytest.mark.parametrize("size", SIZES[:4])
def test_unused_patterns_and_coefficients_change_nothing(size):
    rng = np.random.default_rng(2)
    logits = [draw(rng, *size) for _ in range(3)]
    n_patterns, n_classes, width = size
    small, _ = solve(logits)
    large, _ = solve(logits, size=(n_patterns + 3, n_classes, width + 2))
    np.testing.assert_allclose(large[:3, :, :n_patterns], small[:3], rtol=1e-9)


def test_a_level_without_rows_may_stay_in_the_design():
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 12, (3, 2)).astype(float)
    two = np.column_stack([np.ones(2), helmert(2)])
    three = np.column_stack([np.ones(3), helmert(3)])
    expected = solve([(two, counts)])[0][0]
    for absent in range(3):
        present = [level for level in range(3) if level != absent]
        padded = np.zeros((3, 3))
        padded[:, present] = counts
        result = solve([(three, padded)])[0][0][:, present]
        np.testing.assert_allclose(result, expected, rtol=1e-6)
