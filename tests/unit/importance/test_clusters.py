"""Rows that belong together (folds, tests over clusters), and rows that weigh differently."""

import warnings

import numpy as np
import pytest
from scipy.stats import t
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, TimeSeriesSplit
from sklearn.tree import DecisionTreeRegressor

from losaw.importance import cpi, hierarchy, loco, pfi, sage, subgroups
from losaw.knockoffs import make_sampler
from losaw.rng import rows_by_weight
from losaw.scoring.folds import folds
from losaw.scoring.rows import read_rows
from losaw.support.models import task_of

PATIENT = np.repeat(np.arange(20), 6)
X = np.random.default_rng(0).standard_normal((120, 3))
Y = X[:, 0] + np.random.default_rng(1).standard_normal(120)


@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression()])
def test_a_cluster_stays_in_one_fold(model):
    y = Y if isinstance(model, LinearRegression) else np.where(Y > 0, "yes", "no")
    labels = np.array([f"patient {number}" for number in PATIENT])
    rows = read_rows(X, y, clusters=labels)
    for n_folds in (4, np.int64(4)):
        held = []
        for fitted, tested in folds(n_folds, model, rows, np.random.default_rng(0), task_of(model)):
            assert not set(labels[fitted]) & set(labels[tested])
            held += tested.tolist()
        assert sorted(held) == list(range(120)) != held


def test_folds_of_groups_are_taken_as_row_numbers_and_with_clusters():
    rows = list(GroupKFold(4).split(X, Y, PATIENT))
    found = pfi(LinearRegression(), X, Y, cv=rows)
    assert len(found.details["fold_scores"]) == 4
    assert "cv=4 folds)" in repr(found)  # without the row numbers
    assert "cv=folds)" in repr(pfi(LinearRegression(), X, Y, cv=iter(rows)))  # or an address
    found = pfi(LinearRegression(), X, Y, cv=GroupKFold(4), clusters=PATIENT)
    assert len(found.details["fold_scores"]) == 4


