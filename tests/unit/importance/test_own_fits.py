"""Boruta and residual importance, which fit their models: rivals' algebra, frames, groups."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from losaw.data import Dataset, Sample, Truth
from losaw.importance import boruta, pfi, residual_importance, sage, subgroups
from losaw.importance.boruta import out_of_bag_z_scores
from losaw.importance.pfi import SCALES
from losaw.importance.residual import Prefix, extended, gram_schmidt

N = 120
FEW = {"n_permutations": 2, "n_estimators": 10, "random_state": 0}


def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "town": rng.choice(["x", "y", "z"], N),
            "size": rng.standard_normal(N),
            "rooms": rng.integers(1, 6, N),
        }
    )
    y = 3.0 * (X["town"] == "y") + 0.2 * rng.standard_normal(N)
    return X, y.to_numpy()


def test_dummies_of_levels_are_one_feature():
    X, y = frame()
    found = residual_importance(X, y, **FEW)
    assert found.feature_names == ("town", "size", "rooms")
    assert found.kinds == ("nominal", "continuous", "discrete")
    assert found.select(top=1) == ("town",)
    np.testing.assert_array_equal(found.scores, residual_importance(X, y, **FEW).scores)


@pytest.mark.parametrize("kind", [Decimal, Fraction, lambda v: Decimal(v) if v < 0 else v])
@pytest.mark.parametrize("method", [boruta, residual_importance])
def test_a_response_of_exact_numbers_is_one_of_numbers(method, kind):
    X, y = frame()
    few = FEW if method is residual_importance else {"max_runs": 3, "n_estimators": 5}
    options = {**few, "random_state": 0}
    exact = method(X, pd.Series([kind(float(v)) for v in y], dtype=object), **options)
    np.testing.assert_array_equal(exact.scores, method(X, y, **options).scores)


def test_the_columns_of_one_feature_are_residuals_of_those_before_it_alone():
    rng = np.random.default_rng(0)
    first, twins = rng.standard_normal(50), rng.standard_normal((50, 2))
    twins[:, 1] = twins[:, 0] + 0.1 * twins[:, 1]
    start = extended(gram_schmidt, Prefix(*np.empty((3, 50, 0))), first[:, None], rng)
    both = extended(gram_schmidt, start, twins, rng)
    for j in range(2):
        alone, _ = gram_schmidt(start, twins[:, j], rng)
        np.testing.assert_allclose(both.residuals[:, 1 + j], alone)
    after = extended(gram_schmidt, both, (twins @ [[1.0], [2.0]]) + first[:, None], rng)
    assert (after.residuals[:, -1] == 0).all()


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_trees_without_rows_out_of_bag_add_nothing(task):
    X, y = np.arange(6.0).reshape(3, 2), np.array([0.0, 1.0, 1.0])
    units = [np.array([0]), np.array([1])]
    found = out_of_bag_z_scores(X, y, task, 60, 0, units)
    assert np.isfinite(found).all()


def data(n=400, seed=0, rho=0.9):
    """y = X1 + X3 + noise; X2 is a correlated stand-in for X1, X4 is noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * n, 4))
    X[:, 1] = rho * X[:, 0] + np.sqrt(1 - rho**2) * X[:, 1]
    y = X[:, 0] + X[:, 2] + rng.standard_normal(2 * n)
    names = ("X1", "X2", "X3", "X4")
    kinds = ("continuous",) * 4
    return Dataset(Sample(X[:n], y[:n]), Sample(X[n:], y[n:]), Truth((0, 2), 4), names, kinds)


def test_the_ratio_of_pfi_is_the_difference_over_the_loss_plus_1():
    sample = data()
    model = LinearRegression().fit(*sample.train)
    difference, ratio = (
        pfi(model, *sample.test, scale=scale, random_state=1).scores for scale in SCALES
    )
    loss = ((sample.test.y - model.predict(sample.test.X)) ** 2).mean()
    assert np.allclose(ratio, 1 + difference / loss)


def test_a_cross_fitted_ratio_of_pfi_is_tested_against_1():
    X, y = data().train
    found = pfi(LinearRegression(), X, y, scale="ratio", cv=5, random_state=0)
    folds = found.details["fold_scores"]
    assert np.allclose(found.scores, folds.mean(axis=0))
    p_values = stats.t.sf((found.scores - 1) / found.std_error, 4)
    assert np.allclose(found.p_values, p_values)


def test_subgroups_shrink_the_importance_of_a_feature_that_others_replace():
    sample = data(n=1500, rho=0.95)
    model = LinearRegression().fit(*sample.train)
    marginal, conditional = (
        method(model, *sample.test, random_state=1).scores for method in (pfi, subgroups)
    )
    assert conditional[0] < 0.4 * marginal[0]
    # X3 is independent of the others: its subgroups are arbitrary.
    assert conditional[2] == pytest.approx(marginal[2], rel=0.15)


