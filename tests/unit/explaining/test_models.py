"""The models that explain, fitted models that methods are given, curves of predictions."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import losaw
from losaw.explaining.curves import Curve, _direction
from losaw.explaining.models import (
    ClassInOneFold,
    MissingNumbers,
    fit_each,
    make_forest,
    make_model,
    splits_of,
)
from losaw.explaining.preparing import prepare
from losaw.explaining.scores import jackknife_error
from losaw.importance import cpi, hierarchy, loco, pfi
from losaw.scoring.model import read_model
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.support.errors import LosawError
from reference.explaining_tables import copies, mixed

QUICK = {"folds": 3, "permutations": 1, "draws": 1, "budget": None}


@pytest.mark.parametrize("method", [pfi, cpi, loco])
def test_fitted_models_of_the_folds_change_no_score(method):
    data = prepare(copies(150), "y")
    splits = splits_of(data, 3, 0)
    forest = RandomForestRegressor(5, max_features=2, random_state=0)
    given = fit_each(forest, data, splits)
    options = {"cv": splits, "random_state": 0}
    expected = method(forest, data.X, data.y, **options)
    assert np.array_equal(method(given, data.X, data.y, **options).scores, expected.scores)
    if method is cpi:
        tested = [hierarchy(m, data.X, data.y, **options).table for m in (given, forest)]
        pd.testing.assert_frame_equal(*tested)


@pytest.mark.parametrize(("frame", "target"), [(mixed(), "bought"), (copies(100), "y")])
def test_the_forest_of_the_page_is_walked_through_and_not_asked_row_by_row(frame, target):
    data = prepare(frame, target)
    forest = make_forest(data, 3, 0, None).fit(data.X, data.y)
    rows = read_rows(data.X, data.y, kinds=data.kinds)
    subject = read_model(forest, rows, ScoringOptions())
    assert subject.trees is not None
    asked = forest.predict(data.X) if target == "y" else forest.predict_proba(data.X)[:, 1]
    np.testing.assert_allclose(subject.predictions(), asked, atol=1e-12)


def test_missing_numbers_stand_below_or_at_the_median():
    X = pd.DataFrame({"a": [1.0, np.nan, 5.0, 3.0], "b": pd.Categorical(list("xyxy"))})
    assert MissingNumbers().fit(X).transform(X)["a"].tolist() == [1.0, -4.0, 5.0, 3.0]
    assert MissingNumbers(below=False).fit(X).transform(X)["a"].tolist() == [1.0, 3.0, 5.0, 3.0]
    assert X["a"].isna().sum() == 1
    for decorrelated in (False, True):  # weights take numbers as amounts
        model = make_forest(prepare(copies(60), "y"), 1, 0, None, decorrelated=decorrelated)
        assert model[0].below is not decorrelated


class CodesOnly(LogisticRegression):
    """A classifier that refuses anything but the classes 0, 1, …, as xgboost does."""

    def fit(self, X, y):
        if sorted(set(y)) != list(range(len(set(y)))):
            raise ValueError(f"Expected: 0, 1, …, got {sorted(set(y))}")
        return super().fit(X, y)


@pytest.mark.parametrize("classes", [("yes", "no"), (1, 2), (5.5, 7.5), ("a", "b", "c")])
def test_any_estimator_is_given_codes_of_classes(classes):
    frame = copies(150)
    places = np.digitize(frame["y"], np.quantile(frame["y"], [1 / 3, 2 / 3][: len(classes) - 1]))
    frame["y"] = np.array(classes)[places]
    found = losaw.explain(frame, "y", task="classification", model=CodesOnly(), methods="pfi",
                          **QUICK)  # fmt: skip
    assert found.work.quality["model"].share > 0.2 and found.model == "CodesOnly"


class Bad(RegressorMixin, BaseEstimator):
    """A model whose predictions are ``answer`` of the number of rows."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.answer(len(X))


REFUSED = [
    (Bad(lambda n: np.zeros(n - 1)), r"Bad\.predict gives shape \(\d+,\) .*expected \d+ numbers"),
    (
        Bad(lambda n: np.where(np.arange(n) == 7, np.nan, 0.0)),
        r"Bad cannot .*missing or infinite for 1 of \d+ rows",
    ),
    (Bad(lambda n: 1 / 0), r"Bad cannot be fitted .*ZeroDivisionError"),
    (LinearRegression(), r"LinearRegression cannot be .*town contain levels \(category\): encode"),
    (make_pipeline(StandardScaler(), LinearRegression()), r"age have missing values: impute"),
]