def noise_of_patients(seed):
    """Twelve rows of each patient, an effect of the patient, and a feature of the patient."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(30), 12)
    noise, effect = rng.standard_normal((2, 30, 1))
    X = np.column_stack([noise[patient], rng.standard_normal((360, 1))])
    return X, effect[patient, 0] + X[:, 1] + 0.3 * rng.standard_normal(360), patient


def test_noise_of_patients_is_found_without_clusters_and_not_with_them():
    alone = together = 0
    for seed in range(20):
        X, y, patient = noise_of_patients(seed)
        model = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
        options = {"cv": 5, "features": ["X1"], "random_state": seed}
        alone += pfi(model, X, y, **options).p_values[0] < 0.05
        together += pfi(model, X, y, clusters=patient, **options).p_values[0] < 0.05
    assert alone == 20
    assert together <= 5  # more come with probability 3.3e-4 at the level .05


@pytest.mark.parametrize("weights", [None, np.full(120, 2.0)])
def test_without_folds_the_error_is_that_of_the_means_of_equal_clusters(weights):
    model = LinearRegression().fit(X, Y)
    found = cpi(model, X, Y, clusters=PATIENT, sample_weight=weights, random_state=0)
    means = found.rows.reshape(20, 6, 3).mean(axis=1)
    np.testing.assert_allclose(found.scores, means.mean(axis=0))
    error = means.std(axis=0, ddof=1) / np.sqrt(20)
    np.testing.assert_allclose(found.p_values, t.sf(found.scores / error, 19))
    assert found.degrees_of_freedom == 19
    assert found.std_error_kind.startswith("over test clusters of rows")


def test_a_cluster_for_every_row_changes_nothing():
    model = LinearRegression().fit(X, Y)
    options = {"train": (X, Y), "random_state": 0}
    plain = loco(model, X, Y, **options)
    single = loco(model, X, Y, clusters=np.arange(120), **options)
    np.testing.assert_allclose(single.std_error, plain.std_error)
    np.testing.assert_allclose(single.p_values, plain.p_values)


def test_groups_are_tested_over_folds_of_clusters_and_over_time():
    for options in ({"cv": 10, "clusters": PATIENT}, {"cv": TimeSeriesSplit(10)}):
        found = hierarchy(LinearRegression(), X, Y, random_state=0, **options)
        assert found.selected == (("X1",),)


@pytest.mark.parametrize("cv", [5, LeaveOneGroupOut()])
def test_features_that_are_constant_within_clusters_have_the_cpi_of_independent_ones(cv):
    patient = np.repeat(np.arange(100), 4)
    rejected = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((100, 3))[patient]
        y = features[:, 0] + rng.standard_normal(400)
        found = cpi(LinearRegression(), features, y, cv=cv, clusters=patient, random_state=seed)
        # Twice the variance, whose error over 100 patients is .14 of it, as is that of the draws.
        assert found.scores[0] == pytest.approx(2 * features[:, 0].var(), abs=0.5)
        assert found.p_values[0] < 0.05 and not found.notes
        rejected += (found.p_values[1:] < 0.05).sum()
    assert rejected <= 3  # of 6; more come with probability 9e-5 at the level .05
    tree = hierarchy(LinearRegression(), features, y, cv=cv, clusters=patient, random_state=0)
    # Groups take values of rows of the fold, which a single patient has in common.
    assert tree.selected == ((("X1",),) if cv == 5 else ())
    assert cv == 5 or str(tree).startswith("nothing is tested: untestable")
    for of in (pfi, subgroups):
        found = of(LinearRegression(), features, y, cv=cv, clusters=patient, random_state=0)
        assert len(found.notes) == 3 * (cv != 5) == np.isnan(found.p_values).sum()


def drawn_by(column, n, seed):
    """Rows drawn ten times as often where |column| is large, and their weights; X3 follows X1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((6 * n, 3))
    X[:, 2] = 0.6 * X[:, 0] + 0.8 * X[:, 2]
    y = X[:, 0] + X[:, 1] + np.sqrt(2.0) * rng.standard_normal(len(X))
    share = 1.0 + 9.0 * (np.abs(X[:, column]) > 1.3)
    share = np.minimum(share / share.mean() / 6, 1.0)
    kept = rng.random(len(X)) < share
    return X[kept], y[kept], 1.0 / share[kept]


@pytest.mark.parametrize("column", [0, 2])
@pytest.mark.parametrize(
    ("function", "truth", "bias", "n_seeds"),
    [(pfi, [2, 2, 0], 1.0, 20), (cpi, [1.28, 2, 0], 0.4, 6), (loco, [0.64, 1, 0], 0.2, 10)],
)
def test_a_biased_draw_has_the_scores_of_the_population(function, column, truth, bias, n_seeds):
    weighted, plain = [], []
    asked = ((weighted, True), (plain, False)) if column == 0 else ((weighted, True),)
    for seed in range(n_seeds):
        X, y, weights = drawn_by(column, 1_000, seed)
        for scores, is_weighted in asked:
            asked_for = {"sample_weight": weights} if is_weighted else {"features": ["X1"]}
            options = {"cv": 5, "random_state": seed, **asked_for}
            found = function(LinearRegression(), X, y, **options)
            scores.append(found.scores)
    assert np.abs(np.mean(weighted, axis=0) - truth).max() < 0.2
    if column == 0:
        assert np.mean(plain, axis=0)[0] - truth[0] > bias


def test_groups_are_scored_by_weighted_draws():
    X, y, weights = drawn_by(0, 2_000, 0)
    options = {"cv": 5, "random_state": 0}
    found = hierarchy(LinearRegression(), X, y, sample_weight=weights, **options)
    assert set(found.selected) == {("X1",), ("X2",)}
    assert found.table.set_index("group")["score"]["X1"] == pytest.approx(1.28, abs=0.25)


