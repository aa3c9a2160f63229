"""Sampling weights of a person's table: what is weighted, what is not, and what is refused.

Of explaining.preparing, explaining.models, explaining.computing, explaining.curves, explaining.api.
"""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import losaw
from losaw.cli import main
from losaw.explaining.computing import relative_loss
from losaw.explaining.preparing import prepare
from losaw.support.errors import LosawError
from reference.explaining_tables import mixed

QUICK = {"folds": 4, "draws": 1, "permutations": 2, "budget": None}
MODEL = LinearRegression()
LOSSES = {"methods": "pfi,cpi,loco", **QUICK}


def population(n, seed):
    """X1 and X2 make the response, X3 follows X1; half of the variation is noise."""
    rng = np.random.default_rng(seed)
    X1, X2, e, e3 = rng.standard_normal((4, n))
    frame = pd.DataFrame({"X1": X1, "X2": X2, "X3": 0.6 * X1 + 0.8 * e3})
    return frame.assign(y=X1 + X2 + np.sqrt(2.0) * e)


def drawn_by(chance, n, seed):
    """Rows of the population that are drawn with a given chance, weighted by its inverse."""
    frame = population(8 * n, seed)
    share = chance(frame)
    share = np.minimum(share / share.mean() * n / len(frame), 1.0)
    kept = np.random.default_rng([seed, 1]).random(len(frame)) < share
    return frame.assign(w=1.0 / share)[kept].reset_index(drop=True)


def numbers(found):
    results = {**found.results, **{f"{k} of groups": r for k, r in found.group_results.items()}}
    scores = {name: result.scores for name, result in results.items()}
    curves = {f"curve of {name}": curve.effect for name, curve in found.curves.items()}
    return scores | curves | {"share": [quality.share for quality in found.quality.values()]}


def assert_same_numbers(found, other, **tolerance):
    assert found.finest == other.finest
    assert numbers(found).keys() == numbers(other).keys()
    for name, expected in numbers(other).items():
        np.testing.assert_allclose(numbers(found)[name], expected, err_msg=name, **tolerance)


def test_rows_of_weight_zero_change_nothing():
    frame = drawn_by(lambda f: np.exp(f["X1"]), 150, 0)
    strange = frame.head(40).assign(y=1e6, X1=-50.0, w=0.0)
    more = pd.concat([frame, strange]).sample(frac=1.0, random_state=0).reset_index(drop=True)
    same_order = more[more["w"] > 0].reset_index(drop=True)
    found, without = (losaw.explain(f, "y", weights="w", **QUICK) for f in (more, same_order))
    assert_same_numbers(found, without, rtol=0)
    assert "40 rows with a weight of 0 are left out." in found.notes


def test_equal_weights_give_the_unweighted_page():
    frame = population(150, 0)
    plain = losaw.explain(frame, "y", **QUICK)
    equal = losaw.explain(frame.assign(w=3.5), "y", weights="w", **QUICK)
    assert_same_numbers(equal, plain, rtol=0)
    assert equal.notes == ("All weights w are equal, so that they change nothing.",)


@pytest.mark.parametrize(
    "model", [LinearRegression(), pytest.param("gradient-boosting", marks=pytest.mark.long)]
)
def test_nearly_equal_weights_give_nearly_the_same_numbers(model):
    frame = population(200, 0)
    frame["w"] = 2.0 + 1e-9 * np.arange(200)
    plain = losaw.explain(frame.drop(columns="w"), "y", model=model, **LOSSES)
    weighted = losaw.explain(frame, "y", model=model, weights="w", **LOSSES)
    assert "PFI" in weighted.to_text() and any("Rows are weighted" in n for n in weighted.notes)
    assert_same_numbers(weighted, plain, rtol=1e-5, atol=1e-7)


def test_the_unit_of_the_weights_does_not_matter():
    frame = drawn_by(lambda f: np.exp(f["X1"]), 150, 0)
    found, other = (
        losaw.explain(frame.assign(w=unit * frame["w"]), "y", weights="w", model=MODEL, **LOSSES)
        for unit in (1, 1024)
    )
    assert_same_numbers(other, found, rtol=1e-9, atol=1e-12)


@pytest.mark.long
def test_a_biased_draw_recovers_the_importances_of_the_population():
    # Of the population PFI is 2 Var(X_j) / Var(y), CPI 2 Var(X_j | others) / Var(y), LOCO half.
    truth = {"pfi": [0.5, 0.5, 0.0], "cpi": [0.32, 0.5, 0.0], "loco": [0.16, 0.25, 0.0]}
    far = {"w": [], None: []}
    for seed in range(2):
        frame = drawn_by(lambda f: 1.0 + 9.0 * (np.abs(f["y"]) > 2.6), 800, seed)
        for weights, runs in far.items():
            given = frame if weights else frame.drop(columns="w")
            found = losaw.explain(given, "y", model=LinearRegression(), weights=weights, **LOSSES)
            scores = np.concatenate([found.results[name].scores - truth[name] for name in truth])
            runs.append([found.quality["model"].share - 0.5, *scores])
    assert np.abs(np.mean(far["w"], axis=0)).max() < 0.08
    assert np.abs(np.mean(far[None], axis=0)).max() > 0.15