@pytest.mark.parametrize(("model", "words"), REFUSED)
def test_what_a_model_refuses_passes_with_its_columns_and_the_remedy(model, words):
    frame = mixed(100).assign(y=np.arange(100) % 7 + 0.5)
    with pytest.raises(LosawError, match=words):
        losaw.explain(frame.drop(columns="bought"), "y", model=model, methods="pfi", **QUICK)


def test_what_a_model_refuses_of_the_response_is_not_said_of_columns():
    frame = copies(100)
    words = r"cannot be fitted to this table, or .*value\(s\) of y.*\. fit it .* by hand first$"
    with pytest.raises(LosawError, match=words):
        losaw.explain(frame, "y", model=PoissonRegressor(), methods="pfi", **QUICK)


@pytest.mark.parametrize("cluster", [None, "who"])
def test_a_class_in_one_fold_is_said_to_be_in_clusters_only_where_these_are_named(cluster):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 3)), columns=list("abc"))
    frame = frame.assign(y=["rare", *["usual"] * 59], who=range(60))
    data = prepare(frame.loc[np.r_[[0] * 12, [1] * 4, :60]], "y", cluster=cluster,
                   drop=[] if cluster else ["who"])  # fmt: skip
    words = "cluster: in the 76 rows in use the .* in 1 cluster and" if cluster else (
        "^in the 76 rows in use the class rare of y is in 1 row, whose copies stay in one fold, "
        "and one fold has all of its rows; use more"
    )  # fmt: skip
    with pytest.raises(ClassInOneFold, match=words):
        splits_of(data, 3, 0)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression(), "does not solve"),
        (RandomForestRegressor, "the class RandomForestRegressor: give an instance"),
        (lambda X: X, "or an estimator of scikit-learn, got function"),
        (3, "model must be one of"),
    ],
)
def test_what_is_not_a_model_of_the_task_is_refused(model, words):
    with pytest.raises(ValueError, match=words):
        make_model(model, prepare(copies(60), "y"), 5, 0, None)


def test_an_estimator_without_a_seed_is_given_one_so_that_numbers_can_be_repeated():
    forest = RandomForestRegressor(3)
    for model in (forest, make_pipeline(StandardScaler(), forest)):
        one, again = (losaw.explain(copies(60), "y", model=model, methods="pfi", **QUICK)
                      for _ in range(2))  # fmt: skip
        np.testing.assert_array_equal(one.results["pfi"].scores, again.results["pfi"].scores)
    seeded = RandomForestRegressor(3, random_state=8)
    assert make_model(seeded, prepare(copies(60), "y"), 5, 0, None).random_state == 8


def test_columns_named_by_position_are_refused_before_anything_is_fitted():
    data = prepare(copies(60), "y")
    first = data.X.columns[0]
    for named in ({"interaction_cst": [{0, 1}]}, {"categorical_features": [0]}):
        model = make_pipeline(StandardScaler(), HistGradientBoostingRegressor(**named))
        (parameter,) = named
        with pytest.raises(ValueError, match=f"{parameter} of .*by place.*columns are left out"):
            make_model(model, data, 5, 0, None)
    by_name = HistGradientBoostingRegressor(monotonic_cst={first: 1})
    assert make_model(by_name, data, 5, 0, None).monotonic_cst == {first: 1}


def test_loco_of_a_pipeline_draws_as_many_features_at_a_node_as_without_the_pipeline():
    forest = RandomForestRegressor(30, max_features="sqrt", random_state=0)
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((150, 4)), columns=list("abcd"))
    frame["y"] = 2 * frame["a"] + 0.3 * np.random.default_rng(1).standard_normal(150)
    found = losaw.explain(frame, "y", methods="loco", model=make_pipeline(StandardScaler(), forest),
                          **{**QUICK, "folds": 5})  # fmt: skip
    assert found.selected == ("a",) and (found.results["loco"].scores[1:] < 0).all()


OF_PFI = {"methods": "pfi", "folds": 3, "permutations": 1, "budget": None}


def test_of_two_features_a_forest_without_one_draws_the_other_as_before():
    found = []
    for seed in range(2, 6):
        x, z, noise = np.random.default_rng(seed).standard_normal((3, 1200))
        frame = pd.DataFrame({"x": x, "z": z, "y": x + noise})
        of_loco = losaw.explain(frame, "y", methods="loco", budget=None, random_state=seed)
        found.append(of_loco.results["loco"].scores[1])
    assert np.mean(found) < 0.012, found  # .02 with one of two at random


