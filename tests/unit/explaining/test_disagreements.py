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
from losaw.explaining.disagreements import associations, disagreements
from losaw.forest.adjustment import association
from losaw.importance.group_tree import association_strengths
from losaw.scoring.result import ImportanceResult
from losaw.support.words import decimal, p_text, percent
from losaw.tables import read_table
from reference.explaining_tables import copies, many_values, shadowed, squared

LOSSES = ("pfi", "cpi", "loco")


def explain(frame, model, methods=LOSSES, folds=8, **options):
    return losaw.explain(
        frame, "y", model=model, methods=methods, folds=folds, budget=None, **options
    )


def found(explanation, kind):
    return {d.feature: d.text for d in explanation.disagreements if d.kind == kind}


def check(explanation, method, expected):
    """Every score within four standard errors of the algebra, and near it."""
    result = explanation.results[method]
    for name, value in expected.items():
        j = result.feature_names.index(name)
        score, error = result.scores[j], result.std_error[j]
        assert abs(score - value) <= 4 * error + 0.02, (method, name, score, value, error)
        assert error < 0.3


@pytest.fixture(scope="module")
def of_copies():
    return explain(copies(), LinearRegression())


def test_a_copy_is_used_but_known(of_copies):
    one = of_copies
    variance = 2 + 2 * 0.99 + 1 + 0.01
    own = 1 - 0.99**2
    check(one, "pfi", {"X1": 2 / variance, "X2": 2 / variance, "X3": 2 / variance, "X4": 0})
    check(one, "cpi", {"X1": 2 * own / variance, "X3": 2 / variance, "X4": 0})
    check(one, "loco", {"X1": own / variance, "X2": own / variance, "X3": 1 / variance, "X4": 0})
    texts = found(one, "shared")
    assert set(texts) == {"X1", "X2"}
    for name, other in (("X1", "X2"), ("X2", "X1")):
        assert texts[name].endswith(f"; it is most associated with {other} (.99).")
        assert (
            "all other features together" in texts[name] and f"{other} contain" not in texts[name]
        )
    assert texts["X2"].startswith("X2: PFI .")
    said = [s for s in one.sentences if s.kind in ("disagreement: shared", "audit")]
    assert [s.text for s in said[:2]] == list(texts.values()) and "losaw audit" in said[2].text
    assert set(found(one, "recovered")) == set()
    assert one.associations.groups == {"X1 + X2": ["X1", "X2"]}
    assert {"X3"} <= set(one.selected) and "X4" not in one.selected


def test_a_group_has_what_its_features_share(of_copies):
    table = of_copies.groups_to_frame().set_index("features")
    variance = 2 + 2 * 0.99 + 1 + 0.01
    # A group is drawn given all columns outside of it, here independent ones: all of
    # var(X1 + X2) = 2 + 2 rho is lost, and twice that where another row's values are taken.
    group = table.loc[[("X1", "X2")]].iloc[0]
    assert abs(group["score"] - 2 * (2 + 2 * 0.99) / variance) < 4 * group["std_error"]


def test_a_shadow_is_not_named():
    one = explain(shadowed(), LinearRegression())
    own = 1 - 0.9**2
    check(one, "pfi", {"X1": 2 / 1.25, "X2": 0, "X3": 0})
    check(one, "cpi", {"X1": 2 * own / 1.25, "X2": 0, "X3": 0})
    texts = found(one, "shared")
    assert set(texts) == {"X1"}
    assert CONTAINED in texts["X1"]
    assert texts["X1"].endswith("; it is most associated with X2 (.89).")
    assert one.selected == ("X1",)


def test_a_bent_dependence_is_seen_by_the_draws_and_by_a_new_fit():
    """X2 is X1 squared and a little: CPI and LOCO agree that X2 adds only that little."""
    model = make_pipeline(PolynomialFeatures(2), LinearRegression())
    one = explain(squared(), model)
    check(one, "loco", {"X2": 0.0025 / 2.09})
    check(one, "cpi", {"X2": 2 * 0.0025 / 2.09})
    assert "X2" not in found(one, "recovered")


def scored(*means, p_values=None):
    """A result of x and w with the same small noise in every fold."""
    folds = np.array(means) + 0.001 * np.arange(8)[:, None]
    raw = np.full(len(means), 1e-6) if p_values is None else np.array(p_values)
    details = {"fold_scores": folds, "raw_p_values": raw}
    return ImportanceResult(folds.mean(axis=0), ("x", "w"), details=details)


