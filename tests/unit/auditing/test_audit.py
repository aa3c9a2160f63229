"""An audit from beginning to end: who finds known causes, again and again, and its files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import GammaRegressor, Lasso, LinearRegression, PoissonRegressor

import losaw
from losaw.auditing.rounds import _refusal
from losaw.cli import main
from losaw.explaining.design import METHODS, _cuts
from losaw.explaining.models import ClassInOneFold
from losaw.explaining.preparing import prepare
from losaw.support.errors import LosawError
from reference.explaining_tables import mixed

QUICK = {"folds": 3, "draws": 1, "permutations": 2, "budget": None, "rounds": 5}


def near_copies(n=300, seed=0):
    """Six features, three of them nearly copies of the other three."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n, 3))
    near = base + 0.3 * rng.standard_normal((n, 3))
    frame = pd.DataFrame(np.hstack([base, near]), columns=list("abcdef"))
    frame["y"] = base[:, 0] + rng.standard_normal(n)
    return frame


@pytest.fixture(scope="module")
def copies():
    return losaw.audit(near_copies(200), "y", methods="mdi,pfi,cpi", share=0.9, **QUICK)


def test_among_near_copies_the_conditional_test_makes_fewer_false_selections(copies):
    frame = copies.to_frame().set_index("method")
    assert frame.loc["PFI", "false"] > frame.loc["CPI", "false"] + 0.1
    assert frame.loc["CPI", "keeps"] != "no" and frame.loc["PFI", "keeps"] == "no"
    (said,) = [verdict for verdict in copies.verdicts if "stars cannot be trusted" in verdict]
    assert "PFI (" in said and "CPI (" not in said


def test_a_line_per_round_and_method_with_its_signals(copies):
    assert len(copies.rounds) == 5 * 3
    assert copies.rounds.groupby("round")["signals"].nunique().eq(1).all()
    assert copies.rounds["signals"].str.split(", ").str.len().eq(copies.n_signals).all()
    assert copies.n_signals == 2 and copies.share == 0.9
    assert copies.rounds["explained"].max() < 0.9


def test_independent_features_are_found_by_all():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((400, 4)), columns=list("abcd"))
    frame["y"] = frame["a"] + 0.2 * rng.standard_normal(400)
    found = losaw.audit(frame, "y", methods="mdi,pfi", share=0.95, **QUICK)
    assert (found.to_frame()["pr_auc"] > 0.97).all()


@pytest.fixture(scope="module")
def two_methods():
    return losaw.audit(mixed(), "bought", methods="mdi,pfi", **QUICK)


def test_a_method_scores_the_same_whatever_else_runs_and_another_seed_is_another_audit(two_methods):
    alone = losaw.audit(mixed(), "bought", methods="pfi", **QUICK).rounds
    both = two_methods.rounds[two_methods.rounds["method"] == "pfi"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, both)
    rng = np.random.default_rng(1)
    other = losaw.audit(mixed(), "bought", methods="mdi", random_state=rng, **QUICK)
    assert other.rounds["signals"].tolist() != alone["signals"].tolist()


def test_the_share_is_what_the_model_explains_of_the_target(two_methods):
    found = two_methods
    explained = losaw.explain(mixed(), "bought", methods="mdi", folds=3, budget=None)
    assert found.quality == explained.work.quality["model"]


