"""Sentences of explain's page that said more than was tested, each on a table where it was false.

Of explaining.answers, explaining.cautions, explaining.disagreements, explaining.drawn_once.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import losaw
from losaw.commands.explaining import _groups, _kinds
from losaw.explaining.association import associations
from losaw.explaining.disagreements import disagreements
from losaw.explaining.options import Options
from losaw.explaining.preparing import prepare
from losaw.knockoffs.diagnostics import DrawTest
from losaw.scoring.importance_result import ImportanceResult
from reference.explaining_tables import copies

WRONG, RIGHT = DrawTest(0.8, 1e-6), DrawTest(0.5, 0.5)


def explain(frame, target="y", methods="pfi,cpi", folds=5, **options):
    given = {"draws": 1, "permutations": 2, "budget": None} | options
    return losaw.explain(frame, target, methods=methods, folds=folds, **given)


def normal(n, names, seed=0):
    return pd.DataFrame(
        np.random.default_rng(seed).standard_normal((n, len(names))), columns=list(names)
    )


def scored(*means, names="xw", p_values=None):
    """A result with the same small noise in every fold."""
    folds = np.array(means) + 0.001 * np.arange(8)[:, None]
    raw = np.full(len(means), 1e-6) if p_values is None else np.array(p_values)
    details = {"fold_scores": folds, "raw_p_values": raw}
    return ImportanceResult(folds.mean(axis=0), tuple(names), details=details)


def related(noise):
    """x and w, with an association that falls with the noise."""
    frame = normal(80, "xw")
    frame["w"] = frame["x"] + noise * frame["w"]
    return associations(frame, ["continuous"] * 2)


@pytest.mark.parametrize(
    ("p_value", "noise", "words"),
    [
        (1e-6, 0.5, "all other features together contain most of the same information; it is most"),
        (0.5, 0.5, "it is not shown to add anything to all other features together; it is most"),
        (0.5, 99.0, "it is not shown to add anything to all other features together."),
    ],
)
def test_what_all_other_features_contain_is_not_said_of_one_of_them(p_value, noise, words):
    results = {"pfi": scored(0.5, 0.0), "cpi": scored(0.1, 0.0, p_values=[p_value, 0.5])}
    (said,) = disagreements(results, related(noise), 0.1, 8, {})
    assert f": the model uses it, but {words}" in said.text
    assert ("it is most associated with w (." in said.text) == (noise < 1)


def test_a_refit_that_loses_more_is_not_said_to_lack_nothing_that_the_others_contain():
    results = {"cpi": scored(0.5, 0.5), "loco": scored(0.6, 0.5)}
    (said,) = disagreements(results, related(1.0), 0.1, 8, {})
    assert said.feature == "x" and "contain its information" not in said.text
    assert "a model that is refitted without it loses more than the fitted model" in said.text


def test_no_disagreement_rests_on_the_cpi_of_a_feature_with_recognised_draws():
    results = {"pfi": scored(0.5, 0.5), "cpi": scored(0.1, 0.1), "loco": scored(0.01, 0.01)}
    results |= {"mdi": scored(0.5, 0.5), "ufi": scored(0.01, 0.01)}
    said = disagreements(results, related(1.0), 0.1, 8, {}, frozenset("x"))
    assert [d.axis for d in said if d.feature == "x"] == ["seen or unseen rows"]
    assert len({d.axis for d in said if d.feature == "w"}) == 3


def proxies(seed, n=500, p=6):
    """a and b add nothing to c and d: they are two noisy copies of sign(c d), as y is."""
    rng = np.random.default_rng(seed)
    c, d = rng.standard_normal((2, n))
    sign = np.sign(c * d)
    a = sign + 0.5 * rng.standard_normal(n)
    frame = pd.DataFrame({"c": c, "d": d, "a": a, "b": a + 0.1 * rng.standard_normal(n)})
    for j in range(p):
        frame[f"n{j}"] = rng.standard_normal(n)
    return frame.assign(y=sign + 0.3 * rng.standard_normal(n))


def test_a_group_whose_draws_are_recognised_is_stated_with_that_condition():
    found = explain(proxies(1), folds=10)
    assert ("a", "b") in {tuple(sorted(group)) for group in found.finest}
    (group,) = (g for g in found.finest if set(g) == {"a", "b"})
    assert found.group_draws[group].p_value <= 0.01
    text = "One of {a, b} matters, but the data do not tell which"
    assert f"{text} (if the draws of this group are right)" in found.statements
    assert "{a, b} matters" not in found.answer.head or "if the draws" in found.answer.head
    assert found.in_words["a"].startswith("a is in a group of 2 features. Whether one of them")
    assert any("{a, b} as a group (p < .001)" in caution for caution in found.cautions)
    assert "draws_of_groups" in found.to_json()
    trusted = replace(found, group_draws={group: RIGHT}, draw_tests={})
    assert text in trusted.statements and "at least one of which" in trusted.in_words["a"]


def test_the_draws_of_a_group_that_are_right_are_not_recognised():
    frame = normal(300, ["a", "b", "c", "n"])
    frame["a"] = frame["c"] + frame["a"]
    frame["b"] = frame["a"] + 0.02 * frame["b"]
    noise = normal(300, "e", seed=1)["e"]
    found = explain(frame.assign(y=frame["a"] + 0.3 * noise))
    (group,) = (g for g in found.finest if set(g) == {"a", "b"})
    assert found.group_draws[group].p_value > 0.01
    assert "One of {a, b} matters, but the data do not tell which" in {
        statement.replace("{b, a}", "{a, b}") for statement in found.statements
    }


def test_a_member_with_recognised_draws_makes_the_sentence_on_its_group_open():
    found = replace(explain(copies(300, 0.0)), fdr=1e-12, finest=(("X1", "X4"),))
    assert "at least one of which helps" in found.in_words["X4"]
    wrong = replace(found, draw_tests={"X1": WRONG})
    assert "is open" in wrong.in_words["X4"] and "at least one" not in wrong.in_words["X4"]


def test_draws_of_a_feature_that_only_the_tree_of_groups_names_are_tested(monkeypatch):
    from losaw.explaining import drawn_once

    monkeypatch.setattr(drawn_once, "_MAY_BE_SELECTED", -1.0)
    found = explain(copies(200, 0.0), methods="cpi")
    alone = {group[0] for group in found.finest if len(group) == 1}
    assert alone and set(found.draw_tests) == alone


@pytest.mark.parametrize(
    ("labels", "is_warned"), [(("Masse", "Maße"), False), (("Masse", "masse"), True)]
)
def test_only_labels_that_capital_letters_distinguish_are_said_to_be_so(labels, is_warned):
    frame = normal(100, "xy").assign(k=np.array(labels)[np.arange(100) % 2])
    said = "".join(explain(frame, methods="pfi", folds=3).cautions)
    assert ("only capital letters" in said) == is_warned


def test_the_options_of_the_same_numbers_are_all_that_were_given():
    frame = normal(120, ["a", "b c", "w", "z", "y"]).assign(who=np.arange(120) // 3)
    frame["w"] = frame["w"] ** 2 + 0.1
    given = {
        "weights": "w", "cluster": "who", "groups": {"both": ["a", "b c"]}, "drop": ["z"],
        "kinds": {"a": "continuous"}, "task": "regression", "model": LinearRegression(),
        "fdr": 0.2, "random_state": 7,
    }  # fmt: skip
    found = explain(frame, methods="pfi", folds=3, **given)
    text = found.design.options()
    assert text.endswith(
        "--budget none --kinds a:continuous --task regression --model FILE.py:FUNCTION --drop z "
        "--cluster who --weights w --groups 'both:a,b c' --fdr 0.2 --random-state 7"
    )
    assert _groups("both:a,b c") == given["groups"] and _kinds("a:continuous") == given["kinds"]
    assert Options().given(0) == ""
    assert explain(frame[["a", "y"]], methods="pfi", folds=3).design.options().endswith("none")


def test_a_weak_model_is_not_said_to_make_a_finding_worthless():
    found = explain(normal(150, "abcy"))
    text = "say little until more rows or folds show it"
    assert found.selected == () and any(text in caution for caution in found.cautions)
    weak = explain(normal(150, "abcy"), methods="pfi", fdr=0.99)
    assert weak.quality["model"].p_value > 0.05 and weak.selected
    (caution,) = [c for c in weak.cautions if "is not shown to predict" in c]
    assert caution.endswith(").")


def test_a_statement_is_the_headline_where_the_model_is_not_shown_to_predict():
    found = explain(normal(150, "abcy"))
    assert found.answer.head == "These data do not decide which features matter"
    stated = replace(found, finest=(("a",),)).answer
    assert stated.head == "a matters by itself"
    assert not any("say little" in sentence for sentence in stated.sentences)


def test_a_feature_that_only_the_tree_of_groups_names_is_reconciled_with_the_selection():
    found = explain(copies(300, 0.0))
    assert not any("Two tests differ" in sentence for sentence in found.answer.sentences)
    none = replace(found, fdr=1e-12)
    assert none.selected == () and none.answer.head.endswith("matters by itself")
    (said,) = [s for s in none.answer.sentences if s.startswith("Two tests differ about X1, X2")]
    assert "(family-wise error 0.05)" in said and said.endswith("does not select them.")
    one = replace(found, finest=(("X4",),)).answer.sentences
    assert any(s.startswith("Two tests differ about X4: ") for s in one)


def test_a_single_feature_that_explains_all_is_warned_of():
    frame = normal(150, "xy")
    frame["y"] = frame["x"] + 0.01 * frame["y"]
    found = explain(frame, methods="pfi", folds=3)
    (caution,) = [c for c in found.cautions if c.startswith("x alone explains")]
    assert caution.endswith("explain by other features.") and "--drop" not in caution
    assert not any("alone explains" in c for c in explain(normal(150, "xy")).cautions)


def test_only_a_group_that_the_page_lists_is_to_be_looked_at():
    frame = normal(200, "abcny")
    frame["b"] = frame["a"] + 1e-6 * frame["b"]
    frame["y"] += frame["a"]
    for methods, is_listed in (("cpi", False), ("pfi,cpi", True)):
        found = explain(frame, methods=methods)
        (caution,) = [c for c in found.cautions if "CPI cannot test it" in c]
        assert caution.endswith(" Look at the group a + b.") == is_listed
        assert "a + b" in found.associations.groups and ("Look at" in caution) == is_listed


def test_the_design_names_only_what_the_methods_use():
    frame = normal(100, "aby")
    assert explain(frame, methods="pfi").design.words() == "100 rows, 5 folds, 2 permutations"
    assert explain(frame, methods="cpi").design.words() == "100 rows, 5 folds, 1 draw of CPI"
    assert explain(frame, methods="mdi").design.words() == "100 rows, 5 folds, 100 trees"


@pytest.mark.parametrize(("method", "how"), [("loco", "left out"), ("pfi", "shuffled")])
def test_features_of_a_group_are_said_to_be_changed_alone(method, how):
    (line,) = explain(copies(150), methods=method).group_lines()
    assert f" together; each {how} alone: X1 ." in line


def test_a_target_of_two_numbers_with_gaps_is_named_by_whole_numbers():
    frame = normal(150, "xy")
    frame["y"] = np.where(np.arange(150) % 7 == 0, np.nan, frame["x"] > 0)
    assert "ATR and curves: a prediction rises towards y 1." in explain(frame, methods="pfi").notes


def test_a_column_that_numbers_the_rows_is_left_out_whatever_targets_are_missing():
    frame = normal(150, "xy").assign(place=np.arange(150))
    frame.loc[::7, "y"] = np.nan
    columns = {column.name: column for column in prepare(frame, "y").columns}
    assert columns["place"].treatment == "left out: it numbers the rows"
    kept = prepare(frame, "y", kinds={"place": "continuous"})
    assert "place" in kept.kinds and "x" in kept.kinds


def test_the_page_names_the_model_of_the_methods_that_ran():
    content = explain(copies(200), methods="pfi")._repr_html_()
    assert "Model of PFI: " in content and "LOCO" not in content
