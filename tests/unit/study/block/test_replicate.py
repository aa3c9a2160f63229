"""A replicate's parts do not change each other."""

import random
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVR, NuSVR
from sklearn.tree import ExtraTreeRegressor

from losaw.data import Dataset, Sample, Truth
from losaw.importance import ImportanceResult
from losaw.study.block.replicate import Ingredients, run_replicate
from losaw.study.registry import get


class Sizes:
    """Absolute slopes, of a fit to the test sample and of the model."""

    def explain(self, model, data, rng):
        slopes = LinearRegression().fit(*data.test).coef_
        return ImportanceResult(np.abs(slopes) + np.abs(model.coef_), data.feature_names)


class Shuffles(Sizes):
    __module__ = "losaw_plugin_own"

    def explain(self, model, data, rng):
        model.coef_ *= 0.0
        data.test.X[:, 0] = rng.permutation(data.test.X[:, 0])
        data.train.y[:] = 0.0
        return super().explain(model, data, rng)


class Fixed(Sizes):
    def __init__(self, **values):
        self.values = {"scores": np.ones(2), **values}

    def explain(self, model, data, rng):
        kind = "over nothing" if "std_error" in self.values else None
        names = {"feature_names": data.feature_names, "std_error_kind": kind}
        return ImportanceResult(**names | self.values)


class Metric:
    __module__ = "losaw.own"  # others get copies, which they may change

    def __init__(self, function, needs="importance"):
        self.function, self.needs = function, needs

    def __call__(self, measured, truth):
        return self.function(measured)


class Column(LinearRegression):
    def predict(self, X):
        return super().predict(X)[:, None]


class Single(LinearRegression):
    def predict(self, X):
        return 1.0


class Scales(LinearRegression):
    def fit(self, X, y):
        X /= 2.0
        return super().fit(X, y)


def draw(rng):
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(40)
    train, test = Sample(X[:20].copy(), y[:20].copy()), Sample(X[20:].copy(), y[20:].copy())
    return Dataset(train, test, Truth((0,), 2), ("a", "b"), ("continuous",) * 2)


def draw_classes(rng):
    data = draw(rng)
    train, test = (Sample(X, (y > 0).astype(float)) for X, y in (data.train, data.test))
    return replace(data, train=train, test=test, task="classification")


def rows_of(importances, metrics, learner=LinearRegression):
    recipe = Ingredients("tiny", "one", "plain", draw, learner, importances, metrics)
    rows = run_replicate(recipe, 0, ["", *importances], recipe.data)
    return {(row.importance, row.metric): row for row in rows}


def sort(predictions):
    for values in predictions.test:
        values.sort()
    return 1.0


def error(predictions):
    return float(np.mean((predictions.test[0] - predictions.test[1]) ** 2))


FIRST = {"first": Metric(lambda result: result.scores[0])}


def test_an_importance_that_changes_data_and_model_fails_and_changes_no_other():
    alone = rows_of({"sizes": Sizes()}, FIRST)["sizes", "first"].value
    rows = rows_of({"shuffles": Shuffles(), "sizes": Sizes()}, FIRST)
    assert rows["sizes", "first"].value == alone
    assert "'shuffles' changed the data in place" in rows["shuffles", "first"].message


def test_a_metric_that_changes_what_it_measures_fails_and_changes_no_other():
    alone = rows_of({}, {"error": Metric(error, "prediction")})["", "error"].value
    metrics = {"sort": Metric(sort, "prediction"), "error": Metric(error, "prediction")}
    rows = rows_of({}, metrics)
    assert rows["", "error"].value == alone
    assert "read-only" in rows["", "sort"].message
    errors = {"p_values": np.array([0.4, 0.1]), "std_error": np.array([0.4, 0.1])}
    for name in ("scores", *errors):
        metrics = {"sort": Metric(lambda result, name=name: getattr(result, name).sort()), **FIRST}
        rows = rows_of({"fixed": Fixed(**errors)}, metrics)
        assert "read-only" in rows["fixed", "sort"].message


def spoil(details):
    details.update(optimum=0.0, selected=np.zeros(2, bool), added=7.0)
    return 1.0


class Spoils:
    """What spoils all details that it is given: of the truth, and of a result."""

    __module__ = "losaw_plugin_own"
    range, higher_is_better = (0.0, 1.0), True

    def __init__(self, needs):
        self.needs = needs

    def __call__(self, measured, truth):
        return spoil(truth.details) and spoil(getattr(measured, "details", {}))

    def explain(self, model, data, rng):
        spoil(data.truth.details)
        return ImportanceResult(np.ones(2), data.feature_names)


class Alike(Spoils):
    def __call__(self, measured, truth):
        found = truth.details["optimum"] + len(truth.details)
        chosen = getattr(measured, "details", {}).get("selected", ())
        return float(found + 10 * sum(chosen))


