"""Conditional predictive impact: what it replaces, what it tests, what it refuses."""

import re
from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from losaw.data import Dataset, Sample, Truth
from losaw.importance import cpi
from losaw.importance.cpi import own_shares
from losaw.knockoffs.sequential import SequentialKnockoffs
from losaw.scoring.losses import squared_error


def linear_data(n=300, seed=0, kinds=("continuous",) * 3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2 * n, 3))
    y = X[:, 0] + rng.standard_normal(2 * n)
    return Dataset(
        Sample(X[:n], y[:n]), Sample(X[n:], y[n:]), Truth((0,), 3), ("a", "b", "c"), kinds
    )


def explain(data, model, seed=1, **parameters):
    return cpi(model, *data.test, random_state=np.random.default_rng(seed), **parameters)


class Shifted:
    """A sampler whose knockoffs are known: the feature plus a number."""

    handles_nominal = True

    def fit(self, X, kinds=None, rng=None):
        self.X = X
        return self

    def sample(self, rng):
        return self.X + 2.0


def test_the_score_is_the_mean_increase_in_squared_error():
    data = linear_data()
    model = LinearRegression().fit(*data.train)
    found = explain(data, model, sampler=Shifted())
    residual = data.test.y - model.predict(data.test.X)
    expected = [((residual - 2 * b) ** 2 - residual**2).mean() for b in model.coef_]
    assert np.allclose(found.scores, expected)


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ({"sampler": Shifted()}, r"sampler=<[\w.]*Shifted>,"),
        ({"sampler": SequentialKnockoffs(n_folds=2)}, r"sampler=SequentialKnockoffs\(n_folds=2\)"),
        ({"loss": partial(squared_error)}, r"loss=functools.partial\(<function squared_error>\)"),
    ],
)
def test_a_method_shows_objects_without_their_addresses(option, shown):
    data = linear_data()
    found = cpi(LinearRegression().fit(*data.train), *data.test, **option)
    assert re.search(shown, found.method)


def test_a_feature_that_the_model_ignores_has_score_0_and_p_value_1():
    data = linear_data()
    model = LinearRegression().fit(*data.train)
    model.coef_[2] = 0.0
    for test in ("t", "wilcoxon", "binomial", "fisher"):
        found = explain(data, model, sampler="gaussian", test=test)
        assert found.scores[2] == pytest.approx(0, abs=1e-12)
        assert found.p_values[2] == 1
        assert found.p_values[0] < 0.01


def test_a_group_is_replaced_together():
    data = linear_data()
    model = LinearRegression().fit(*data.train)
    groups = {"ab": [0, 1], "c": [2]}
    found = cpi(model, *data.test, sampler=Shifted(), groups=groups, features=list(groups))
    residual = data.test.y - model.predict(data.test.X)
    shift = 2 * (model.coef_[0] + model.coef_[1])
    assert found.feature_names == ("ab", "c")
    assert found.scores[0] == pytest.approx(((residual - shift) ** 2 - residual**2).mean())


def test_log_loss_is_the_default_of_a_classification():
    data = linear_data()
    model = LogisticRegression().fit(data.train.X, data.train.y > 0)
    default, same, other = (
        cpi(model, data.test.X, data.test.y > 0, loss=loss, random_state=1).scores
        for loss in (None, "log-loss", "squared-error")
    )
    assert np.array_equal(default, same)
    assert not np.array_equal(default, other)


def test_several_draws_have_a_smaller_spread_over_seeds():
    data = linear_data(n=60)
    model = LinearRegression().fit(*data.train)

    def spread(n_draws):
        scores = [
            explain(data, model, seed, sampler="gaussian", n_draws=n_draws).scores[0]
            for seed in range(40)
        ]
        return np.var(scores)

    # The variance over draws falls like 1 / 8, and F(39, 39) exceeds 4 with probability 2e-5.
    assert spread(8) < spread(1) / 2


def test_cross_validation_uses_every_training_row_once():
    data = linear_data(n=101)
    model = LinearRegression().fit(*data.train)
    found = cpi(model, *data.train, sampler=Shifted(), cv=5, random_state=1)
    hold_out = explain(data, model, sampler=Shifted())
    assert "Nadeau and Bengio" in found.std_error_kind
    assert np.isfinite(found.rows).all()
    assert found.scores[0] == pytest.approx(hold_out.scores[0], rel=0.25)
    assert found.p_values[0] < 0.01


class RemembersItsRows(LinearRegression):
    """Keeps the first column of every sample that any copy was fitted to, or predicted."""

    log: ClassVar[list[tuple[str, set[float]]]] = []

    def fit(self, X, y):
        self.log.append(("fit", set(X[:, 0])))
        return super().fit(X, y)

    def predict(self, X):
        self.log.append(("predict", set(X[:, 0])))
        return super().predict(X)


