"""The four tests against SciPy, adjustments against definitions."""

import itertools

import numpy as np
import pytest
from scipy import stats

from losaw.scoring.several_tests import adjust
from losaw.scoring.tests import TESTS, one_sided_test


def run(differences, test, seed=0):
    return one_sided_test(np.asarray(differences), test, np.random.default_rng(seed))


def test_t_is_scipys():
    x = np.random.default_rng(0).standard_normal(40) + 0.3
    found = stats.ttest_1samp(x, 0, alternative="greater")
    assert run(x, "t") == pytest.approx(found.pvalue)


def test_binomial_is_scipys_without_zeros():
    x = np.array([1.0, 2.0, -1.0, 0.0, 3.0])
    assert run(x, "binomial") == pytest.approx(stats.binomtest(3, 4, alternative="greater").pvalue)


def test_fishers_p_value_is_the_share_of_flipped_means():
    values = np.array([3.0, 1.0, 2.0, -1.0, 2.0, -1.5, 1.0, 2.0])
    flips = np.array(list(itertools.product([-1, 1], repeat=8))) @ values
    expected = (flips >= values.sum() - 1e-12).mean()
    found = [run(values, "fisher", seed=seed) for seed in range(20)]
    error = np.sqrt(expected * (1 - expected) / 2000 / 20)
    assert abs(np.mean(found) - expected) < 4 * error


@pytest.mark.parametrize("n_positive", [5, 6])
def test_flips_of_few_rows_that_leave_the_mean_count(n_positive):
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = np.zeros(100)
        values[rng.permutation(100)[:n_positive]] = rng.exponential(size=n_positive)
        found.append(run(values, "fisher", seed=seed))
    assert min(found) > 0.5 * 2.0**-n_positive
    assert np.mean(found) == pytest.approx(2.0**-n_positive, rel=0.15)


@pytest.mark.parametrize("test", TESTS)
def test_the_level_is_held_on_symmetric_differences(test):
    rng = np.random.default_rng(1)
    rejected = sum(run(x, test) <= 0.05 for x in rng.standard_normal((400, 30)))
    # Exact tests reject at most 5 %: 99.99 % binomial bound.
    assert rejected <= stats.binom.ppf(0.9999, 400, 0.05)


def test_holm_multiplies_by_the_hypotheses_left():
    assert adjust([0.01, 0.04, 0.03], "holm") == pytest.approx([0.03, 0.06, 0.06])
    assert adjust([0.7, 0.6], "holm").tolist() == [1.0, 1.0]


def test_fishers_p_value_counts_the_observed_signs():
    assert run(np.linspace(1, 2, 60), "fisher") == 1 / 2000


@pytest.mark.parametrize(("n", "method"), [(15, "exact"), (50, "exact"), (51, "approx")])
def test_wilcoxons_p_value_is_exact_up_to_fifty_rows(n, method):
    x = np.random.default_rng(n).standard_normal(n) + 0.2
    expected = stats.wilcoxon(x, alternative="greater", method=method).pvalue
    assert run(x, "wilcoxon") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [3, 4, 9])
def test_wilcoxons_p_value_is_exact_for_a_few_tied_differences(n):
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 3, n).astype(float)
    signs = np.array(list(itertools.product([-1, 1], repeat=n)))
    sums = np.where(signs > 0, stats.rankdata(sizes), 0).sum(axis=1)
    for own, total in zip(signs[::5], sums[::5], strict=True):
        found = one_sided_test(own * sizes, "wilcoxon", rng)
        assert found == pytest.approx((sums >= total).mean())
