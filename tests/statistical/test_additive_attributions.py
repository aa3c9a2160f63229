"""Propositions 2 and 4 of TreeInner, as far as a large sample shows what they say of a population.

With independent features and an additive mean, PreDecomp recovers the additive parts; noise
features then have an ensemble's inner product (ForestInner) of 0.
"""

import functools

import numpy as np
import pytest
import xgboost

from losaw.importance import predecomp
from losaw.trees.attributions import attribution_sums

N = 20_000
ROUNDS = (10, 40, 160)


def parts(X):
    """h_1, h_2 and h_3 with mean 0 under the uniform law on [0, 1]; the third is noise."""
    first, second = X[:, 0] - 0.5, np.sin(2 * np.pi * X[:, 1]) / 2
    return np.column_stack([first, second, np.zeros(len(X))])


def independent(rng, n):
    return rng.random((n, 3))


def dependent(rng, n):
    """The same marginals; X2 and X3 are copies of X1 in four of five rows."""
    X, copied = rng.random((n, 3)), rng.random((n, 2)) < 0.8
    X[:, 1:] = np.where(copied, X[:, :1], X[:, 1:])
    return X


def fit(X, y, n_rounds):
    parameters = {"eta": 0.1, "max_depth": 3, "base_score": 0.0, "nthread": 1, "seed": 0}
    return xgboost.train(parameters, xgboost.DMatrix(X, y, nthread=1), n_rounds)


@functools.cache
def distances(draw):
    """E(f_k - h_k)^2 over the variance of the mean, for each number of rounds; (3, 3)."""
    rng = np.random.default_rng(0)
    X, fresh = draw(rng, N), draw(rng, 2000)
    found = []
    for n_rounds in ROUNDS:
        booster = fit(X, parts(X).sum(axis=1), n_rounds)
        attributions, bias = predecomp(booster, fresh)
        assert abs(bias) < 0.02
        found.append(((attributions - parts(fresh)) ** 2).mean(axis=0))
    return np.array(found) / parts(fresh).sum(axis=1).var()


def test_attributions_come_near_the_parts_of_an_additive_mean():
    found = distances(independent)
    assert (np.diff(found[:, :2].sum(axis=1)) < 0).all()
    assert found[-1].max() < 0.01


def test_they_do_not_where_features_depend_on_each_other():
    assert distances(dependent)[-1].max() > 10 * distances(independent)[-1].max()


def moved_by_others(mean, n):
    """Share of an attribution's variance that comes from redrawing the other features."""
    rng = np.random.default_rng(1)
    X, fresh, other = independent(rng, n), independent(rng, 2000), independent(rng, 2000)
    y = mean(X)
    booster = fit(X, y - y.mean(), ROUNDS[-1])
    shares = []
    for k in range(2):
        kept = np.where(np.arange(3) == k, fresh, other)
        one, two = (predecomp(booster, rows)[0][:, k] for rows in (fresh, kept))
        shares.append(((one - two) ** 2).mean() / (2 * one.var()))
    return max(shares)


def test_an_attribution_depends_more_and_more_on_its_own_feature_alone():
    def additive(X):
        return parts(X).sum(axis=1)

    def product(X):
        return parts(X)[:, 0] * parts(X)[:, 1]

    small, large = moved_by_others(additive, 1000), moved_by_others(additive, N)
    assert large < small / 2
    assert moved_by_others(product, N) > 0.5


@pytest.mark.parametrize("rows", ["training", "fresh"])
def test_forest_inner_of_a_noise_feature_goes_to_zero_with_the_sample(rows):
    """X1 and X2 act together, so that the mean is additive in (X1, X2) and X3 only."""
    shares = []
    for n in (500, N):
        rng = np.random.default_rng(2)
        X = independent(rng, n)
        y = 4 * parts(X)[:, 0] * parts(X)[:, 1] + rng.standard_normal(n) / 4
        booster = fit(X, y - y.mean(), ROUNDS[1])
        if rows == "fresh":
            X = independent(rng, n)
            y = 4 * parts(X)[:, 0] * parts(X)[:, 1] + rng.standard_normal(n) / 4
        sums = attribution_sums(booster, X, y - y.mean(), "predecomp")
        inner = np.abs(sums.forest.T @ (y - y.mean()))
        shares.append([inner[2] / inner.sum(), abs(sums.forest_inner[2] / sums.forest_inner.sum())])
    small, large = shares
    assert max(large) < 0.02
    if rows == "training":
        assert min(small) > 5 * max(large)
