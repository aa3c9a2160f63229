"""Trees grown again are those of a whole refit.

Of losaw.fitted_trees.growable_forest, importance.leave_one_covariate_out.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from losaw.fitted_trees.growable_forest import GrowableForest, growable_forest
from losaw.importance import loco
from losaw.scoring.fewer_columns import without
from losaw.support.threads import Jobs

rng = np.random.default_rng(0)
N, N_TRAIN = 260, 180
X = rng.standard_normal((N, 5))
X[:, 1] += X[:, 0]
X[:, 3] = rng.integers(0, 4, N)
X[:, 4] = np.round(X[:, 4], 1) + 3e-8 * rng.standard_normal(N)  # closer than can be told apart
Y = 3 * X[:, 0] + X[:, 2] * X[:, 3] + rng.standard_normal(N)
FRAME = pd.DataFrame(X[:, :4], columns=list("abcd")).assign(
    d=pd.Categorical(np.array(["w", "x", "y", "z"])[X[:, 3].astype(int)])
)
# Where leaves hold many rows no two columns divide a node alike, and a refit has one result.
WIDE = {"n_estimators": 12, "min_samples_leaf": 15, "random_state": 0}
FORESTS = {
    "bootstrap": {},
    "whole sample": {"bootstrap": False},
    "shallow": {"max_depth": 2},
    "large nodes": {"min_samples_split": 54},
    "all columns by None": {"max_features": None},
}


@pytest.fixture
def fits(monkeypatch):
    """The forests that are fitted."""
    fitted = []
    fit = RandomForestRegressor.fit
    monkeypatch.setattr(
        RandomForestRegressor,
        "fit",
        lambda self, *given: (fitted.append(self), fit(self, *given))[1],
    )
    return fitted


def by_refits(model, table, y, left_out):
    """Increase of the squared error of rows when the model is fitted without columns."""
    names = list(map(str, getattr(table, "columns", range(5))))

    def error(fitted, rows):
        return (fitted.predict(rows) - y[N_TRAIN:]) ** 2

    take = (lambda rows: table.iloc[rows]) if hasattr(table, "iloc") else (lambda rows: table[rows])
    kept = [j for j in range(len(names)) if j not in left_out]
    train, test = take(np.arange(N_TRAIN)), take(np.arange(N_TRAIN, N))
    part = (lambda t: t.iloc[:, kept]) if hasattr(table, "iloc") else (lambda t: t[:, kept])
    copy = without(model, left_out, names).fit(part(train), y[:N_TRAIN])
    return error(copy, part(test)) - error(model, test)


@pytest.mark.parametrize("options", FORESTS.values(), ids=FORESTS)
def test_rows_are_those_of_whole_refits_and_nothing_is_fitted(options, fits):
    model = RandomForestRegressor(**WIDE | options).fit(X[:N_TRAIN], Y[:N_TRAIN])
    expected = [by_refits(model, X, Y, [j]) for j in range(5)]
    assert np.ptp(expected[0]) > 1
    fits.clear()
    result = loco(model, X[N_TRAIN:], Y[N_TRAIN:], train=(X[:N_TRAIN], Y[:N_TRAIN]))
    assert fits == []
    np.testing.assert_allclose(result.rows.T, expected, rtol=0, atol=1e-9)


def test_groups_pipelines_and_searches_are_left_out_whole(fits):
    encode = make_column_transformer((OneHotEncoder(), ["d"]), remainder=StandardScaler())
    train, test = (FRAME[:N_TRAIN], Y[:N_TRAIN]), (FRAME[N_TRAIN:], Y[N_TRAIN:])
    pipeline = make_pipeline(encode, RandomForestRegressor(**WIDE)).fit(*train)
    search = GridSearchCV(pipeline, {"randomforestregressor__max_depth": [3]}, cv=2).fit(*train)
    groups = {"a or d": ["a", "d"]}
    for model, refitted in ((pipeline, pipeline), (search, search.best_estimator_)):
        expected = [by_refits(refitted, FRAME, Y, out) for out in ([0, 3], [1], [2])]
        fits.clear()
        result = loco(model, *test, train=train, groups=groups)
        rows = dict(zip(result.feature_names, result.rows.T, strict=True))
        assert fits == []
        for name, increase in zip(["a or d", "b", "c"], expected, strict=True):
            np.testing.assert_allclose(rows[name], increase, rtol=0, atol=1e-9)


def test_folds_threads_and_single_features_give_the_same(fits):
    model = RandomForestRegressor(25, random_state=0)
    one = loco(model, X, Y, random_state=0)
    assert len(fits) == 5  # the folds
    np.testing.assert_array_equal(one.rows, loco(model, X, Y, random_state=0, n_jobs=2).rows)
    some = loco(model, X, Y, random_state=0, features=["X4", "X2"])
    np.testing.assert_array_equal(some.rows, one.rows[:, [3, 1]])


def test_of_equally_good_splits_each_is_taken_as_often():
    # Two rows that every column divides: without the first a tree takes the second or the third.
    columns, y = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]), np.array([0.0, 1.0])
    n_trees = 2000
    forest = RandomForestRegressor(n_trees, bootstrap=False, random_state=0).fit(columns, y)
    assert growable_forest(forest, 2) is forest
    assert growable_forest(forest, 3) is None
    asked = np.array([[0.0, 1.0, 0.0]])
    again = GrowableForest(forest, columns, y)
    assert again.was_grown_on_the_rows()
    (predicted,) = again.predictions_without(asked, [np.array([0])], Jobs())
    n_second = round(float(predicted[0]) * n_trees)
    assert binom(n_trees, 0.5).interval(1 - 1e-6)[0] <= n_second
    assert n_second <= binom(n_trees, 0.5).interval(1 - 1e-6)[1]
    # And of all trees a third took each before.
    n_before = round(float(forest.predict(asked)[0]) * n_trees)
    low, high = binom(n_trees, 1 / 3).interval(1 - 1e-6)
    assert low <= n_before <= high


WHOLE = {
    "columns drawn": {"max_features": 0.5},
    "another criterion": {"criterion": "absolute_error"},
    "pruned": {"ccp_alpha": 0.1},
    "few leaves": {"max_leaf_nodes": 5},
    "least decrease": {"min_impurity_decrease": 0.01},
    "constrained": {"monotonic_cst": [1, 0, 0, 0, 0]},
    "half of the rows": {"max_samples": 0.5, "min_samples_leaf": 10},
    "shares of rows": {"min_samples_leaf": 0.09, "min_samples_split": 0.3},
    "shares of weight": {"min_weight_fraction_leaf": 0.1},
    "one column": {"max_features": 1},
}


@pytest.mark.parametrize("options", WHOLE.values(), ids=WHOLE)
def test_other_forests_are_fitted_whole(options, fits):
    model = RandomForestRegressor(**WIDE | {"n_estimators": 2} | options)
    model.fit(X[:N_TRAIN], Y[:N_TRAIN])
    fits.clear()
    result = loco(model, X[N_TRAIN:], Y[N_TRAIN:], train=(X[:N_TRAIN], Y[:N_TRAIN]))
    assert len(fits) == 5
    np.testing.assert_allclose(result.rows[:, 2], by_refits(model, X, Y, [2]), rtol=0, atol=1e-9)


def test_forests_of_other_rows_or_weights_or_settings_are_fitted_whole(fits):
    train, test = (X[:N_TRAIN], Y[:N_TRAIN]), (X[N_TRAIN:], Y[N_TRAIN:])
    model = RandomForestRegressor(**WIDE).fit(*train)
    others = RandomForestRegressor(**WIDE).fit(X[:N_TRAIN], Y[:N_TRAIN][::-1])
    weighted = RandomForestRegressor(**WIDE).fit(*train, rng.uniform(size=N_TRAIN))
    changed = clone(model).fit(*train).set_params(max_depth=1)
    subclass = type("Mine", (RandomForestRegressor,), {})(**WIDE).fit(*train)
    of_fewer = RandomForestRegressor(**WIDE).fit(X[:150], Y[:150])
    of_more = RandomForestRegressor(**WIDE).fit(X, Y)
    for forest in (others, weighted, changed, subclass, of_fewer, of_more):
        fits.clear()
        loco(forest, *test, train=train)
        assert len(fits) == 5
    # Two rows of one response changed places: the leaves have the means, and other rows.
    signs, swapped = np.where(Y[:N_TRAIN] > 0, 1.0, -1.0), X[:N_TRAIN].copy()
    pure = RandomForestRegressor(1, random_state=0).fit(X[:N_TRAIN], signs)
    counts = np.bincount(pure.estimators_samples_[0], minlength=N_TRAIN)
    leaves = pure.apply(X[:N_TRAIN])[:, 0]
    once = np.flatnonzero((signs > 0) & (counts == 1))[0]
    twice = np.flatnonzero((signs > 0) & (counts == 2) & (leaves != leaves[once]))[0]
    swapped[[once, twice]] = swapped[[twice, once]]
    fits.clear()
    loco(pure, *test, train=(swapped, signs))
    assert len(fits) == 5
    fits.clear()
    classes = RandomForestClassifier(5, max_features=None).fit(X[:N_TRAIN], Y[:N_TRAIN] > 0)
    loco(classes, X[N_TRAIN:], Y[N_TRAIN:] > 0, train=(X[:N_TRAIN], Y[:N_TRAIN] > 0))
    encode = make_column_transformer(
        (TargetEncoder(random_state=0), ["d"]), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestRegressor(**WIDE)).fit(FRAME[:N_TRAIN], Y[:N_TRAIN])
    fits.clear()  # it is fitted to other columns than it gets
    loco(model, FRAME[N_TRAIN:], Y[N_TRAIN:], train=(FRAME[:N_TRAIN], Y[:N_TRAIN]))
    assert len(fits) == 4