def test_sage_agrees_with_the_exact_shapley_values():
    sample = data(n=60, rho=0.5)
    model = LinearRegression().fit(*sample.train)
    X, y = sample.test
    exactly = {"n_background": 60, "max_permutations": 3000, "threshold": None}
    found = sage(model, X, y, **exactly, random_state=1)

    def loss(known):
        filled = np.tile(X.mean(axis=0), (len(X), 1))  # exact for a linear model
        filled[:, list(known)] = X[:, list(known)]
        return ((y - model.predict(filled)) ** 2).mean()

    exact = np.zeros(4)
    orders = list(itertools.permutations(range(4)))
    for order in orders:
        for place, feature in enumerate(order):
            exact[feature] += loss(order[:place]) - loss(order[: place + 1])
    exact /= len(orders)
    assert (np.abs(found.scores - exact) < 5 * found.std_error).all()
    assert found.scores.sum() == pytest.approx(loss(()) - loss(range(4)))


def test_sage_stops_when_its_error_is_small():
    sample = data()
    model = LinearRegression().fit(*sample.train)
    loose = sage(model, *sample.test, threshold=0.5, random_state=1)
    strict = sage(model, *sample.test, threshold=1e-6, max_permutations=64, random_state=1)
    assert loose.details["converged"]
    assert loose.details["n_permutations"] < 512
    assert not strict.details["converged"]
    assert strict.details["n_permutations"] == 64


class Product:
    """A model whose mean prediction, and so SAGE, depends on the background to the first order."""

    def predict(self, X):
        return X[:, 0] * X[:, 1]


def crossed(n, rng):
    X = rng.uniform(0, 2, (n, 2))
    return X, Product().predict(X) + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("n_background", [2, 7, 40])
@pytest.mark.parametrize("n_clusters", [None, 8])
def test_the_error_of_sage_holds_tukeys_jackknife_of_the_background(n_background, n_clusters):
    """Of one unit: the loss of the background's mean less that of the model, without orders."""
    X, y = crossed(40, np.random.default_rng(0))
    clusters = None if n_clusters is None else np.arange(40) % n_clusters
    drawn, losses_of = [], Product().predict

    def record(_, given):
        drawn.append(given)
        return losses_of(given)

    model = type("Recorded", (), {"predict": record})()
    found = sage(
        model, X, y, groups={"both": [0, 1]}, n_background=n_background, clusters=clusters,
        max_permutations=40, threshold=None, random_state=3,
    )  # fmt: skip
    shown = next(given for given in drawn if len(given) == n_background)
    rows = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in shown]
    f = Product().predict(X)

    def squared_error(values, labels):
        sums = np.bincount(np.unique(labels, return_inverse=True)[1], values - values.mean())
        return len(sums) / (len(sums) - 1) * (sums**2).sum() / len(values) ** 2

    def score(background):
        return ((y - f[background].mean()) ** 2 - (y - f) ** 2).mean()

    assert found.scores[0] == pytest.approx(score(rows))
    without = np.array([score(np.delete(rows, k)) for k in range(n_background)])
    labels = np.arange(40) if clusters is None else clusters
    of_rows = squared_error((y - f[rows].mean()) ** 2 - (y - f) ** 2, labels)
    of_background = squared_error(-(n_background - 1) * without, labels[rows])
    assert found.std_error[0] ** 2 == pytest.approx(of_rows + of_background)
    freedom = len(np.unique(labels)) - 1
    assert (found.degrees_of_freedom, found.deviations_freedom) == (freedom, freedom)
    assert np.allclose(found.std_error**2, (found.deviations**2).sum(axis=0))


def test_intervals_of_sage_contain_the_score_of_other_rows_and_another_background():
    """With the rows' error alone .86 do."""
    rng, n_tables = np.random.default_rng(5), 1_000
    options = {"n_background": 8, "max_permutations": 150, "threshold": None, "random_state": rng}
    found = [sage(Product(), *crossed(150, rng), **options) for _ in range(n_tables)]
    true = np.mean([one.scores for one in found], axis=0)
    low, high = np.array([one.interval(0.95) for one in found]).transpose(2, 0, 1)
    covered = ((low <= true) & (true <= high)).sum(axis=0)
    assert (covered >= stats.binom.ppf(0.001, n_tables, 0.93)).all()


@pytest.mark.parametrize("few", ["n_background", "max_permutations"])
def test_sage_whose_rows_or_background_are_of_one_cluster_has_no_error(few):
    X, y = crossed(40, np.random.default_rng(0))
    found = sage(Product(), X, y, **{few: 2}, clusters=np.arange(40) == 0, random_state=0)
    assert (found.std_error, found.std_error_kind, found.deviations) == (None, None, None)


