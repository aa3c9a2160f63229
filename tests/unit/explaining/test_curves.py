"""Curves of the prediction along a feature."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import losaw
from losaw.explaining.scores import jackknife_error

QUICK = {"methods": "pfi", "folds": 3, "permutations": 1, "budget": None}


def frame_of(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 3)), columns=["self", "b", "c"])
    frame["b"] = 0.9 * frame["self"] + 0.4 * frame["b"]
    frame["level"] = rng.choice(list("xyz"), n_rows)
    frame["y"] = 2.0 * frame["self"] - 1.0 * frame["b"] + rng.standard_normal(n_rows)
    return frame


def test_the_curve_of_a_linear_model_is_its_line_however_features_correlate():
    frame = frame_of(200).drop(columns="level")
    found = losaw.explain(frame, "y", model=LinearRegression(), **QUICK)
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
    found = losaw.explain(steady.drop(columns="level"), "y", model=LinearRegression(), **QUICK)
    assert found.curves["c"].error.max() < 1e-9 < np.ptp(found.curves["c"].effect)


def test_numbers_have_a_curve_and_levels_none():
    frame = frame_of(150)
    frame.loc[:20, "b"] = np.nan
    found = losaw.explain(frame, "y", **QUICK)
    assert set(found.curves) == {"self", "b", "c"}
    curve = found.curves["self"]
    assert curve.effect[-1] - curve.effect[0] > 2
    html = found.to_html()
    assert html.count("<polyline") == 3 and "Curve: how the prediction" in html
    assert json.loads(found.to_json())["curves"]["b"]["at"] == found.curves["b"].at.tolist()


def test_of_two_classes_it_is_the_probability_of_the_last():
    frame = frame_of(240).drop(columns="level")
    frame["y"] = pd.qcut(frame["y"], 2, labels=list("uv")).astype(str)
    found = losaw.explain(frame, "y", **QUICK)
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
    found = losaw.explain(frame, "y", model=LinearRegression(), **QUICK)
    at, effect, _ = found.curves["x"]
    assert abs(np.interp(x, at, effect).mean()) < 1e-9 * np.ptp(effect)