def test_cross_validation_tests_on_the_rows_that_a_fold_leaves_out(monkeypatch):
    monkeypatch.setattr(RemembersItsRows, "log", [])
    data = linear_data(n=100)
    # The second feature is replaced: the first one identifies the rows.
    cpi(RemembersItsRows(), *data.train, sampler=Shifted(), cv=5, features=["X2"], random_state=1)
    calls = RemembersItsRows.log
    assert [name for name, _ in calls] == ["fit"] * 5 + ["predict"] * 10
    for (_, fitted), *predictions in zip(calls[:5], calls[5::2], calls[6::2], strict=True):
        for _, predicted in predictions:
            assert (len(fitted), len(predicted)) == (80, 20)
            assert not fitted & predicted


def test_p_values_are_adjusted_and_the_raw_ones_are_kept():
    data = linear_data()
    model = LinearRegression().fit(*data.train)
    raw, found = (
        explain(data, model, sampler="gaussian", adjustment=one) for one in ("none", "holm")
    )
    assert np.array_equal(found.details["raw_p_values"], raw.p_values)
    assert found.p_values[0] == pytest.approx(3 * raw.p_values[0])


def own_share(columns, copies):
    (share,) = own_shares(columns, copies, [np.arange(columns.shape[1])])
    return share


def test_a_missing_knockoff_of_a_known_value_counts_like_an_independent_copy():
    columns = np.random.default_rng(0).standard_normal((80, 1))
    assert own_share(columns, np.full_like(columns, np.nan)) == pytest.approx(1.0)
    codes = np.arange(80.0)[:, None] % 10
    near, far = (np.where(np.arange(80)[:, None] == 0, other, codes) for other in (1.0, 9.0))
    one, other = (own_shares(codes, copy, [np.array([0])], [0]) for copy in (near, far))
    assert one == other == pytest.approx(1 / 80 / 0.9)  # whatever the names of levels
    both = np.random.default_rng(0).standard_normal((2, 80, 1)) + 1e9 * (np.arange(80)[:, None] < 2)
    assert own_share(*both) == pytest.approx(1.0, abs=0.3)  # but for a code that stays where it is
    # Nor is a knockoff a copy because X was simulated with the same seed.
    model = LinearRegression().fit(columns, columns[:, 0])
    found = cpi(model, columns, columns[:, 0], sampler="gaussian", random_state=0)
    assert found.details["own_share"][0] == pytest.approx(1.0, abs=0.3)


def test_a_constant_column_has_no_own_share_and_does_not_hide_that_of_others():
    rng = np.random.default_rng(0)
    both, copies = 1e-70 * np.insert(rng.standard_normal((2, 80, 1)), 0, 1.0, axis=2)
    assert own_share(both, copies) == pytest.approx(own_share(both[:, 1:], copies[:, 1:]))
    assert np.isnan(own_share(both[:, :1], copies[:, :1]))


MIXING = np.array([[1, 0, 0, 0], [0.8, 0.6, 0, 0], [0.9, 0.3, 0.7, 0], [0, 0, 0, 1.0]])
EFFECTS = np.array([1.0, 0.7, -0.5, 0.4])  # of an exposure, its mediator, their child, another


@pytest.mark.parametrize("cv", [None, 5])
@pytest.mark.parametrize("unit", [[0], [2], [0, 2]])
@pytest.mark.parametrize("given", [[], [1], [1, 3]])
def test_a_linear_normal_score_given_some_columns_is_within_three_errors(unit, given, cv):
    normal = np.random.default_rng(2).standard_normal((1200, 4))
    X, names = normal @ MIXING.T, np.array(["X1", "X2", "X3", "X4"])
    y = X @ EFFECTS + np.random.default_rng(3).standard_normal(len(X))
    model = LinearRegression().fit(X, y)
    model.coef_, model.intercept_ = EFFECTS, 0.0
    found = cpi(
        model, X, y, given=names[given], groups={"unit": names[unit]}, features=["unit"],
        n_draws=2, cv=cv, random_state=0,
    )  # fmt: skip
    covariance = MIXING @ MIXING.T
    known = covariance[np.ix_(given, unit)]
    left = covariance[np.ix_(unit, unit)]
    left = left - known.T @ np.linalg.inv(covariance[np.ix_(given, given)]) @ known
    expected = 2 * EFFECTS[unit] @ left @ EFFECTS[unit]
    assert np.abs(found.scores - expected) <= 3 * found.std_error


@pytest.mark.parametrize("cv", [None, 3])
def test_a_feature_or_a_group_given_all_others_has_its_cpi(cv):
    X, y = linear_data().test
    X = np.column_stack([X, np.digitize(X[:, 1], [-1, 0, 1])])
    names, model = ["X1", "X2", "X3", "X4"], LinearRegression().fit(X[:40], y[:40])
    options = {"kinds": {"X4": "nominal"}, "cv": cv, "random_state": 0}
    groups = {"g": names[:2]}
    for given, unit in ((names[1:], {"features": names[:1]}), (names[2:], {"groups": groups})):
        found = cpi(model, X, y, given=given, **unit, **options)
        assert len(found) == 1
        every = cpi(model, X, y, **unit, **options)
        np.testing.assert_allclose(found.scores, every.scores[:1], rtol=1e-10)
        np.testing.assert_allclose(found.p_values, every.p_values[:1], rtol=1e-10)
