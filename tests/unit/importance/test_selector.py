"""The selector is an estimator of scikit-learn and keeps what its importance selects."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from losaw.importance import ImportanceSelector, boruta, cpi, pfi, residual_importance


@parametrize_with_checks(
    [ImportanceSelector("pfi", estimator=DecisionTreeRegressor(random_state=0), top=1, cv=2,
                        random_state=0)]
)  # fmt: skip
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def frame(n=200):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=["a", "b", "c", "d"])
    return X, X["c"] + rng.standard_normal(n)


def test_it_selects_in_a_pipeline_and_names_what_it_keeps():
    X, y = frame()
    method = partial(cpi, sampler="gaussian", sampler_parameters={"s_method": "sdp"})
    selector = ImportanceSelector(method, estimator=LinearRegression(), fwer=0.01, random_state=1)
    model = make_pipeline(clone(selector), LinearRegression()).fit(X, y)
    assert model[0].get_feature_names_out().tolist() == ["c"]
    assert model.predict(X).shape == (200,)
    assert model[0].transform(X).shape == (200, 1)


def test_an_unknown_method_names_the_nearest():
    X, y = frame()
    with pytest.raises(ValueError, match="did you mean 'loco'"):
        ImportanceSelector("locos").fit(X, y)


def test_methods_that_fit_their_own_models_need_no_estimator():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    for method in (
        partial(boruta, n_estimators=10, max_runs=12),
        partial(residual_importance, n_permutations=2, n_estimators=10),
    ):
        chosen = ImportanceSelector(method, top=1, random_state=0).fit(X, X[:, 1])
        assert chosen.get_support().tolist() == [False, True, False]


def test_whole_numbers_are_taken_for_classes_with_a_warning_only():
    X, y = frame(60)
    with pytest.warns(UserWarning, match="y has 3 different whole numbers"):
        ImportanceSelector("pfi", top=1, cv=2, random_state=0).fit(X, np.digitize(y, [-1, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ImportanceSelector("pfi", top=1, cv=2, random_state=0).fit(X, (y > 0).astype(int))
        ImportanceSelector("pfi", top=1, cv=2, random_state=0).fit(X, y)


def test_the_columns_are_kept_in_the_order_of_the_table():
    X, y = frame()
    method = partial(pfi, features=["d", "c", "a"])
    selector = ImportanceSelector(method, estimator=LinearRegression(), top=1, random_state=0)
    assert selector.fit(X, y).get_feature_names_out().tolist() == ["c"]
    assert ImportanceSelector(
        method=partial(pfi, features=["X4", "X3"]), estimator=LinearRegression(), top=1
    ).fit(X.to_numpy(), y).get_support().tolist() == [False, False, True, False]  # fmt: skip


def test_a_selector_refuses_groups():
    X, y = frame()
    method = partial(pfi, groups={"both": ["a", "b"]})
    with pytest.raises(ValueError, match="scores 'both', which is no column of X"):
        ImportanceSelector(method, estimator=LinearRegression(), top=1).fit(X, y)