@pytest.mark.parametrize("needs", ["prediction", "importance"])
def test_what_a_plugin_changes_in_details_reaches_no_other_metric_importance_or_learner(needs):
    def with_optimum(rng):
        data = draw(rng)
        return replace(data, truth=replace(data.truth, details={"optimum": 0.5}))

    fixed = {"fixed": Fixed(details={"selected": np.array([True, False])})}
    metrics = {
        "gap": get("metric", "optimum_gap").create(),
        "share": get("metric", "rejection_rate").create(),
        "alike": Alike(needs),
    }

    def values(importances, metrics):
        recipe = Ingredients("tiny", "one", "a", with_optimum, LinearRegression, importances)
        data = recipe.data(0)
        rows = []
        for learner in "ab":
            made = replace(recipe, learner=learner, metrics=metrics)
            rows += run_replicate(made, 0, ["", *importances], lambda seed: data)
        assert {row.status for row in rows} == {"ok"}
        return sorted(
            (row.metric, row.value)
            for row in rows
            if row.metric in ("gap", "share", "alike") and row.importance in ("", "fixed")
        )

    alone = values(fixed, metrics)
    assert len(alone) == 6 and len(set(alone)) == 3
    spoiling = {"spoils": Spoils(needs)}
    assert values(fixed, spoiling | metrics) == alone
    assert values(fixed, metrics | spoiling) == alone
    assert values(spoiling | fixed, {k: m for k, m in metrics.items() if k != "share"}) == [
        one for one in alone if one[0] != "share"
    ]


class FitDraws(LinearRegression):
    def fit(self, X, y):
        np.random.rand()  # noqa: NPY002
        return super().fit(X, y)


class FitDrawsInPython(LinearRegression):
    def fit(self, X, y):
        random.random()
        return super().fit(X, y)


class PredictionDraws(LinearRegression):
    def predict(self, X):
        return super().predict(X) + np.random.rand()  # noqa: NPY002


@pytest.mark.parametrize(
    "learner",
    [FitDraws, FitDrawsInPython, PredictionDraws, lambda: make_pipeline(ExtraTreeRegressor())],
)
def test_a_learner_of_any_module_that_draws_from_a_global_generator_is_a_failure(learner):
    metrics = {"error": Metric(error, "prediction")}
    (row,) = rows_of({}, metrics, learner).values()
    assert row.status == "failed"
    assert "draws from numpy's or Python's global generator" in row.message


@pytest.mark.parametrize("learner", [SVR, NuSVR])
def test_a_draw_that_decides_nothing_is_no_failure(learner):
    (row,) = rows_of({}, {"error": Metric(error, "prediction")}, learner).values()
    assert row.status == "ok", row.message


def test_a_learner_that_changes_the_data_is_a_failed_fit():
    (row,) = rows_of({"sizes": Sizes()}, FIRST, Scales).values()
    assert "Scales.fit changed the data in place" in row.message


def test_predictions_of_another_shape_are_no_numbers_of_a_metric():
    metrics = {"error": Metric(error, "prediction")}
    plain = rows_of({}, metrics)["", "error"].value
    assert rows_of({}, metrics, Column)["", "error"].value == plain
    assert "gives shape ()" in rows_of({}, metrics, Single)["", "error"].message


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        (None, "Classifier has no predict_proba, and metrics of classes need probabilities"),
        (lambda n: np.full(n, 0.3), "gives shape (20,) and type float64; expected numbers of"),
        (lambda n: np.full((n, 1), 0.3), "gives shape (20, 1)"),
        (lambda n: np.full((n, 3), 0.3), "gives shape (20, 3)"),
        (lambda n: np.full((n - 1, 2), 0.5), "gives shape (19, 2)"),
        (lambda n: np.full((n, 2), np.inf), "missing or infinite for 20 of 20 rows"),
        (lambda n: np.full((n, 2), "a"), "type <U1; expected numbers of shape (20, 2)"),
    ],
)
def test_probabilities_of_another_shape_are_no_numbers_of_a_metric(shares, words):
    class Classifier(ClassifierMixin, LinearRegression):
        classes_ = np.array([0.0, 1.0])

    if shares is not None:
        Classifier.predict_proba = lambda self, X: shares(len(X))
    metrics = {"risk": get("metric", "risk").create(), "gap": get("metric", "optimum_gap").create()}
    recipe = Ingredients("tiny", "one", "plain", draw_classes, Classifier, {}, metrics)
    for row in run_replicate(recipe, 0, [""], recipe.data):
        assert row.status == "failed" and words in row.message


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"p_values": np.array([0.5, 7.0])}, "p_values must be between 0 and 1"),
        ({"p_values": np.array([np.nan, np.inf])}, "p_values must be between 0 and 1"),
        ({"std_error": np.array([0.5, -1.0])}, "std_error must be between 0 and inf"),
        ({"std_error": np.array([np.nan, 1.0])}, "std_error must be between 0 and inf"),
        ({"scores": np.array([np.nan, 1.0])}, "1 of 2 scores are missing or infinite"),
        ({"feature_names": ("b", "a")}, "the features are named b, a"),
        *[
            ({"details": {"selected": selected}}, "True or False for each of 2 features")
            for selected in ([1, 0], [0], [True], np.full(2, 0.5), ["no"] * 2, np.eye(2) > 0)
        ],
    ],
)
def test_what_no_metric_can_judge_is_a_failure(values, words):
    rows = rows_of({"fixed": Fixed(**values)}, FIRST)
    assert words in rows["fixed", "first"].message