def test_boruta_confirms_signal_and_its_stand_in_and_rejects_noise():
    sample = data(n=300)
    found = boruta(*sample.train, n_estimators=60, max_runs=25, random_state=1)
    assert found.details["selected"].tolist() == [True, True, True, False]
    assert found.p_values[3] > 0.05


def test_boruta_asks_for_more_than_the_best_shadow(monkeypatch):
    def scores(X, *rest):
        shadows = [2.0, 0.0, 0.0, 0.0, 0.0]
        return np.array([3.0, 1.5, *shadows] if X.shape[1] == 7 else [3.0, *shadows])

    monkeypatch.setitem(boruta.__globals__, "out_of_bag_z_scores", scores)
    found = boruta(np.zeros((9, 2)), np.arange(9.0), max_runs=30, random_state=1)
    assert found.details["decisions"].tolist() == [1, -1]


def test_boruta_decides_what_is_open_in_the_end_by_medians(monkeypatch):
    scores = [3.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]  # of two features and five shadows
    monkeypatch.setitem(boruta.__globals__, "out_of_bag_z_scores", lambda *_: np.array(scores))
    details = boruta(np.zeros((9, 2)), np.arange(9.0), max_runs=3, random_state=1).details
    assert details["decisions"].tolist() == [0, 0]
    assert details["selected"].tolist() == [True, False]


@pytest.mark.parametrize(("max_runs", "decision"), [(7, 0), (8, 1)])
def test_boruta_corrects_its_limit_for_the_number_of_features(monkeypatch, max_runs, decision):
    """Ten features at .05: 2^-8 is below .005, 2^-7 is not; 2^-5 would be below .05.

    The first feature has a hit in every run, the others never, with the same probability.
    """

    def scores(X, *rest):
        found = np.zeros(X.shape[1])
        found[0] = 1.0
        return found

    monkeypatch.setitem(boruta.__globals__, "out_of_bag_z_scores", scores)
    sample = np.zeros((9, 10)), np.arange(9.0)
    found = boruta(*sample, max_runs=max_runs, alpha=0.05, random_state=0)
    assert found.details["decisions"].tolist() == [decision] + [-decision] * 9
    assert found.p_values[0] == pytest.approx(10 * 0.5**max_runs)
    for rate in (9 * 0.5**max_runs, 11 * 0.5**max_runs):  # corrected once
        assert found.select(fwer=rate) == (("X1",) if rate > found.p_values[0] else ())


@pytest.mark.parametrize(("unit", "zero"), [(1, 0), (1e-70, 0), (1e-8, 0), (1e140, 0), (1, 1e9)])
def test_subgroups_of_a_group_are_made_for_all_its_features(unit, zero):
    """One split: by the third, from which the second is known; the first alone asks the fourth."""
    X = np.random.default_rng(0).standard_normal((80, 3))
    third = np.sign(X[:, 2])
    rows = np.column_stack([X[:, 0], third * (1 + 0.01 * X[:, 1]), third, X[:, 0]])

    class Product:
        def predict(self, given):
            return np.prod(given[:, 1:3] / unit - zero, axis=1)

    sample = unit * (rows + zero), np.ones(80)
    found = subgroups(Product(), *sample, groups={"pair": [0, 1]}, random_state=0)
    assert abs(found.scores[0]) < 0.01
    assert abs(subgroups(Product(), *sample, random_state=0).scores[1]) < 0.01


def test_sage_with_whole_weights_is_that_of_repeated_rows():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] * (1 + X[:, 1]) + rng.standard_normal(40)
    weights = rng.integers(0, 4, 40)
    model = LinearRegression().fit(X, y)
    options = {"max_permutations": 8000, "threshold": None, "random_state": 0}
    repeated = np.repeat(np.arange(40), weights)
    plain = sage(model, X[repeated], y[repeated], n_background=len(repeated), **options)
    weighted = sage(model, X, y, sample_weight=weights, n_background=400, **options)
    error = np.hypot(plain.std_error, weighted.std_error)
    assert (np.abs(weighted.scores - plain.scores) < 4 * error).all()


@pytest.mark.parametrize("weight", [1, 0.1, 3e5])
@pytest.mark.parametrize("options", [{}, {"cv": 3}, {"n_background": 8}])
def test_sage_with_equal_weights_is_that_without(options, weight):
    sample = data(n=20)
    model = LinearRegression().fit(*sample.train)
    found, weighted = (
        sage(model, *sample.test, sample_weight=weights, random_state=0, **options)
        for weights in (None, np.full(20, weight))
    )
    for name in ("scores", "std_error"):  # the weighted fits of folds differ in last bits
        np.testing.assert_allclose(getattr(weighted, name), getattr(found, name), rtol=1e-9)
