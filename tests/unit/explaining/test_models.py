"""Fits that methods share, and forests for missing numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone, is_classifier
from sklearn.ensemble import RandomForestRegressor

import losaw
from losaw.explaining.computing import jackknife_error
from losaw.explaining.drawn_once import DrawnOnce
from losaw.explaining.models import Fits, MissingNumbers, SharedFit, make_forest, make_model
from losaw.explaining.preparing import prepare
from losaw.importance import cpi, loco, pfi
from losaw.support.errors import LosawError
from losaw.tables import read_table
from reference.explaining_tables import copies, mixed


def shared_and_plain(model, names):
    ticks = []
    fits = Fits(names, lambda: ticks.append(1))
    return SharedFit(model, fits), clone(model), fits, ticks


@pytest.mark.parametrize("method", [pfi, loco])
def test_shared_fits_change_no_score(method):
    frame = copies(200)
    X, y = frame.drop(columns="y"), frame["y"]
    # It draws features at the nodes, so that LOCO fits it whole.
    forest = RandomForestRegressor(5, max_features=2, random_state=0)
    shared, plain, fits, ticks = shared_and_plain(forest, X)
    expected = method(plain, X, y, cv=3, random_state=0)
    for _ in range(2):
        assert np.array_equal(method(shared, X, y, cv=3, random_state=0).scores, expected.scores)
    assert len(fits.kept) == 3
    assert len(ticks) == (3 if method is pfi else 3 + 2 * 3 * 4)


def test_a_shared_classifier_is_one():
    data = prepare(mixed(), "bought")
    forest = make_forest("classification", 3, decorrelated=False, n_trees=3, seed=0)
    shared, _, _, _ = shared_and_plain(forest, data.X)
    assert is_classifier(shared)
    fitted = shared.fit(data.X, data.y)
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(fitted.predict_proba(data.X), clone(forest).fit(data.X, data.y)
                          .predict_proba(data.X))  # fmt: skip


def test_missing_numbers_stand_below_or_at_the_median():
    X = pd.DataFrame({"a": [1.0, np.nan, 5.0, 3.0], "b": pd.Categorical(list("xyxy"))})
    assert MissingNumbers().fit(X).transform(X)["a"].tolist() == [1.0, -4.0, 5.0, 3.0]
    assert MissingNumbers(below=False).fit(X).transform(X)["a"].tolist() == [1.0, 3.0, 5.0, 3.0]
    assert X["a"].isna().sum() == 1
    for decorrelated in (False, True):  # weights take numbers as amounts
        model = make_forest("regression", 2, decorrelated=decorrelated, n_trees=1, seed=0)
        assert model[0].below is not decorrelated


def test_that_a_value_is_missing_can_matter():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.standard_normal(300), "b": rng.standard_normal(300)})
    y = np.where(rng.random(300) < 0.5, 1.0, 0.0)
    X.loc[y == 1.0, "a"] = np.nan
    forest = make_forest("regression", 2, decorrelated=False, n_trees=10, seed=0).fit(X, y)
    assert np.mean((forest.predict(X) - y) ** 2) < 0.01


def test_unknown_models_are_refused():
    options = {"n_trees": 5, "seed": 0, "n_jobs": None}
    with pytest.raises(ValueError, match="did you mean 'forest'"):
        make_model("forrest", "regression", 3, **options)
    with pytest.raises(ValueError, match="does not solve"):
        make_model(RandomForestRegressor(), "classification", 3, **options)
    with pytest.raises(LosawError, match="estimator"):
        make_model(3, "regression", 3, **options)


def test_draws_are_made_once_for_all_folds_and_serve_cpi():
    frame = copies(150, correlation=0.0)
    X, y = frame.drop(columns="y"), frame["y"]
    sampler = DrawnOnce(read_table(X), 2, np.random.default_rng(0))
    assert len(sampler.drawn) == 2 and (sampler.drawn[0] != sampler.drawn[1]).any()
    model = RandomForestRegressor(20, random_state=0)
    scores = cpi(model, X, y, sampler=sampler, n_draws=2, cv=2, random_state=0).scores
    assert scores[:3].min() > 5 * abs(scores[3])
    with pytest.raises(ValueError, match="not those that were drawn"):
        sampler.fit(X.to_numpy()[:50])


def test_draws_made_once_are_no_copies_where_clusters_hold_copies():
    patient = np.repeat(np.arange(60), 8)
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3))[patient])
    sampler = DrawnOnce(read_table(X), 1, np.random.default_rng(0), clusters=patient)
    moved = ((sampler.drawn[0] - X.to_numpy()) ** 2).mean(axis=0) / (2 * X.to_numpy().var(axis=0))
    assert moved.min() > 0.6


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(0).standard_normal(10)
    left_out = np.array([np.delete(values, k).mean() for k in range(10)])
    assert np.isclose(jackknife_error(left_out), values.std(ddof=1) / np.sqrt(10))


def test_a_feature_of_the_clusters_is_found_among_such_features():
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(60), 5)
    frame = pd.DataFrame(rng.standard_normal((60, 3))[patient], columns=["age", "bmi", "height"])
    frame["y"] = frame["age"] + 0.5 * rng.standard_normal(300)
    frame["patient"] = patient
    options = {"methods": "pfi,cpi", "folds": 5, "draws": 2, "budget": None}
    found = losaw.explain(frame, "y", cluster="patient", **options)
    scores = found.results["cpi"].scores
    assert scores[0] > 0.5 * found.results["pfi"].scores[0] > 10 * np.abs(scores[1:]).max()
    assert found.selected == ("age",) and ("age",) in found.finest


class Bad(RegressorMixin, BaseEstimator):
    """A model whose predictions are ``answer`` of the number of rows."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.answer(len(X))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n: np.zeros(n - 1), "Bad gives 159 predictions for 160 rows"),
        (lambda n: np.where(np.arange(n) == 7, np.nan, 0.0), "Bad predicts nan for a row"),
        (lambda n: np.where(np.arange(n) == 7, np.inf, 0.0), "Bad predicts inf for a row"),
    ],
)
def test_a_model_without_a_finite_prediction_for_every_row_is_named(answer, words):
    with pytest.raises(ValueError, match=words):
        losaw.explain(copies(200), "y", model=Bad(answer), methods="pfi", folds=5, budget=None)
