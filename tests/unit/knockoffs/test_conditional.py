"""Draws of features from their own distribution given all others."""

import warnings

import numpy as np
import pandas as pd
import pytest

from losaw.knockoffs import make_sampler
from losaw.knockoffs.conditional_mean import conditional_mean, regressors_of


def fitted(X, kinds=None, seed=0, **options):
    return make_sampler("conditional").fit(X, kinds, np.random.default_rng(seed), **options)


def awkward(n=300, seed=0):
    """A number with a point mass, a count, a bounded number, levels; all follow the first."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    u = x + 0.5 * rng.standard_normal((4, n))
    levels = np.digitize(u[3], [-0.7, 0.0, 0.7])
    return np.column_stack(
        [x, np.where(u[0] > 1, np.exp(u[0]), 0.0), rng.poisson(np.exp(u[1] / 2)),
         np.clip(u[2], -1, 1), levels]
    )  # fmt: skip


KINDS = ("continuous", "continuous", "discrete", "continuous", "nominal")


def test_every_value_that_is_drawn_occurs_in_the_column():
    X = awkward()
    drawn = fitted(X, KINDS).sample(np.random.default_rng(1))
    for j in range(X.shape[1]):
        assert np.isin(drawn[:, j], X[:, j]).all()
        assert (drawn[:, j] != X[:, j]).mean() > 0.1


def test_point_masses_and_correlations_are_those_of_the_data():
    X = awkward(2000)
    drawn = fitted(X, KINDS).sample(np.random.default_rng(1))
    n = len(X)
    for j, mass in ((1, 0.0), (3, 1.0), (3, -1.0)):
        share = (X[:, j] == mass).mean()
        # 4.5 standard errors of the difference of two shares.
        assert (drawn[:, j] == mass).mean() == pytest.approx(
            share, abs=4.5 * np.sqrt(2 * share * (1 - share) / n)
        )
    for j in (1, 2, 3):
        before, after = (np.corrcoef(X[:, 0], values[:, j])[0, 1] for values in (X, drawn))
        assert after == pytest.approx(before, abs=4.5 * np.sqrt(2 / n))


def test_a_draw_is_independent_of_the_value_that_it_replaces():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((4000, 3))
    X[:, 2] += X[:, 0]
    drawn = fitted(X).sample(rng)
    residual = X[:, 2] - X[:, 0]
    assert abs(np.corrcoef(residual, drawn[:, 2] - X[:, 0])[0, 1]) < 4.5 / np.sqrt(4000)
    levels = np.floor(rng.uniform(0, 2, (4000, 3)))
    levels[:, 2] = np.where(rng.random(4000) < 0.6, levels[:, 0], levels[:, 2])  # equal in .8
    again = (fitted(levels, ("nominal",) * 3).sample(rng) == levels)[:, 2].mean()
    assert again == pytest.approx(0.8**2 + 0.2**2, abs=4.5 * np.sqrt(0.68 * 0.32 / 4000))
    assert abs(np.corrcoef(X[:, 1], drawn[:, 1])[0, 1]) < 4.5 / np.sqrt(4000)


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_draws_are_no_copies_where_columns_are_more_than_rows(shared):
    rng = np.random.default_rng(7)
    common = rng.standard_normal((80, 1))
    X = np.sqrt(1 - shared**2) * rng.standard_normal((80, 160)) + shared * common
    units = [np.array([j]) for j in range(12)]
    drawn = np.column_stack(fitted(X, units=units).sample_units(rng))
    own, other = X[:, :12] - shared * common, drawn - shared * common
    kept = [np.corrcoef(a, b)[0, 1] for a, b in zip(own.T, other.T, strict=True)]
    # The mean of 12 correlations of 80 rows.
    assert abs(np.mean(kept)) < 4.5 / np.sqrt(12 * 80)
    follows = [np.corrcoef(common[:, 0], b)[0, 1] for b in drawn.T]
    assert np.mean(follows) == pytest.approx(shared, abs=0.1)


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(lambda a, b: a, id="straight"),
        pytest.param(lambda a, b: a**2, id="bent"),
        pytest.param(lambda a, b: a * b, id="product"),
        pytest.param(lambda a, b: 1.5 * (np.abs(a) < 0.7), id="threshold"),
    ],
)
def test_the_regression_follows_the_dependence(target):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((1000, 4))
    truth = target(X[:, 0], X[:, 1])
    noisy = truth + 0.3 * rng.standard_normal(1000)
    columns = [regressors_of(column, "continuous") for column in X.T]
    mean = conditional_mean(noisy[:, None], columns, rng)[:, 0]
    # A tenth of the variance that is to be explained, in the mean square.
    assert np.mean((mean - truth) ** 2) < 0.1 * truth.var()


def test_spread_that_others_predict_is_drawn():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(2000)
    X = np.column_stack([x, np.exp(x) * rng.standard_normal(2000)])
    drawn = fitted(X).sample(rng)[:, 1]
    narrow, wide = np.abs(drawn[x < -0.7]), np.abs(drawn[x > 0.7])
    expected = np.median(np.abs(X[x > 0.7, 1])) / np.median(np.abs(X[x < -0.7, 1]))
    assert np.median(wide) / np.median(narrow) == pytest.approx(expected, rel=0.3)


def test_a_group_is_drawn_together_given_what_is_outside_of_it():
    rng = np.random.default_rng(6)
    first = rng.standard_normal(1500)
    X = np.column_stack(
        [first, first + 0.01 * rng.standard_normal(1500), rng.standard_normal(1500)]
    )
    sampler = fitted(X, units=[np.array([0, 1]), np.array([2])])
    pair, single = sampler.sample_units(rng)
    assert pair.shape == (1500, 2) and single.shape == (1500, 1)
    assert np.corrcoef(pair.T)[0, 1] > 0.999
    assert abs(np.corrcoef(pair[:, 0], first)[0, 1]) < 4.5 / np.sqrt(1500)
    together = sampler.sample(np.random.default_rng(1))
    assert np.array_equal(together[:, :2], sampler.sample_units(np.random.default_rng(1))[0])


def test_overlapping_units_have_no_common_draw():
    X = awkward(60)
    sampler = fitted(X, KINDS, units=[np.array([0, 1]), np.array([1])])
    assert len(sampler.sample_units(np.random.default_rng(0))) == 2
    with pytest.raises(ValueError, match="overlap"):
        sampler.sample(np.random.default_rng(0))


def test_draws_of_a_unit_do_not_depend_on_which_others_follow():
    X = awkward(100)
    both = fitted(X, KINDS, units=[np.array([1]), np.array([4])])
    one = fitted(X, KINDS, units=[np.array([4])])
    first, again = (s.sample_units(np.random.default_rng(2))[-1] for s in (both, one))
    assert np.array_equal(first, again)


def test_missing_values_are_drawn_and_known_ones_regressed_on_known_rows():
    rng = np.random.default_rng(0)
    first = rng.standard_normal(400)
    second = 2.0 * first + 0.01 * rng.standard_normal(400)
    second[np.abs(first) > 0.4] = np.nan
    town = np.where(rng.random(400) < 0.2, np.nan, rng.integers(0, 3, 400))
    drawn = fitted(
        np.column_stack([first, second, town]), ("continuous", "continuous", "nominal")
    ).sample(rng)
    inner = np.abs(first) < 0.35
    assert np.nanmax(np.abs(drawn[:, 1] - 2.0 * first)[inner]) < 0.2
    assert (np.isnan(drawn[:, 1]) == np.isnan(second)).mean() > 0.95
    share = np.isnan(town).mean()
    assert np.isnan(drawn[:, 2]).mean() == pytest.approx(share, abs=4.5 * np.sqrt(0.32 / 400))


def test_a_column_of_one_value_and_missing_ones_is_drawn():
    X = np.random.default_rng(0).standard_normal((60, 5))
    X[:, 0] = np.where(X[:, 1] > 0.5, np.nan, 1.0)
    drawn = fitted(X).sample(np.random.default_rng(1))
    assert set(drawn[~np.isnan(drawn[:, 0]), 0]) == {1.0} and np.isfinite(drawn[:, 1:]).all()


def test_a_copy_is_drawn_as_its_copy_and_a_constant_as_itself():
    x = np.random.default_rng(0).standard_normal(200)
    X = np.column_stack([x, x, np.ones(200)])
    drawn = fitted(X).sample(np.random.default_rng(1))
    assert np.corrcoef(drawn[:, 0], x)[0, 1] > 0.999
    assert np.array_equal(drawn[:, 2], X[:, 2])


@pytest.mark.parametrize("shape", [(5, 1), (5, 3), (20, 30), (6, 2)])
def test_few_rows_and_many_columns_give_draws(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    drawn = fitted(X).sample(np.random.default_rng(1))
    assert all(np.isin(drawn[:, j], X[:, j]).all() for j in range(shape[1]))


def test_levels_with_fewer_than_five_rows_each_are_warned_of():
    levels = np.repeat(np.arange(20.0), 5)[:, None]
    X = np.hstack([levels, np.random.default_rng(0).standard_normal((100, 2))])
    kinds = ("nominal", "continuous", "continuous")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_sampler("conditional").fit(X, kinds)
        make_sampler("conditional").fit(X[:99], ("continuous",) * 3)
    with pytest.warns(UserWarning, match=r"column 0 \(from 0\) has 20 levels on 99 rows"):
        make_sampler("conditional").fit(X[:99], kinds)


def of_patients(seed, n_patients=100, n_rows=8):
    """Independent features of patients, and the patient of every row."""
    patient = np.repeat(np.arange(n_patients), n_rows)
    return np.random.default_rng(seed).standard_normal((n_patients, 3))[patient], patient


@pytest.mark.parametrize("follows", [pytest.param(False, marks=pytest.mark.long), True])
def test_draws_of_rows_that_are_copies_within_clusters_are_no_copies(follows):
    X, patient = of_patients(0, n_rows=90)
    expected = 1.0
    if follows:
        X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
        expected = 0.36
    sampler = fitted(X, clusters=patient, units=[np.array([1])])
    (drawn,) = sampler.sample_units(np.random.default_rng(1))
    moved = ((drawn[:, 0] - X[:, 1]) ** 2).mean() / (2 * X[:, 1].var())
    # Of 100 patients; the mean square of 100 normal numbers has the error .14.
    assert moved == pytest.approx(expected, rel=0.45)


def test_a_row_takes_no_residual_of_its_own_cluster_and_levels_and_missing_values_are_drawn():
    X = np.repeat(awkward(60), 4, axis=0)
    patient = np.repeat(np.arange(60), 4)
    X[patient % 7 == 0, 1] = np.nan
    sampler = fitted(X, KINDS, clusters=patient)
    drawn = [sampler.sample(np.random.default_rng(seed)) for seed in range(5)]
    for j in range(5):
        assert np.mean([(values[:, j] != X[:, j]).mean() for values in drawn]) > 0.1
    assert any(np.isnan(values[:, 1]).any() for values in drawn)
    two = fitted(X, KINDS, clusters=(patient == 0) + 0).sample(np.random.default_rng(0))
    assert np.isin(two[:, 0], X[:, 0]).all()


@pytest.mark.parametrize("form", [pd.DataFrame, pd.DataFrame.to_numpy])
@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "Float32", "boolean", "object"])
def test_missing_values_of_pandas_beside_floats_are_missing(dtype, form):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, 60).tolist()
    values[7] = values[30] = pd.NA
    given = pd.DataFrame({"a": rng.standard_normal(60), "b": pd.Series(values, dtype=dtype)})
    plain = given.assign(b=[np.nan if v is pd.NA else float(v) for v in values])
    found, expected = (fitted(X).sample(1) for X in (form(given), plain))
    np.testing.assert_array_equal(found, expected)
