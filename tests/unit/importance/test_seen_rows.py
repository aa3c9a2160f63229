"""Rows that a model was fitted to are told apart from rows that it has not seen."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from losaw import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.importance import cpi, hierarchy, loco, pfi, sage
from losaw.study.registry import get

N = 90
ENCODE = make_column_transformer((OneHotEncoder(), ["e"]), remainder="passthrough")
REGRESSORS = {
    "forest": RandomForestRegressor(10, random_state=0),
    "forest with large leaves": RandomForestRegressor(20, min_samples_leaf=8, random_state=0),
    "forest on parts": RandomForestRegressor(10, max_samples=0.5, random_state=0),
    "extra trees": ExtraTreesRegressor(10, random_state=0),
    "tree": DecisionTreeRegressor(random_state=0),
    "boosting": GradientBoostingRegressor(n_estimators=40, random_state=0),
    "losawRF": LosawRandomForestRegressor(10, bootstrap=True, random_state=0),
    "losawRF without bags": LosawRandomForestRegressor(10, bootstrap=False, random_state=0),
    "search": GridSearchCV(RandomForestRegressor(5, random_state=0), {"max_depth": [5]}, cv=2),
    "pipeline": make_pipeline(StandardScaler(), RandomForestRegressor(10, random_state=0)),
    "dummies": make_pipeline(ENCODE, RandomForestRegressor(10, random_state=0)),
}
CLASSIFIERS = {
    "forest of classes": RandomForestClassifier(10, random_state=0),
    "forest of weighted classes": RandomForestClassifier(
        10, class_weight="balanced", random_state=0
    ),
    "extra trees of classes": ExtraTreesClassifier(10, bootstrap=True, random_state=0),
    "tree of classes": DecisionTreeClassifier(random_state=0),
    "boosting of classes": GradientBoostingClassifier(n_estimators=40, random_state=0),
    "losawRF of classes": LosawRandomForestClassifier(10, random_state=0),
}
MODELS = {**REGRESSORS, **CLASSIFIERS}


def table(seed, name):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((N, 4)), columns=list("abcd"))
    X["e"] = rng.integers(0, 3, N)
    y = X["a"] + rng.standard_normal(N)
    return X, y if name in REGRESSORS else np.where(y > 0.3, "yes", "no")


def seen(model, X, y):
    """Whether rows are taken for those of the fit."""
    first = "a" if isinstance(X, pd.DataFrame) else "X1"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pfi(model, X, y, n_repeats=1, features=[first], random_state=0)
    return any("was fitted to these rows" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_the_fit_are_recognised_and_others_are_not(name):
    X, y = table(0, name)
    model = MODELS[name].fit(X, y)
    assert seen(model, X, y)
    assert not seen(model, *table(1, name))
    assert not seen(model, X, table(1, name)[1])  # an experiment that was done again
    assert not seen(model, X[:-10], y[:-10])


@pytest.mark.parametrize("learner", ["ranger-forest", "scikit-learn-forest"])
def test_so_are_those_of_the_learners_of_studies(learner):
    X, y = (np.asarray(part) for part in table(0, "forest"))
    model = get("learner", learner).create(n_estimators=10)
    model.fit(X, y)
    assert seen(model, X, y)
    assert not seen(model, *(np.asarray(part) for part in table(1, "forest")))


@pytest.mark.parametrize("objective", ["reg:squarederror", "binary:logistic"])
def test_so_are_those_of_xgboost(objective):
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 4))
    y = X[:, 0] + rng.standard_normal(1000)
    kind = xgboost.XGBRegressor
    if objective == "binary:logistic":
        y, kind = (y > 0).astype(int), xgboost.XGBClassifier
    model = kind(n_estimators=20, max_depth=5, objective=objective).fit(X, y)
    assert seen(model, X, y)
    assert not seen(model, X[rng.permutation(1000)], y)
    X[::7, 0] = -9.0
    model = kind(n_estimators=20, max_depth=6, missing=-9.0).fit(pd.DataFrame(X).add_prefix("x"), y)
    assert seen(model, X, y)
    assert not seen(model, X[rng.permutation(1000)], y)


@pytest.mark.long
def test_unseen_rows_are_never_called_seen_in_500_tables():
    names = [name for name in MODELS if "losaw" not in name]
    for seed in range(500):
        name = names[seed % len(names)]
        model = MODELS[name].fit(*table(seed, name))
        assert not seen(model, *table(1000 + seed, name)), (seed, name)


def test_what_is_scored_on_rows_of_the_fit_has_no_p_values_and_selects_nothing():
    X, y = table(0, "forest")
    model = RandomForestRegressor(10, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        found = cpi(model, X, y, sampler="gaussian", random_state=0)
    assert np.isnan(found.p_values).all() and np.isfinite(found.scores).all()
    assert set(found.notes) == set(X.columns)
    assert found.select(fdr=0.9) == found.select(fwer=0.9) == found.select(top=2) == ()
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        found = loco(model, X, y, train=(X, y), random_state=0)
    assert np.isnan(found.p_values).all()
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        of_groups = hierarchy(model, X, y, random_state=0)
    assert of_groups.selected == ()
    assert str(of_groups) == "nothing is tested: the model was fitted to these rows"
    for function in (pfi, sage):
        with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
            assert function(model, X, y, random_state=0).p_values is None


@pytest.mark.filterwarnings("error")
def test_folds_and_models_without_trees_are_not_asked():
    X, y = table(0, "forest")
    pfi(RandomForestRegressor(5).fit(X, y), X, y, cv=3, random_state=0)
    pfi(LinearRegression().fit(X, y), X, y, random_state=0)
