"""Knockoffs pass the swap tests, impostors do not.

Under exchangeability the smallest of three Bonferroni-adjusted p-values falls below .0005 with
probability .0015 at most; seeds are fixed.
"""

import numpy as np
import pytest

from losaw.knockoffs import make_sampler
from losaw.study.generators.conditional_dag import ConditionalDagGenerator
from losaw.study.learners.encoding import Encoding
from reference.second_moments import second_moments
from reference.swap_tests import swap_tests

LEVEL = 0.0005
SIGMA = 0.5 + 0.5 * np.eye(5)


def normal(n=1500, seed=0):
    return np.random.default_rng(seed).multivariate_normal(np.zeros(5), SIGMA, n)


def mixed(seed=0):
    generator = ConditionalDagGenerator(n_samples=1500, categorical="X1+X3", n_levels=4, beta=0.9)
    data = generator.sample(np.random.default_rng(seed))
    return data.train.X, data.feature_kinds


def p_values(X, knockoffs, kinds=None):
    return {name: found.p_value for name, found in swap_tests(X, knockoffs, kinds).items()}


@pytest.mark.parametrize("method", ["sdp", "mvr"])
def test_gaussian_knockoffs_of_normal_data_are_exchangeable(method):
    X = normal()
    sampler = make_sampler("gaussian", s_method=method).fit(X)
    assert min(p_values(X, sampler.sample(np.random.default_rng(1))).values()) > LEVEL


def test_sequential_knockoffs_of_mixed_data_are_exchangeable():
    X, kinds = mixed()
    rng = np.random.default_rng(1)
    assert min(
        p_values(X, make_sampler("sequential").fit(X, kinds).sample(rng), kinds).values()
    ) > (LEVEL)


def test_sequential_knockoffs_of_normal_data_are_exchangeable():
    X = normal()
    sampler = make_sampler("sequential").fit(X)
    assert min(p_values(X, sampler.sample(np.random.default_rng(2))).values()) > LEVEL


def test_rows_in_another_order_fail_only_where_one_column_is_swapped():
    X = normal()
    found = p_values(X, X[np.random.default_rng(3).permutation(len(X))])
    assert found["pair-swapped"] < LEVEL
    assert found["pairwise"] > LEVEL


def test_independent_permutations_fail_the_pairwise_test():
    X = normal()
    rng = np.random.default_rng(4)
    found = p_values(X, np.column_stack([rng.permutation(column) for column in X.T]))
    assert found["pairwise"] < LEVEL


def test_a_wrong_marginal_fails_the_marginal_test():
    X, kinds = mixed()
    knockoffs = make_sampler("sequential").fit(X, kinds).sample(np.random.default_rng(5))
    knockoffs[:, 0] = 0.0
    assert p_values(X, knockoffs, kinds)["marginal"] < LEVEL


def test_gaussian_knockoffs_have_the_second_moments_that_s_prescribes():
    X = normal(n=20_000)
    sampler = make_sampler("gaussian").fit(X)
    found = second_moments(X, sampler.sample(np.random.default_rng(6)))
    # Five standard errors of a correlation of 20,000 rows.
    bound = 5 / np.sqrt(20_000) * np.sqrt(2)
    assert found.own < bound
    assert found.cross < bound
    assert np.abs(found.self_correlation - (1 - sampler.s_)).max() < bound


@pytest.mark.long
@pytest.mark.parametrize("categorical", ["none", "X1+X3"])
def test_deep_knockoffs_have_the_moments_of_gaussian_ones(categorical):
    generator = ConditionalDagGenerator(n_samples=1000, categorical=categorical)
    data = generator.sample(np.random.default_rng(0))
    X = Encoding.learn(data.test.X, generator.categorical, "dummies").encode(data.test.X)
    target = 1 - make_sampler("gaussian").fit(X).s_
    sampler = make_sampler("deep").fit(X, None, np.random.default_rng(7))
    found = second_moments(X, sampler.sample(np.random.default_rng(8)))
    # Five standard errors of a correlation of the 340 rows that the network was trained on.
    bound = 5 / np.sqrt(len(X))
    assert found.own < bound
    assert found.cross < bound
    assert np.abs(found.self_correlation - target).max() < bound
