"""Knockoffs pass the swap tests, impostors do not.

Under exchangeability the smallest of three Bonferroni-adjusted p-values falls below .0005 with
probability .0015 at most; seeds are fixed.
"""

import numpy as np
import pytest
from scipy.stats import norm

from losaw.knockoffs import make_sampler
from losaw.study.generators.conditional_dag import CATEGORICAL, ConditionalDagGenerator
from losaw.study.learners.encoded import Encoding
from reference.second_moments import second_moments

LEVEL = 0.0005
SIGMA = 0.5 + 0.5 * np.eye(5)


def normal(n=1500, seed=0):
    X = np.random.default_rng(seed).multivariate_normal(np.zeros(5), SIGMA, n)
    return X, ("continuous",) * 5


def mixed(seed=0):
    generator = ConditionalDagGenerator(n_samples=1500, categorical="X1+X3", n_levels=4, beta=0.9)
    data = generator.sample(np.random.default_rng(seed))
    return data.train.X, data.feature_kinds


def functions(X, copies, kinds):
    """Column of every function, and its values on X and on the knockoffs, centred alike."""
    columns, originals, swapped = [], [], []
    for j, kind in enumerate(kinds):
        both = np.concatenate([X[:, j], copies[:, j]])
        if kind == "nominal":
            values = [(both == level).astype(float) for level in np.unique(X[:, j])[1:]]
        else:
            scaled = (both - both.mean()) / both.std()
            values = [scaled, scaled**2]
        for column in values:
            # Centring by the pooled mean is unchanged by swaps.
            centred = column - column.mean()
            columns.append(j)
            originals.append(centred[: len(X)])
            swapped.append(centred[len(X) :])
    return np.array(columns), np.column_stack(originals), np.column_stack(swapped)


def p_values(X, knockoffs, kinds):
    """Test (X, X~)_swap(S) =_d (X, X~) through means of products that a swap exchanges.

    With g functions of one column (standardised value and its square; indicators of levels), under
    exchangeability these differences have mean 0 for all j, k:

    - ``marginal``: g(X_j) - g(X~_j), one column swapped;
    - ``pairwise``: g(X_j) h(X_k) - g(X~_j) h(X~_k), both swapped;
    - ``pair-swapped``: g(X_j) h(X_k) - g(X~_j) h(X_k), k not swapped.

    Every mean is compared with its standard error over rows (normal law); the smallest p-value
    of a family is multiplied by their number.
    """
    columns, g, swapped = functions(X, knockoffs, kinds)
    first, second = np.nonzero(columns[:, None] < columns)
    one, other = np.nonzero(columns[:, None] != columns)
    families = {
        "marginal": g - swapped,
        "pairwise": g[:, first] * g[:, second] - swapped[:, first] * swapped[:, second],
        "pair-swapped": (g[:, one] - swapped[:, one]) * g[:, other],
    }
    found = {}
    for name, differences in families.items():
        z = differences.mean(axis=0) / (differences.std(axis=0) / np.sqrt(len(X)))
        found[name] = 2 * norm.sf(np.abs(z).max()) * len(z)
    return found


@pytest.mark.parametrize(
    ("data", "sampler", "options"),
    [
        (normal, "gaussian", {"s_method": "sdp"}),
        (normal, "gaussian", {"s_method": "mvr"}),
        (normal, "sequential", {}),
        (mixed, "sequential", {}),
    ],
)
def test_knockoffs_are_exchangeable(data, sampler, options):
    X, kinds = data()
    knockoffs = make_sampler(sampler, **options).fit(X, kinds).sample(np.random.default_rng(1))
    assert min(p_values(X, knockoffs, kinds).values()) > LEVEL


def test_rows_in_another_order_fail_only_where_one_column_is_swapped():
    X, kinds = normal()
    found = p_values(X, X[np.random.default_rng(3).permutation(len(X))], kinds)
    assert found["pair-swapped"] < LEVEL
    assert found["pairwise"] > LEVEL


def test_independent_permutations_fail_the_pairwise_test():
    X, kinds = normal()
    rng = np.random.default_rng(4)
    found = p_values(X, np.column_stack([rng.permutation(column) for column in X.T]), kinds)
    assert found["pairwise"] < LEVEL


def test_a_wrong_marginal_fails_the_marginal_test():
    X, kinds = mixed()
    knockoffs = make_sampler("sequential").fit(X, kinds).sample(np.random.default_rng(5))
    knockoffs[:, 0] = 0.0
    assert p_values(X, knockoffs, kinds)["marginal"] < LEVEL


def test_gaussian_knockoffs_have_the_second_moments_that_s_prescribes():
    X, _ = normal(n=20_000)
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
    X = Encoding.learn(data.test.X, CATEGORICAL[categorical], "dummies").encode(data.test.X)
    target = 1 - make_sampler("gaussian").fit(X).s_
    sampler = make_sampler("deep").fit(X, None, np.random.default_rng(7))
    found = second_moments(X, sampler.sample(np.random.default_rng(8)))
    # Five standard errors of a correlation of the 340 rows that the network was trained on.
    bound = 5 / np.sqrt(len(X))
    assert found.own < bound
    assert found.cross < bound
    assert np.abs(found.self_correlation - target).max() < bound
