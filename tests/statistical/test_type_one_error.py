"""The type I error of every test over 1,000 mixed tables, inside exact binomial bounds.

PFI, SAGE and subgroups test with cv= whether the model's loss grows, which it does for a feature
without effect as soon as the model uses it a little: that is no error of theirs. MDI, MDI-oob, UFI,
TreeInner, AIR and residual importance give no p-values.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from losaw.importance import boruta, cpi, loco

RUNS, LEVEL = 1000, 0.05
# More rejections come with a probability of at most 1e-4 if the level is exactly .05.
MOST = int(binom.isf(1e-4, RUNS, LEVEL))


def table(rng, n=160):
    """Size decides; a number, a factor and a count go along with it and add nothing."""
    size = rng.standard_normal(n)
    near = 0.5 * size + np.sqrt(0.75) * rng.standard_normal(n)
    town = np.digitize(0.5 * size + np.sqrt(0.75) * rng.standard_normal(n), [-0.5, 0.5])
    rooms = np.digitize(rng.standard_normal(n), [-1.0, 0.0, 1.0]) + 1
    X = pd.DataFrame(
        {"size": size, "near": near, "town": np.array(["x", "y", "z"])[town], "rooms": rooms}
    )
    return X, size + rng.standard_normal(n)


def model():
    encode = make_column_transformer(
        (OneHotEncoder(drop="first"), ["town"]), remainder="passthrough"
    )
    return make_pipeline(encode, LinearRegression())


NULLS = ["near", "town", "rooms"]
FAST = {"n_folds": 3, "n_penalties": 8}


def with_sequential(X, y, rng):
    return cpi(
        model().fit(X[:80], y[:80]),
        X[80:],
        y[80:],
        sampler="sequential",
        sampler_parameters=FAST,
        random_state=rng,
    )


def numbers(X):
    return X.assign(town=X["town"].map({"x": 0.0, "y": 1.0, "z": 2.0}))


def with_gaussian(X, y, rng):
    rows = numbers(X)
    fitted = LinearRegression().fit(rows[:80], y[:80])
    return cpi(fitted, rows[80:], y[80:], sampler="gaussian", random_state=rng)


def with_refits(X, y, rng):
    train = (X[:80], y[:80])
    return loco(model().fit(*train), X[80:], y[80:], train=train, random_state=rng)


def with_folds(X, y, rng):
    return loco(model(), X[:80], y[:80], cv=5, features=NULLS, random_state=rng)


def with_draws_in_folds(X, y, rng):
    rows = numbers(X[:80])
    return cpi(LinearRegression(), rows, y[:80], cv=5, sampler="gaussian", random_state=rng)


METHODS = {
    "cpi, sequential": with_sequential,
    "cpi, gaussian": with_gaussian,
    "cpi, cv": with_draws_in_folds,
    "loco": with_refits,
    "loco, cv": with_folds,
}


def rejections(test):
    """How often each feature without effect is rejected at LEVEL."""
    counts = np.zeros(len(NULLS), dtype=int)
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 11])
        found = test(*table(rng), rng)
        p_values = dict(zip(found.feature_names, found.p_values, strict=True))
        counts += [p_values[name] <= LEVEL for name in NULLS]
    return counts


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_features_without_effect_are_rejected_at_most_at_the_level(name):
    assert (rejections(METHODS[name]) <= MOST).all()


@pytest.mark.long
def test_boruta_rarely_confirms_a_feature_that_is_independent_of_all():
    # Its errors are of the family: alpha after Bonferroni's correction, for all features together.
    count = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 13])
        X, y = rng.standard_normal((60, 3)), rng.standard_normal(60)
        X[:, 2] = rng.integers(0, 3, 60)
        found = boruta(X, y, n_estimators=10, max_runs=12, alpha=LEVEL, random_state=rng)
        count += (found.details["decisions"] == 1).any()
    assert count <= MOST
