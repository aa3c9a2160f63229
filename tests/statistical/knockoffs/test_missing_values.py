"""Sequential knockoffs of incomplete columns: swap exchangeability, missingness included."""

import numpy as np
import pytest

from losaw.knockoffs.sequential import SequentialKnockoffs


def incomplete(n, seed):
    """Two numbers and a level; the first is missing where the second is large, more often."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(n)
    b = 0.6 * a + 0.8 * rng.standard_normal(n)
    level = (a + rng.standard_normal(n) > 0).astype(float)
    X = np.column_stack([a, b, level])
    X[rng.random(n) < 1 / (1 + np.exp(-2 * b)) * 0.5, 0] = np.nan
    X[rng.random(n) < 0.2, 2] = np.nan
    return X


def parts(X):
    """Column of every function, and the functions: values where there are any, and what is not."""
    found = []
    for j in range(X.shape[1]):
        missing = np.isnan(X[:, j])
        found += [(j, np.where(missing, 0.0, X[:, j])), (j, missing.astype(float))]
    return found


def test_missing_values_are_exchangeable_with_those_of_the_knockoffs():
    n = 3000
    X = incomplete(n, seed=1)
    copies = SequentialKnockoffs(n_folds=5, n_penalties=40).fit(
        X, ("continuous", "continuous", "nominal")
    ).sample(np.random.default_rng(2))  # fmt: skip
    own, others = parts(X), parts(copies)
    scores = []
    for (j, g), (_, g_copy) in zip(own, others, strict=True):
        scores.append(_z(g - g_copy))
        for (k, h), (_, h_copy) in zip(own, others, strict=True):
            if j != k:
                scores.append(_z((g - g_copy) * h))
                scores.append(_z(g * h - g_copy * h_copy))
    # P(|z| > 4.5) is 7e-6, times the number of the tests below .001.
    assert np.abs(scores).max() < 4.5, np.round(scores, 1)


def test_what_is_missing_is_not_copied():
    X = incomplete(2000, seed=3)
    copies = SequentialKnockoffs(n_folds=3, n_penalties=20).fit(
        X, ("continuous", "continuous", "nominal")
    ).sample(np.random.default_rng(4))  # fmt: skip
    missing, drawn = np.isnan(X[:, 2]), np.isnan(copies[:, 2])
    # Missing completely at random: the two are independent.
    assert abs(np.corrcoef(missing, drawn)[0, 1]) < 4.5 / np.sqrt(2000)
    assert set(np.unique(copies[~drawn, 2])) == {0.0, 1.0}


@pytest.mark.parametrize("column", [0, 2])
def test_complete_columns_stay_complete(column):
    X = incomplete(300, seed=5)
    X[:, column] = np.nan_to_num(X[:, column])
    copies = SequentialKnockoffs(n_folds=3, n_penalties=10).fit(
        X, ("continuous", "continuous", "nominal")
    ).sample(np.random.default_rng(6))  # fmt: skip
    assert not np.isnan(copies[:, [1, column]]).any()


def _z(differences):
    error = differences.std() / np.sqrt(len(differences))
    return 0.0 if error == 0 else differences.mean() / error