def frame_of(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 3)), columns=["self", "b", "c"])
    frame["b"] = 0.9 * frame["self"] + 0.4 * frame["b"]
    frame["level"] = rng.choice(list("xyz"), n_rows)
    frame["y"] = 2.0 * frame["self"] - 1.0 * frame["b"] + rng.standard_normal(n_rows)
    return frame


def test_the_curve_of_a_linear_model_is_its_line_however_features_correlate():
    frame = frame_of(200).drop(columns="level")
    found = losaw.explain(frame, "y", model=LinearRegression(), **OF_PFI)
    fitted = LinearRegression().fit(frame[["self", "b", "c"]], frame["y"])
    assert set(found.curves) == {"self", "b", "c"}
    for name, slope in zip(("self", "b", "c"), fitted.coef_, strict=True):
        at, effect, error = found.curves[name]
        slopes = np.diff(effect) / np.diff(at)
        assert np.ptp(slopes) < 1e-9 and slopes[0] == pytest.approx(slope, abs=0.3)
        middles = np.interp(frame[name], at, effect)
        assert abs(middles.mean()) < 0.15 * np.ptp(effect)
        assert (error >= 0).all() and error.max() > 0
        assert at[0] == frame[name].min() and at[-1] == frame[name].max()


def test_the_band_is_the_jackknife_over_the_folds():
    assert jackknife_error(np.array([[1.0], [2.0], [3.0]])) == pytest.approx(2 / np.sqrt(3))
    steady = frame_of(200)
    steady["y"] = steady["c"] + 2.0 * steady["b"]
    found = losaw.explain(steady.drop(columns="level"), "y", model=LinearRegression(), **OF_PFI)
    assert found.curves["c"].error.max() < 1e-9 < np.ptp(found.curves["c"].effect)


def test_numbers_have_a_curve_and_levels_none():
    frame = frame_of(150)
    frame.loc[:20, "b"] = np.nan
    found = losaw.explain(frame, "y", **OF_PFI)
    assert set(found.curves) == {"self", "b", "c"}
    curve = found.curves["self"]
    assert curve.effect[-1] - curve.effect[0] > 2
    html = found.to_html()
    assert html.count("<polyline") == 3 and "Curve: how the prediction" in html
    assert json.loads(found.to_json())["curves"]["b"]["at"] == found.curves["b"].at.tolist()


def test_of_two_classes_it_is_the_probability_of_the_last():
    frame = frame_of(240).drop(columns="level")
    frame["y"] = pd.qcut(frame["y"], 2, labels=list("uv")).astype(str)
    found = losaw.explain(frame, "y", **OF_PFI)
    assert len(found.curves) == 3 and "<polyline" in found.to_html()
    effect = found.curves["self"].effect
    assert effect[-1] > 0.1 > -0.1 > effect[0] and "as a probability" in found.to_html()


@pytest.mark.parametrize("shape", ["rare level", "many zeros", "skewed"])
def test_a_curve_is_zero_on_average_over_the_rows(shape):
    rng = np.random.default_rng(5)
    x = {
        "rare level": (rng.random(300) < 0.05).astype(float),
        "many zeros": np.where(rng.random(300) < 0.75, 0.0, rng.exponential(1.0, 300)),
        "skewed": np.exp(2.0 * rng.standard_normal(300)),
    }[shape]
    frame = pd.DataFrame({"x": x, "b": rng.standard_normal(300)})
    frame["y"] = 3.0 * frame["x"] + frame["b"]
    found = losaw.explain(frame, "y", model=LinearRegression(), **OF_PFI)
    at, effect, _ = found.curves["x"]
    assert abs(np.interp(x, at, effect).mean()) < 1e-9 * np.ptp(effect)


def test_a_classifier_without_probabilities_is_refused_with_the_remedy():
    from sklearn.linear_model import RidgeClassifier
    from sklearn.svm import SVC, LinearSVC

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(90), "y": np.arange(90) % 2})
    for model in (SVC(), LinearSVC(), make_pipeline(StandardScaler(), RidgeClassifier())):
        with pytest.raises(ValueError, match=r"no predict_proba.*CalibratedClassifierCV"):
            losaw.explain(frame, "y", model=model, methods="pfi", folds=3, budget=None)
    for values in (frame["y"], frame["y"].tolist()):
        with pytest.raises(TypeError, match="target must be the name of a column"):
            losaw.explain(frame, values)


