"""Tests of several features of pure noise, in folds: at their level, by an exact binomial bound."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor

from losaw.importance import cpi, hierarchy

N_ROWS, RUNS, LEVEL = 400, 25, 0.05
# More come with a probability of at most 1e-4 at the level. A level of .3 is found with .49, one of
# .15 with .03; 220 runs, of nine times the seconds whatever the rows, would find it with .93.
MOST = int(binom.isf(1e-4, RUNS, LEVEL))


def normal(rng):
    return rng.standard_normal((N_ROWS, 8))


def mixed(rng):
    return np.column_stack(
        [rng.standard_normal((N_ROWS, 4)), rng.integers(0, 3, N_ROWS), rng.poisson(2.0, N_ROWS)]
    )


def copies(rng):
    X = rng.standard_normal((N_ROWS, 6))
    X[:, 3:] = X[:, :3] + 0.1 * X[:, 3:]
    return X


def whole_tree(model, X, y, seed):
    return bool(hierarchy(model, X, y, cv=5, random_state=seed).selected)


def all_as_a_group(model, X, y, seed):
    names = [f"X{j + 1}" for j in range(X.shape[1])]
    found = cpi(model, X, y, cv=5, groups={"all": names}, features=["all"], random_state=seed)
    return found.p_values[0] <= LEVEL


@pytest.mark.parametrize(
    ("table", "model", "rejects"),
    [
        (normal, RandomForestRegressor(20, max_features=3, random_state=0), whole_tree),
        pytest.param(
            normal,
            HistGradientBoostingRegressor(max_iter=100, min_samples_leaf=5),
            all_as_a_group,
            marks=pytest.mark.long,
        ),
        (mixed, KNeighborsRegressor(10, weights="distance"), all_as_a_group),
        (copies, KNeighborsRegressor(10, weights="distance"), whole_tree),
    ],
)
def test_features_of_noise_do_not_matter_together(table, model, rejects):
    rejected = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 17])
        X, y = table(rng), rng.standard_normal(N_ROWS)
        rejected += rejects(model, X, y, seed)
    assert rejected <= MOST