def test_a_target_that_nothing_explains_is_said_and_without_cpi_there_are_no_statements():
    """Its names do not break the page."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((120, 4)), columns=["<i>", "b", "c, d", "<b>y</b>"])
    found = losaw.audit(frame, "<b>y</b>", methods="mdi", signals=2, **QUICK)
    assert found.share == 0.05
    assert any("responses up to 5 % can be explained" in c for c in found.cautions)
    assert found.rounds["statements"].isna().all()
    assert not any(verdict.startswith("Statements of") for verdict in found.verdicts)
    assert set(", ".join(found.rounds["signals"]).split(", ")) == {"<i>", "b", "“c", "d”"}
    page = found.to_html()
    assert "<b>y" not in page and "&lt;b&gt;y" in page and "<i>" not in page


def test_a_target_that_is_explained_as_well_as_the_responses_has_no_caution(copies):
    share = copies.share
    for of_the_target, is_said in ((share - 0.05, True), (share - 0.001, False), (share, False)):
        found = replace(copies, quality=replace(copies.quality, share=of_the_target))
        assert any("can be explained" in c for c in found.cautions) == is_said


def test_another_model_fewer_rows_and_the_share_of_classes_are_said():
    changed = {"methods": "pfi", "model": "gradient-boosting", "rows": 120, "share": 0.6}
    found = losaw.audit(mixed(), "bought", **changed, **QUICK)
    assert "Gradient boosting" in found.headline() and found.rounds["explained"].notna().all()
    assert any("120 of 240 rows were used" in caution for caution in found.cautions)
    assert "explains 60 % of each before it is cut into classes" in found.headline()


def test_rows_that_losaw_rf_lacks_are_said(copies):
    lacking = replace(copies.design, methods=("losaw",), rows=6_000)
    assert any("to 5,000 of the 6,000" in c for c in replace(copies, design=lacking).cautions)
    assert not any("losawRF" in caution for caution in copies.cautions)


def test_methods_that_are_level_are_best_together(copies):
    level = replace(copies, rounds=copies.rounds.assign(pr_auc=1.0))
    assert level.verdicts[0].endswith(": CPI, MDI, PFI.")
    assert not any("significantly worse" in verdict for verdict in level.verdicts)


def test_a_model_with_parameters_in_the_unit_of_the_target_is_the_same_in_every_round():
    options = QUICK | {"methods": "pfi", "permutations": 1}
    frame, found = near_copies(150), []
    for factor, start in ((1.0, 0.0), (20_000.0, 100_000.0), (1e-3, -5.0)):
        scaled = frame.assign(y=factor * frame["y"] + start)
        model = Lasso(alpha=0.025 * factor)
        found.append(losaw.audit(scaled, "y", model=model, **options).rounds)
    assert found[0]["explained"].mean() > 0.2
    for other in found[1:]:
        pd.testing.assert_frame_equal(other, found[0])


@pytest.mark.parametrize(
    "model",
    [
        PoissonRegressor(),
        GammaRegressor(),
        TransformedTargetRegressor(LinearRegression(), func=np.log, inverse_func=np.exp),
    ],
    ids=["Poisson", "gamma", "log"],
)
def test_a_model_for_positive_numbers_is_not_said_to_refuse_the_columns(model):
    frame = near_copies(150)
    frame["y"] = np.exp(frame["y"])
    losaw.explain(frame, "y", model=model, methods="pfi", folds=3, permutations=1, budget=None)
    with pytest.raises(LosawError, match=r"fitted to 'y', but .* of round 1, which may") as refused:
        losaw.audit(frame, "y", model=model, methods="pfi", **QUICK)
    assert "columns" not in str(refused.value)


def test_a_simulated_class_in_one_cluster_is_not_said_of_the_table():
    """Twelve clusters without variation within; each has a "yes" of its own."""
    who = np.repeat(np.arange(12), 30)
    frame = pd.DataFrame(np.random.default_rng(0).random((12, 3))[who], columns=list("abc"))
    frame = frame.assign(who=who, y=np.where(np.arange(360) % 30 == 0, "yes", "no"))
    options = QUICK | {"methods": "mdi", "cluster": "who"}
    with pytest.raises(LosawError, match=r"round \d: a class of .* use a smaller --share, or"):
        losaw.audit(frame, "y", share=0.95, **options)
    assert losaw.audit(frame, "y", share=0.05, **options).n_rounds == 5


def test_a_simulated_class_in_copies_of_one_row_is_not_said_to_be_in_a_cluster():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((12, 3))[np.arange(360) % 12], columns=list("abc"))
    data = prepare(frame.assign(y=np.where(np.arange(360) % 12 == 0, "yes", "no")), "y")
    said = _refusal(ClassInOneFold("the class yes"), 1, data)
    assert "vary within copies, which stay in one fold" in said and "cluster" not in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rounds": 4}, "rounds must be"),
        ({"share": 0.99}, r"share must be a number in \[0.05, 0.95\], got 0.99"),
        ({"share": float("nan")}, "share must be a number"),
        ({"share": "half"}, "share must be a number .*, got 'half'"),
        ({"signals": 3}, r"signals must .*got 3: less than the number of features \(3\)"),
        ({"signals": 0}, "signals must be"),
        ({"drop": ["age", "town"]}, "needs two features"),
        ({"fdr": 2}, "fdr must be"),
        ({"methods": True}, "methods"),
    ],
)
def test_what_cannot_be_is_said_at_once(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        losaw.audit(mixed(), "bought", **{**QUICK, **options})


def test_the_command_writes_what_the_function_returns_whatever_the_threads(
    two_methods, tmp_path, capsys
):
    path = tmp_path / "mixed.csv"
    mixed().to_csv(path, index=False)
    options = "--methods mdi,pfi --rounds 5 --folds 3 --draws 1 --permutations 2 --budget none"
    command = ["audit", str(path), *options.split(), "--output", str(tmp_path / "found")]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    assert main([*command, "--target", "bought", "--jobs", "2"]) == 0
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    printed = capsys.readouterr().out
    assert two_methods.to_text() in printed
    for ending in (".html", ".csv", ".json"):
        assert f"wrote {tmp_path / 'found'}{ending}" in printed
    assert (tmp_path / "found.json").read_text("utf-8") == two_methods.to_json() + "\n"
    assert (tmp_path / "found.html").read_text("utf-8") == two_methods.to_html()
    assert main([*command, "--target", "boght"]) == 2  # a mistake names the file
    message = capsys.readouterr().err
    assert str(path) in message and "bought" in message


def test_statements_on_groups_are_judged_as_explain_makes_them(copies):
    by_round = copies.rounds.drop_duplicates("round")
    assert (by_round["false_statements"] <= by_round["statements"]).all()
    # Of 10 causes: a true share of .8 would be below this bound in three of a hundred audits.
    assert by_round["named"].mean() >= 6 / 10
    assert by_round["false_statements"].sum() <= 0.1 * by_round["statements"].sum()
    (said,) = [verdict for verdict in copies.verdicts if verdict.startswith("Statements of")]
    n, false = int(by_round["statements"].sum()), int(by_round["false_statements"].sum())
    assert f"{n} in 5 rounds, of which {false} name no cause" in said


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (0.8, "put causes first more often than chance (first places right .80, .25 by chance)"),
        (0.2, "not shown to be better than chance"),
    ],
)
@pytest.mark.parametrize("selected", [0.0, 0.01, np.nan])
def test_only_an_order_that_is_better_than_chance_is_praised(copies, first, words, selected):
    rounds = pd.DataFrame({"round": range(6), "method": "pfi", "pr_auc": 0.7, "first": first})
    rounds = rounds.assign(found=selected, false=0.0, statements=0, false_statements=0, named=0.0)
    found = replace(copies, features=tuple("abcd"), rounds=rounds, n_signals=1)
    said = any(words in sentence for sentence in found.verdicts)
    assert said == (first < 0.5 or selected == 0)


@pytest.mark.parametrize(
    ("n_signals", "firsts", "is_shown"),
    [
        (9, [1.0] * 6, True),  # by chance, each is right once in ten times
        (9, [1.0] * 5 + [8 / 9], True),
        (9, [1.0] + [8 / 9] * 5, False),
        (9, [8 / 9] * 6, False),
        (5, [0.8] * 6, True),  # by chance, each is so once in ten times or better
        (5, [0.6] * 6, False),
        (5, [0.5] * 30, False),  # ties alone
    ],
)
def test_an_order_that_chance_alone_does_not_give_is_better_than_chance(
    copies, n_signals, firsts, is_shown
):
    rounds = copies.rounds.query("method == 'pfi'").head(1)
    rounds = pd.concat([rounds] * len(firsts)).assign(round=range(len(firsts)), first=firsts)
    found = replace(copies, features=tuple("abcdefghij"), rounds=rounds, n_signals=n_signals)
    assert any("better than chance" in sentence for sentence in found.verdicts) != is_shown


def test_the_kind_of_the_responses_is_said_of_numbers_and_of_factors(copies):
    for n_signals in (1, 2):
        said = replace(copies, n_signals=n_signals).cautions[0]
        assert "hump" in said and "effects of" in said and "levels" in said
        assert ("product" in said) == (n_signals > 1)


@pytest.mark.parametrize("gone", [(), ("loco",), ("losaw", "loco"), ("losaw", "cpi", "loco")])
def test_the_verdict_says_which_methods_the_budget_leaves_out(copies, gone):
    full = replace(copies.design, methods=tuple(METHODS))
    cuts = _cuts(full, replace(full, methods=tuple(m for m in METHODS if m not in gone)), 60.0)
    said = [
        v for v in replace(copies, design=replace(full, cuts=tuple(cuts))).verdicts if "budget" in v
    ]
    named = ", ".join(METHODS[name].label for name in gone)
    assert said == [f"Not compared, since the budget leaves them out: {named}."] * bool(gone)
