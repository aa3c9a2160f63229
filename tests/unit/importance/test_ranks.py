"""Simultaneous sets of ranks."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LinearRegression

from losaw.importance import ImportanceResult, cpi, loco, pfi
from losaw.scoring.several_tests import rank_sets, rank_words


def table(n=400, coefficients=(2.0, 1.0, 1.0, 0.0), seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, len(coefficients)))
    return X, X @ np.array(coefficients) + rng.standard_normal(n)


@pytest.mark.parametrize("of", [pfi, cpi, loco])
@pytest.mark.parametrize("cv", [None, 10])
def test_certain_differences_make_narrow_sets_and_uncertain_ones_wide_sets(of, cv):
    X, y = table()
    model = LinearRegression().fit(X[:200], y[:200])
    rows = {"cv": 10} if cv else ({"train": (X[:200], y[:200])} if of is loco else {})
    data = (X, y) if cv else (X[200:], y[200:])
    ranks = of(model, *data, random_state=0, **rows).ranks().set_index("feature")["ranks"]
    assert ranks.to_dict() == {"X1": "1st", "X2": "2nd to 3rd", "X3": "2nd to 3rd", "X4": "4th"}


@pytest.mark.parametrize("coefficients", [(1, 1, 0.5, 0.5, 0, 0), (1, 0.9, 0.75, 0.6, 0.45, 0.3)])
def test_all_sets_at_once_contain_the_true_ranks_as_often_as_is_said(coefficients):
    """PFI of a known model is 2 b^2: of 300 tables at level .8, with ties and without."""
    b, n_tables, level = np.array(coefficients, dtype=float), 300, 0.8
    true = 2 * b**2
    first = 1 + (true > true[:, None]).sum(axis=1)
    last = len(b) - (true < true[:, None]).sum(axis=1)
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(n_tables):
        X = rng.standard_normal((150, len(b)))
        residual, other = rng.standard_normal(150), rng.standard_normal((150, len(b)))
        rows = (residual[:, None] + b * (X - other)) ** 2 - residual[:, None] ** 2
        deviations = (rows - rows.mean(axis=0)) / np.sqrt(150 * 149)
        sets = rank_sets(rows.mean(axis=0), deviations, 149, level)
        covered += bool(((sets[:, 0] <= first) & (sets[:, 1] >= last)).all())
    assert covered >= binom.ppf(0.001, n_tables, level)


def test_equal_columns_are_equal_for_certain_and_no_rank_is_lost():
    sets = rank_sets(np.array([1.0, 1.0, 0.0]), np.array([[1, 1, 0], [-1, -1, 0]]) / 100, 50, 0.95)
    assert sets.tolist() == [[1, 2], [1, 2], [3, 3]]
    near = rank_sets(np.array([0.5, 0.5 + 3e-16, 0.1]), np.ones((9, 3)) / 100, 8, 0.95)
    assert near.tolist() == [[1, 2], [1, 2], [3, 3]]


def test_a_feature_that_cannot_be_tested_can_have_any_rank():
    X, y = table()
    X[:, 3] = X[:, 0]
    model = LinearRegression().fit(X[:200], y[:200])
    ranks = cpi(model, X[200:], y[200:], random_state=0).ranks().set_index("feature")
    assert ranks.loc[["X1", "X4"], "ranks"].tolist() == ["1st to 4th"] * 2
    assert ranks.loc["X2", "worst"] == 4


def test_clusters_and_weights_widen_the_error_that_ranks_rest_on():
    X, y = table()
    model = LinearRegression().fit(X[:200], y[:200])
    of_rows, times = np.repeat(X[200:250], 20, axis=0), np.repeat(y[200:250], 20)
    alone = pfi(model, of_rows, times, random_state=0)
    together = pfi(model, of_rows, times, random_state=0, clusters=np.repeat(np.arange(50), 20))
    assert len(alone.deviations) == 1000 and len(together.deviations) == 50
    narrow, wide = (np.sqrt((one.deviations**2).sum(axis=0)) for one in (alone, together))
    assert (wide[:3] > 2 * narrow[:3]).all()


@pytest.mark.parametrize(("freedom", "first"), [(99, "1st"), (4, "1st to 2nd")])
def test_ranks_have_the_degrees_of_freedom_of_their_error(freedom, first):
    # A lead of 2.3 errors: the quantile of two hypotheses at .05 is 1.98 or 2.78.
    found = ImportanceResult(
        np.array([2.3, 0.0]),
        ("a", "b"),
        deviations=np.eye(100)[:, :2] * [1.0, 0.0],
        deviations_freedom=freedom,
    )
    assert found.ranks()["ranks"][0] == first


@pytest.mark.parametrize("of", [pfi, cpi])
@pytest.mark.parametrize("rows", [{}, {"cv": 4}])
def test_weights_lower_the_degrees_of_freedom_of_ranks(of, rows):
    X, y = table()
    model = LinearRegression().fit(X[:200], y[:200])
    weights = np.where(np.arange(200) < 30, 1.0, 1e-9)
    weighted = {} if rows else {"sample_weight": weights}
    found = of(model, X[200:400], y[200:400], random_state=0, **weighted, **rows)
    assert found.deviations_freedom == pytest.approx(3 if rows else 29, abs=1e-3)


def test_ordinals():
    assert [rank_words(n, n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd",
    ]  # fmt: skip
