"""The exact cap against the paper's loop and bisection."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from losaw.forest.as_printed.steps import cap
from losaw.weighting import cap_weights, effective_sample_size

SIZES = st.integers(2, 40)
ETAS = st.floats(0.05, 0.99)


@st.composite
def positive_weights(draw):
    size = draw(SIZES)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return np.exp(draw(st.floats(0.1, 4.0)) * rng.standard_normal(size))


@given(positive_weights(), ETAS)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_exact_cap_equals_the_papers_loop_and_bisection(weights, eta):
    np.testing.assert_allclose(cap_weights(weights, eta), cap(weights, eta), rtol=1e-6, atol=1e-12)


@given(positive_weights(), ETAS)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_capped_weights_reach_the_effective_sample_size_and_keep_their_order(weights, eta):
    capped = cap_weights(weights, eta)
    reached = effective_sample_size(capped) / len(weights)
    before = effective_sample_size(weights) / len(weights)
    np.testing.assert_allclose(reached, max(eta, before), rtol=1e-9)
    order = np.argsort(weights)
    assert (np.diff(capped[order]) >= 0).all()
    np.testing.assert_allclose(capped.sum(), 1.0, rtol=1e-12)


@given(positive_weights(), ETAS, st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_counted_rows_are_capped_like_repeated_rows(weights, eta, seed):
    counts = np.random.default_rng(seed).integers(1, 4, len(weights))
    merged = cap_weights(weights, eta, counts)
    repeated = cap_weights(np.repeat(weights, counts), eta)
    np.testing.assert_allclose(np.repeat(merged, counts), repeated, rtol=1e-9)


def test_eta_one_gives_uniform_weights():
    np.testing.assert_allclose(cap_weights([1.0, 5.0, 20.0], 1.0), np.full(3, 1 / 3), rtol=1e-12)


def test_weights_of_any_scale_are_capped_alike():
    weights = np.array([1.0, 2.0, 50.0, 3.0])
    np.testing.assert_allclose(
        cap_weights(weights * 1e-200, 0.5), cap_weights(weights * 1e200, 0.5), rtol=1e-12
    )
