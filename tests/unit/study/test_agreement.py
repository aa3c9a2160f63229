"""z-scores against what theory says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm
from scipy.stats import t as student

from losaw.study.results.agreement import verdict, z_score


def test_z_adds_both_monte_carlo_errors_and_the_rounding():
    z = z_score(0.53, sd=0.1, n_seeds=25, published=0.5, decimals=1, published_runs=100)
    t = 0.03 / math.sqrt(0.01 / 25 + 0.01 / 100 + 0.01 / 12)
    assert norm.sf(z) == pytest.approx(student.sf(t, 24))


@pytest.mark.parametrize("n_seeds", [3, 40])
def test_z_is_standard_normal_when_both_means_come_from_one_law(n_seeds):
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(2000):
        ours, theirs = rng.normal(0.4, 0.2, n_seeds), rng.normal(0.4, 0.2, 250)
        printed = round(float(theirs.mean()), 3)
        scores.append(z_score(ours.mean(), ours.std(ddof=1), n_seeds, printed, 3, 250))
    assert kstest(scores, norm.cdf).pvalue > 0.001


@given(st.floats(0.5, 1.0), st.integers(2, 250), st.sampled_from([1, 100, 250]))
def test_a_sample_without_variation_is_judged_by_exchangeability(published, n_seeds, n_printed):
    published = round(published, 3)
    z = z_score(1.0, 0.0, n_seeds, published, 3, n_printed, (0.0, 1.0))
    k = math.ceil(max(0.0, 1.0 - published - 0.0005) * n_printed - 1e-9)
    exact = math.comb(n_printed, k) / math.comb(n_seeds + n_printed, k)
    assert 2 * norm.sf(abs(z)) == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_one_printed_run_far_from_many_equal_ones_is_noticed():
    assert 2 < abs(z_score(0.417, 0.0, 40, 0.976, 3, 1, (0.0, 1.0))) < 3


def test_one_seed_shows_no_error():
    assert math.isnan(z_score(0.5, math.nan, 1, 0.5, 3, 250))


@pytest.mark.parametrize(
    ("z", "word"), [(0.0, "agrees"), (-2.0, "agrees"), (2.5, "near"), (-3.1, "differs")]
)
def test_the_verdict_follows_z(z, word):
    assert verdict(z, True, True) == word


def test_the_verdict_says_what_is_missing():
    assert verdict(math.nan, True, False) == "not run"
    assert verdict(math.nan, False, True) == "not printed"