@pytest.mark.parametrize(
    ("cuts", "of"), [(0, "prediction of y"), (2, "probability of y = B"), (4, "probability of y =")]
)
def test_each_selected_feature_has_a_sentence_on_its_direction(cuts, of):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.standard_normal(240) for name in ("down", "hump")})
    frame["town"] = np.array(["u", "v", "w, z", "x"])[rng.integers(4, size=240)]
    f = frame["town"].map({"u": 2, "v": 2, "w, z": -1, "x": 0.5}) - 2 * frame["down"]
    frame["y"] = f + 3 * (frame["hump"].abs() < 0.6) + 0.3 * rng.standard_normal(240)
    if cuts:
        frame["y"] = pd.qcut(frame["y"], cuts, labels=list("ABCD")[:cuts]).astype(str)
    found = losaw.explain(frame, "y", **OF_PFI)
    said = {s.features[0]: s.text for s in found.sections["Directions"]}
    assert set(said) == set(found.selected) and all(of in text for text in said.values())
    assert found.to_frame().set_index("feature")["direction"].to_dict() == said
    assert all(text in str(found) and text in found.to_json() for text in said.values())
    if cuts < 4:
        assert said["down"].endswith("falls with it.")
        assert "highest near" in said["hump"]
        assert "highest for {u" in said["town"] and "lowest for {“w, z”}." in said["town"]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m", None])
def test_a_direction_names_dates_as_dates(form):
    days = pd.date_range("2021-01-01", periods=240, freq="D" if form != "%Y-%m" else "MS")
    place = np.random.default_rng(0).permutation(240)
    frame = pd.DataFrame({"day": days.strftime(form) if form else days, "x": place % 2})
    y = frame.assign(y=4.0 * (abs(frame.index - 100) < 30) + 0.01 * place).iloc[place]
    (said,) = losaw.explain(y, "y", **OF_PFI).sections["Directions"]
    low, high = days[70], days[130]
    near = re.fullmatch(r"day: .* near ([\d-]{10}), lowest near ([\d-]{10})\.", said.text)
    assert low <= pd.Timestamp(near[1]) <= high and not low <= pd.Timestamp(near[2]) <= high


U = np.linspace(0, 1, 11)
SHAPES = {
    "a line": (U, "rises with it"),
    "a step": (U > 0.5, "rises with it"),
    "a fall": (-np.exp(3 * U), "falls with it"),
    "a line that wavers": (U + 0.04 * (-1) ** np.arange(11), "rises with it"),
    "a hump": (-((U - 0.4) ** 2), "is highest near 0.4, lowest near 1.0"),
    "a wave": (np.r_[0, 4, 10, 10, 6, 1, -1, 2, 6, 8, 9], "is highest near 0.2, lowest near 0.6"),
    "a wave between far ends": (-np.cos(3 * np.pi * U), "is highest near "),
    "a wave downwards": (np.cos(3 * np.pi * U), "is highest near "),
    "many waves": (U + np.sin(8 * np.pi * U), "is highest near "),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_prediction_rises_or_falls_only_where_it_does_so_all_the_way(shape):
    effect, words = SHAPES[shape]
    at = [f"{u:.1f}" for u in U]
    said = _direction(Curve(U, np.asarray(effect, dtype=float), np.full(11, 0.01)), at, False)
    assert said.startswith(words)


DAY = pd.Timestamp("2025-03-01")
PLACES = {  # the value of a place from 0 to 1, and the words for it
    "years": (lambda u: np.round(1996 + 8 * u), lambda v: f"{v:.0f}"),
    "pressures": (lambda u: np.round(1000 + 30 * u, 1), lambda v: f"{v:.4g}"),
    "latitudes": (lambda u: 52.5 + np.round(0.04 * u, 3), lambda v: f"{v:.6g}"),
    "thousands": (lambda u: 10 * np.round(800 * u), lambda v: f"{v:.0f}"),
    "minutes": (lambda u: DAY + pd.to_timedelta(np.round(1200 * u), "m"), lambda v: str(v)[:16]),
    "ranks": (lambda u: pd.Categorical(np.array(list("edcba"))[np.round(4 * u).astype(int)],
                                       list("edcba"), ordered=True), str),
}  # fmt: skip


@pytest.mark.parametrize("kind", PLACES)
def test_a_direction_names_values_so_that_they_differ(kind):
    make, words = PLACES[kind]
    u = np.random.default_rng(0).random(300)
    frame = pd.DataFrame({"x": make(u), "z": u[::-1], "y": -20 * (u - 0.5) ** 2})
    found = losaw.explain(frame, "y", **OF_PFI)
    said = next(s.text for s in found.sections["Directions"] if s.features == ("x",))
    high, low = re.fullmatch(r"x: .* is highest near (.*), lowest near (.*)\.", said).groups()
    assert high != low and "e+" not in said
    known = set(map(words, frame["x"]))
    assert {high, low} <= known or kind == "thousands", said
