"""Scores and sentences on laws whose answers are algebra.

For a linear model with var(y) = V, PFI_j = 2 b_j^2 / V, CPI_j = 2 LOCO_j = 2 b_j^2 (1 - R_j^2) / V,
R_j^2 that of X_j on the other features.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import losaw
from losaw.explaining.association import associations
from losaw.explaining.curves import Curve
from losaw.explaining.disagreements import decimal, disagreements
from losaw.scoring.importance_result import ImportanceResult
from reference.explaining_tables import copies, interacting, many_values, shadowed, squared

LOSSES = ("pfi", "cpi", "loco")


def explain(frame, model, methods=LOSSES, folds=8, **options):
    return losaw.explain(
        frame, "y", model=model, methods=methods, folds=folds, budget=None, **options
    )


def found(explanation, axis):
    return {d.feature: d.text for d in explanation.disagreements if d.axis == axis}


def check(explanation, method, expected):
    """Every score within four standard errors of the algebra, and near it."""
    result = explanation.results[method]
    for name, value in expected.items():
        j = result.feature_names.index(name)
        score, error = result.scores[j], result.std_error[j]
        assert abs(score - value) <= 4 * error + 0.02, (method, name, score, value, error)
        assert error < 0.3


def test_a_copy_is_used_but_known():
    one = explain(copies(), LinearRegression())
    variance = 2 + 2 * 0.99 + 1 + 0.01
    own = 1 - 0.99**2
    check(one, "pfi", {"X1": 2 / variance, "X2": 2 / variance, "X3": 2 / variance, "X4": 0})
    check(one, "cpi", {"X1": 2 * own / variance, "X3": 2 / variance, "X4": 0})
    check(one, "loco", {"X1": own / variance, "X2": own / variance, "X3": 1 / variance, "X4": 0})
    texts = found(one, "marginal or conditional")
    assert set(texts) == {"X1", "X2"}
    for name, other in (("X1", "X2"), ("X2", "X1")):
        assert texts[name].endswith(f"; it is most associated with {other} (.99).")
        assert (
            "all other features together" in texts[name] and f"{other} contain" not in texts[name]
        )
    assert texts["X2"].startswith("X2: PFI .")
    assert set(found(one, "refitted or fixed")) == set()
    assert one.associations.groups == {"X1 + X2": ["X1", "X2"]}
    assert {"X3"} <= set(one.selected) and "X4" not in one.selected


def test_a_group_has_what_its_features_share():
    one = explain(copies(), LinearRegression())
    group = one.group_results["loco"]
    variance = 2 + 2 * 0.99 + 1 + 0.01
    # Without both, all of var(X1 + X2) = 2 + 2 rho is lost.
    assert abs(group.scores[0] - (2 + 2 * 0.99) / variance) < 4 * group.std_error[0]
    assert one.group_lines()[0].startswith("X1 + X2: LOCO .")
    # A group is drawn given all columns outside of it, here independent ones.
    group = one.group_results["cpi"]
    assert abs(group.scores[0] - 2 * (2 + 2 * 0.99) / variance) < 4 * group.std_error[0]
    assert group.std_error[0] < 0.2


def test_a_shadow_is_not_named():
    one = explain(shadowed(), LinearRegression())
    own = 1 - 0.9**2
    check(one, "pfi", {"X1": 2 / 1.25, "X2": 0, "X3": 0})
    check(one, "cpi", {"X1": 2 * own / 1.25, "X2": 0, "X3": 0})
    texts = found(one, "marginal or conditional")
    assert set(texts) == {"X1"}
    assert "all other features together contain most of the same information" in texts["X1"]
    assert texts["X1"].endswith("; it is most associated with X2 (.89).")
    assert one.selected == ("X1",)
    assert "Used by the model, but shared with other features" in one.to_html()


def test_an_interaction_has_no_direction_and_is_no_disagreement_otherwise():
    model = make_pipeline(PolynomialFeatures(2), LinearRegression())
    one = explain(interacting(1200), model, methods=(*LOSSES, "atr"))
    for name in ("pfi", "cpi"):
        check(one, name, {"X1": 2 / 1.09, "X2": 2 / 1.09, "X3": 0})
    check(one, "loco", {"X1": 1 / 1.09, "X2": 1 / 1.09, "X3": 0})
    # The first splits of an interaction go up or down by chance: only what is said is checked.
    assert set(found(one, "importance or direction")) <= {"X1", "X2"}
    assert {d.axis for d in one.disagreements} <= {"importance or direction"}
    assert set(one.selected) == {"X1", "X2"}


CURVES = {
    "turn": [1.0, 0.0, 1.0],
    "rise": [-1.0, 0.0, 1.0],
    "ripple": [-1.0, 1.0, 0.85],
    "flat": [0.0, 0.05, 0.0],
}


@pytest.mark.parametrize(
    ("shape", "said_of_it"),
    [
        ("turn", "splits show no clear direction: its curve falls in one part of its range and"),
        ("flat", "splits show no clear direction: the effect may turn, or depend on other"),
        ("rise", None),
        ("ripple", None),
    ],
)
def test_a_feature_without_a_direction_is_named_if_it_matters(shape, said_of_it):
    names = ("turns", "rises", "idle")
    folds = np.array([[0.5, 0.5, 0.0]] * 8) + 0.01 * np.arange(8)[:, None] * [1, 1, 0]
    used = ImportanceResult(
        folds.mean(axis=0), names, details={
            "fold_scores": folds, "raw_p_values": np.array([1e-6, 1e-6, 0.5])
        },
    )  # fmt: skip
    rates = ImportanceResult(
        np.array([0.02, 0.9, 0.0]), names, std_error=np.full(3, 0.03), std_error_kind="test"
    )
    related = associations(np.random.default_rng(0).standard_normal((50, 3)), ["continuous"] * 3)
    curve = Curve(np.arange(3.0), np.array(CURVES[shape]), np.full(3, 0.03))
    said = disagreements({"cpi": used, "atr": rates}, related, 0.1, 8, {"turns": curve})
    assert [d.feature for d in said] == ["turns"] * (said_of_it is not None)
    if said_of_it:
        assert said[0].text.startswith("turns: CPI .54, ATR .02 (± .03): it matters, but its")
        assert said_of_it in said[0].text


@pytest.mark.parametrize("effect", ["line", "step", "square"])
def test_only_a_square_is_said_to_turn_although_atr_is_small_for_all(effect):
    rng = np.random.default_rng(100)
    x = rng.standard_normal(1000)
    y = {"line": x, "step": 3.0 * (x > 1.3), "square": x**2}[effect] + rng.standard_normal(1000)
    found = losaw.explain(
        pd.DataFrame({"x": x, "y": y}), "y", methods="cpi,atr", draws=1, budget=None
    )
    assert abs(found.results["atr"].scores[0]) < 0.35
    said = [d.text for d in found.disagreements if d.axis == "importance or direction"]
    assert bool(said) == (effect == "square")
    assert all("its curve falls in one part of its range" in text for text in said)


def test_a_bent_dependence_is_seen_by_the_draws_and_by_a_new_fit():
    """X2 is X1 squared and a little: CPI and LOCO agree that X2 adds only that little."""
    model = make_pipeline(PolynomialFeatures(2), LinearRegression())
    one = explain(squared(), model)
    check(one, "loco", {"X2": 0.0025 / 2.09})
    check(one, "cpi", {"X2": 2 * 0.0025 / 2.09})
    assert "X2" not in found(one, "refitted or fixed")


def test_a_feature_whose_part_a_new_fit_recovers_is_named():
    names = ("shared", "own")
    folds = 0.01 * np.arange(8)[:, None]
    held, again = (
        ImportanceResult(
            scores.mean(axis=0),
            names,
            details={"fold_scores": scores, "raw_p_values": np.array([1e-6, 1e-6])},
        )
        for scores in (folds + np.array([0.5, 0.5]), folds + np.array([0.02, 0.25]))
    )
    related = associations(np.random.default_rng(0).standard_normal((50, 2)), ["continuous"] * 2)
    said = disagreements({"cpi": held, "loco": again}, related, 0.1, 8, {})
    assert [(d.axis, d.feature) for d in said] == [("refitted or fixed", "shared")]
    assert "refitted without it recovers most" in said[0].text


def test_what_noise_gains_is_gained_on_seen_rows():
    one = explain(many_values(), "forest", methods=("mdi", "ufi", "pfi"))
    texts = found(one, "seen or unseen rows")
    assert texts and set(texts) <= {"N1", "N2", "N3", "N4"}
    assert one.results["ufi"].select(top=1) == ("coin",)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3, 4))]
)
def test_independent_features_disagree_about_nothing(seed):
    one = explain(copies(300, correlation=0.0, seed=seed), LinearRegression(), random_state=seed)
    assert one.disagreements == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.314, ".31"),
        (-0.05, "−.05"),
        (0.0042, ".004"),
        (0.0, ".00"),
        (1.5, "1.50"),
        (-2.0, "−2.00"),
        (-0.0002, ".000"),
        (0.0002, ".000"),
        (-0.0, ".00"),
    ],
)
def test_numbers_are_short(value, text):
    assert decimal(value) == text