def related(noise):
    """x and w, with an association that falls with the noise."""
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((80, 2)), columns=["x", "w"])
    frame["w"] = frame["x"] + noise * frame["w"]
    return associations(frame, ["continuous"] * 2)


CONTAINED = "all other features together contain most of the same information"


@pytest.mark.parametrize(
    ("p_values", "noise", "words"),
    [
        ([1e-6, 0.5], 0.5, f"{CONTAINED}; it is"),
        ([0.06, 0.07], 0.5, f"{CONTAINED}; it is"),
        (
            [0.5, 0.5],
            0.5,
            "it is not shown to add anything to all other features together; it is most",
        ),
        ([0.5, 0.5], 99.0, "it is not shown to add anything to all other features together."),
    ],
)
def test_what_all_other_features_contain_is_not_said_of_one_of_them(p_values, noise, words):
    results = {"pfi": scored(0.5, 0.0), "cpi": scored(0.1, 0.0, p_values=p_values)}
    (said,) = disagreements(results, related(noise), 0.1)
    assert (said.kind, said.feature) == ("shared", "x")
    assert f": the model uses it, but {words}" in said.text


def test_what_loco_finds_is_not_said_to_add_nothing():
    results = {"pfi": scored(0.5, 0.0), "cpi": scored(0.1, 0.0, p_values=[0.5, 0.5])}
    results["loco"] = scored(0.04, 0.0, p_values=[1e-6, 0.5])
    (said, *_) = disagreements(results, related(0.5), 0.1)
    assert said.kind == "shared" and "not shown to add" not in said.text


CONTRASTS = [
    ("recovered", {"cpi": scored(0.5, 0.5), "loco": scored(0.02, 0.25)}, "x"),
    ("needed", {"cpi": scored(0.5, 0.5), "loco": scored(0.6, 0.5)}, "x"),
    ("seen rows", {"mdi": scored(0.5, 0.5), "ufi": scored(0.01, 0.3)}, "x"),
    ("shared", {"pfi": scored(0.5, 0.5), "cpi": scored(0.1, 0.4)}, "x"),
]


@pytest.mark.parametrize(("kind", "results", "feature"), CONTRASTS)
def test_each_contrast_names_the_feature_on_which_two_methods_differ(kind, results, feature):
    said = disagreements(results, related(1.0), 0.1)
    assert [(d.kind, d.feature) for d in said] == [(kind, feature)]
    trusted = disagreements(results, related(1.0), 0.1, {("x",)})
    assert bool(trusted) == ("cpi" not in results)


def test_associations_are_one_product_and_the_same_as_pair_by_pair():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((90, 4)), columns=list("abcd"))
    frame["c"] = np.where(rng.random(90) < 0.2, np.nan, frame["a"] + frame["c"])
    frame["town"], frame["kind"] = rng.choice(list("uvw"), 90), rng.choice(list("xy"), 90)
    frame["level"] = np.where(rng.random(90) < 0.7, frame["town"], "z")
    table = read_table(frame)
    found = association_strengths(table, rng)
    ranks = frame[list("abcd")].fillna(frame[list("abcd")].median()).rank().to_numpy()
    codes = np.column_stack([ranks, table.codes[:, 4:]])
    nominal = [kind == "nominal" for kind in table.kinds]
    for i in range(7):
        for j in range(i):
            pair = association(codes[:, i], codes[:, j], nominal[i], nominal[j])
            assert found[i, j] == found[j, i] == pytest.approx(min(pair, 1.0), abs=1e-12)
    frame["kind"] = np.where(frame["kind"] == "x", "x", None)  # one level, or missing
    assert np.isfinite(association_strengths(read_table(frame), rng)).all()


def test_what_noise_gains_is_gained_on_seen_rows():
    one = explain(many_values(), "forest", methods=("mdi", "ufi", "pfi"))
    texts = found(one, "seen rows")
    assert texts and set(texts) <= {"N1", "N2", "N3", "N4"}
    assert one.results["ufi"].select(top=1) == ("coin",)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
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
        (-0.997, "−.997"),
        (0.9996, "p > .999"),
        (-2.0, "−2.00"),
        (-0.0002, "−.0002"),
        (0.00002, "2e−05"),
        (-0.0, ".00"),
        (0.996, "> 99 %"),
        (1.0, "100 %"),
        (0.004, "< 1 %"),
        (-0.004, "0 %"),
    ],
)
def test_numbers_are_short(value, text):
    shown = f"p {p_text(value)}" if "p" in text else (percent if "%" in text else decimal)(value)
    assert shown == text