def test_draws_have_the_weighted_distribution():
    variances = []
    for seed in range(8):
        X, _, weights = drawn_by(0, 2_000, seed)
        rng = np.random.default_rng(seed)
        units = [np.array([0])]
        sampler = make_sampler("conditional").fit(X, rng=rng, weights=weights, units=units)
        (drawn,) = sampler.sample_units(rng)
        residual, real = drawn[:, 0] - 0.6 * X[:, 2], X[:, 0] - 0.6 * X[:, 2]
        assert residual.var() < 0.8 < real.var()
        variances.append([np.average(of**2, weights=weights) for of in (residual, real)])
    assert np.mean(variances, axis=0) == pytest.approx([0.64, 0.64], abs=0.06)


def test_a_row_gives_as_often_as_it_weighs():
    rng = np.random.default_rng(0)
    assert rows_by_weight(None, 4, rng).tolist() == [0, 1, 2, 3]
    assert rows_by_weight(np.full(1_000, 0.1), 1_000, rng).tolist() == list(range(1_000))
    given = rows_by_weight(np.array([0.0, 1.0, 0.0, 4.0, 0.0]), 5, rng)
    assert given.tolist() == [1, 3, 3, 3, 3]
    given = np.bincount(rows_by_weight(np.arange(100.0), 100, rng), minlength=100)
    assert given[0] == 0 and np.abs(given - np.arange(100) / 49.5).max() < 1


@pytest.mark.parametrize("order", [np.arange(200), np.argsort(np.arange(200) % 2, kind="stable")])
def test_a_light_row_gives_its_share_whatever_the_order_of_rows(order):
    weights = np.tile([0.4, 1.6], 100)[order]
    rng = np.random.default_rng(0)
    light = [(order[rows_by_weight(weights, 200, rng)] % 2 == 0).mean() for _ in range(200)]
    assert np.mean(light) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("heaviest", [500.0, 1e9])
def test_a_row_of_most_of_the_weight_is_drawn_from_the_other_rows(heaviest):
    X = np.random.default_rng(0).standard_normal((400, 3))
    weights = np.ones(400)
    weights[7] = heaviest
    sampler = make_sampler("conditional").fit(X, rng=np.random.default_rng(0), weights=weights)
    drawn = np.array([sampler.sample(np.random.default_rng(seed))[7] for seed in range(20)])
    # Its value comes back only where the residual of one of five other rows leads there.
    assert (drawn == X[7]).mean() < 0.1
    assert all(len(np.unique(column)) > 1 for column in drawn.T)


SHOP = np.repeat(np.arange(12), 8)


def of_shops():
    """A cause that has one value in each shop, and one that differs between rows."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal(12)[SHOP], rng.standard_normal(96)])
    return rows, 2 * rows[:, 0] + 0.1 * rows[:, 1]


@pytest.mark.parametrize(
    ("method", "units", "noted"),
    [
        (pfi, {}, {"X1"}),
        (subgroups, {}, {"X1"}),
        (sage, {}, {"X1"}),
        (cpi, {}, set()),  # draws of single features are of all rows
        *[(method, {"groups": {"all": ["X1", "X2"]}}, {"all"}) for method in (pfi, cpi, sage)],
        (pfi, {"groups": {"one": ["X2"], "other": ["X1"]}}, {"other"}),
    ],
)
def test_what_has_one_value_in_a_fold_is_not_said_to_be_without_importance(method, units, noted):
    rows, y = of_shops()
    options = {"clusters": SHOP, "random_state": 0, **units}
    found = method(LinearRegression(), rows, y, cv=LeaveOneGroupOut(), **options)
    assert {n for n, why in found.notes.items() if "one value within every fold" in why} == noted
    if found.p_values is not None:
        is_noted = [name in noted for name in found.feature_names]
        np.testing.assert_array_equal(np.isnan(found.p_values), is_noted)
    assert not method(LinearRegression(), rows, y, cv=4, **options).notes


def test_groups_that_a_fold_cannot_show_are_warned_of():
    rows, y = of_shops()
    options = {"clusters": SHOP, "random_state": 0}
    with pytest.warns(UserWarning, match="X1: one value within every fold"):
        hierarchy(LinearRegression(), rows, y, cv=LeaveOneGroupOut(), **options)
    with warnings.catch_warnings(action="error"):
        hierarchy(LinearRegression(), rows, y, cv=4, **options)