def test_a_mixed_table_of_two_classes_with_missing_values_and_clusters():
    frame = mixed(200).assign(w=np.tile([1.0, 3.0], 100), person=np.arange(200) // 2)
    found = losaw.explain(frame, "bought", weights="w", cluster="person", **QUICK)
    assert list(found.results) == ["mdi", "pfi", "cpi", "loco", "atr"] == list(found.design.methods)
    scores = found.to_frame().set_index("feature")
    assert "age" in found.selected and np.isnan(scores["ATR"]["town"])
    assert set(scores.index) == {"age", "town", "wage"} and scores["MDI"]["town"] > 0
    page = found.to_text()
    for sentence in (
        "Rows are weighted by w",
        "These 200 rows tell about as much as 160 of equal weight.",
        "Left out, because they cannot weigh the rows: UFI, losawRF.",
        "w: no feature: the weights of the rows",
    ):
        assert sentence in page


def test_a_pipeline_is_fitted_with_weights_and_a_model_that_takes_none_without_them():
    frame = drawn_by(lambda f: np.exp(f["X1"]), 120, 0)
    options = {"weights": "w", "methods": "pfi", **QUICK}
    alone, piped = (
        losaw.explain(frame, "y", model=model, **options)
        for model in (LinearRegression(), make_pipeline(StandardScaler(), LinearRegression()))
    )
    assert_same_numbers(piped, alone, rtol=1e-9)
    found = losaw.explain(frame, "y", model=KNeighborsRegressor(), **options)
    said = "KNeighborsRegressor takes no weights and is fitted without them."
    assert said in found.notes and said not in piped.notes
    assert found.quality["model"].share > 0


def test_methods_that_cannot_weigh_are_refused_if_there_are_no_others():
    frame = drawn_by(lambda f: np.exp(f["X1"]), 120, 0)
    with pytest.raises(LosawError, match="weights: UFI, losawRF cannot weigh the rows"):
        losaw.explain(frame, "y", weights="w", methods="losaw,ufi", budget=None)


FRAME = population(60, 0).assign(w=1.0, person=np.arange(60) // 2)


@pytest.mark.parametrize(
    ("given", "weights", "words"),
    [
        ({3: -1.0}, "w", r"weights: 'w' holds -1.0 in row 3 \(1 such rows\)"),
        ({7: np.nan}, "w", "'w' holds nan in row 7"),
        ({0: np.inf}, "w", "'w' holds inf in row 0"),
        ({5: "heavy"}, "w", "'w' holds 'heavy' in row 5"),
        ({5: pd.Timestamp("2026-01-01")}, "w", "'w' holds Timestamp"),
        (dict.fromkeys(range(60), 0.0), "w", "0 rows have a weight 'w' above 0, and 50 are needed"),
        (dict.fromkeys(range(11), 0.0), "w", "49 rows have a weight 'w' above 0"),
        ({}, "y", "weights: 'y' is the target"),
        ({}, "person", "weights: 'person' is the cluster"),
        ({}, "weight", "weights: unknown column 'weight'"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(given, weights, words):
    frame = FRAME.astype({"w": object}).copy()
    for row, value in given.items():
        frame.loc[row, "w"] = value
    with pytest.raises(LosawError, match=words):
        prepare(frame, "y", cluster="person", weights=weights)


def test_a_row_without_a_target_needs_no_weight_and_numbers_may_be_text():
    frame = FRAME.assign(w=np.arange(60) + 1.0).astype({"w": object})
    frame.loc[4, ["y", "w"]] = [np.nan, None]
    frame.loc[5, "w"] = "60"
    data = prepare(frame, "y", weights="w")
    assert len(data) == 59 and data.weights.mean() == pytest.approx(1.0)
    assert data.weights[4] / data.weights[0] == pytest.approx(60.0)


def test_the_commands_take_the_name_of_the_column(tmp_path, monkeypatch, capsys):
    drawn_by(lambda f: np.exp(f["X1"]), 120, 0).to_csv(tmp_path / "survey.csv", index=False)
    monkeypatch.chdir(tmp_path)
    words = ["survey.csv", "--target", "y", "--weights", "w", "--budget", "none", "--folds", "3"]
    assert main(["explain", *words, "--methods", "pfi,ufi", "--permutations", "1"]) == 0
    assert "cannot weigh the rows: UFI." in capsys.readouterr().out
    assert "Rows are weighted by w" in (tmp_path / "survey_explained.html").read_text()
    assert main(["audit", *words, "--methods", "mdi,ufi", "--rounds", "5"]) == 0
    said = capsys.readouterr().out
    assert "cannot weigh the rows: UFI." in said and "Rows are weighted by w" in said


def test_weights_of_the_rows_in_use_have_mean_one():
    frame = population(400, 0).assign(w=np.where(np.arange(400) < 300, 1.0, 50.0))
    part = prepare(frame, "y", weights="w").take(np.arange(250, 330))
    assert part.weights.mean() == pytest.approx(1.0)
    assert part.weights[-1] / part.weights[0] == pytest.approx(50.0)


@pytest.mark.parametrize("unit", [0.01, 1.0, 100.0])
def test_the_best_constant_of_classes_explains_nothing_whatever_the_unit_of_the_weights(unit):
    frame = population(90, 0).assign(w=np.tile([1.0, 2.0, 6.0], 30))
    frame["y"] = np.where(frame["y"] > 0.5, "yes", "no")
    data = prepare(frame, "y", weights="w")
    data = dataclasses.replace(data, weights=unit * data.weights)
    y = np.unique(data.y, return_inverse=True)[1]
    shares = np.bincount(y, data.weights) / data.weights.sum()
    risk = relative_loss(data)(y, np.tile(shares, (90, 1)))
    assert np.average(risk, weights=data.weights) == pytest.approx(1.0)
