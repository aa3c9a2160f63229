"""Every kind of sentence of explain's page, on tables where it must and must not appear.

Of explaining.answers, explaining.cautions, explaining.options, commands.explaining.
"""

import inspect
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

import losaw
from losaw.cli import main
from losaw.explaining.options import Options
from losaw.knockoffs.diagnostics import DrawTest
from reference.explaining_tables import copies, mixed

QUICK = {"draws": 1, "permutations": 2, "budget": None}


def explain(frame, target="y", methods="pfi,cpi", folds=5, **options):
    return losaw.explain(frame, target, methods=methods, folds=folds, **QUICK | options)


def noise(n=150, p=4, seed=0):
    values = np.random.default_rng(seed).standard_normal((n, p + 1))
    return pd.DataFrame(values, columns=[*(f"X{j + 1}" for j in range(p)), "y"])


def all_text(explanation):
    return "\n".join([explanation.to_text(), explanation.to_html(), explanation.to_json()])


def test_a_selection_is_the_headline_and_says_nothing_of_the_others():
    found = explain(copies(300, 0.0))
    assert found.answer.head == "Selected by CPI: " + ", ".join(found.selected)
    assert set(found.selected) == {"X1", "X2", "X3"}
    assert (
        "1 feature is not selected, which does not show that it does not matter"
        in found.answer.sentences[1]
    )


def test_features_that_hide_each_other_matter_together_and_nothing_is_never_said():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(200)
    near = {f"X{j}": hidden + 0.02 * rng.standard_normal(200) for j in range(8)}
    found = explain(pd.DataFrame(near).assign(y=hidden + 0.5 * rng.standard_normal(200)))
    assert found.selected == () and found.quality["model"].p_value < 1e-3
    assert found.answer.head.startswith("The features together matter, but ")
    assert "% of the variation of unseen rows (p < .001)" in found.answer.sentences[0]
    assert "othing is found to matter" not in all_text(found)


def test_the_finest_group_that_matters_is_named_and_what_lies_outside_is_not():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(200)
    near = {f"X{j}": hidden + 0.02 * rng.standard_normal(200) for j in range(3)}
    frame = pd.DataFrame(near).assign(a=rng.standard_normal(200), b=rng.standard_normal(200))
    found = explain(frame.assign(y=hidden + frame["a"] + 0.3 * rng.standard_normal(200)))
    assert set(found.statements) == {
        "One of {X0, X1, X2} matters, but the data do not tell which",
        "a matters by itself",
    }
    assert "b matters" not in all_text(found)


def test_a_feature_whose_draws_are_recognised_is_not_selected_and_named():
    found = explain(copies(300, 0.0))
    wrong = replace(found, draw_tests={"X1": DrawTest(0.8, 1e-6), "X2": DrawTest(0.5, 0.5)})
    assert "X1" in found.selected and "X1 matters by itself" in found.statements
    assert "X1" not in wrong.selected and wrong.doubtful == ("X1",)
    assert "X1 matters by itself" not in wrong.statements
    assert any("do not decide about X1" in sentence for sentence in wrong.answer.sentences)
    assert not any("do not decide about" in sentence for sentence in found.answer.sentences)


def test_where_nothing_is_known_nothing_is_claimed():
    found = explain(noise())
    assert found.selected == () and found.statements == ()
    assert found.answer.head == "These data do not decide which features matter"
    text = all_text(found)
    assert "is not shown to predict unseen rows better than" in text
    for claim in ("together matter", "othing is found", "mean nothing", "no better than"):
        assert claim not in text


@pytest.mark.parametrize(("folds", "is_weak"), [(3, True), (10, False)])
def test_a_test_that_can_hardly_select_says_so_first(folds, is_weak):
    found = explain(noise(p=60), methods="pfi", folds=folds)
    weak = f"With {folds} folds hardly any of 60 features can be selected"
    assert found.answer.head.startswith(weak) == is_weak
    assert (weak in all_text(found)) == is_weak


def test_the_model_of_a_true_cause_is_not_called_useless_by_a_test_that_does_not_reject():
    rng = np.random.default_rng(3)
    frame = noise(60, 3, seed=3)
    frame["y"] = 0.5 * frame["X1"] + rng.standard_normal(60)
    found = explain(frame, folds=3)
    assert found.quality["model"].p_value > 0.05
    caution = next(c for c in found.cautions if c.startswith("The model"))
    assert "is not shown to predict" in caution and "until more rows or folds" in caution


def test_no_minus_stands_before_a_zero():
    for found in (explain(noise(seed=1)), explain(mixed(), "bought")):
        assert "−.000" not in all_text(found) and "−.00 " not in all_text(found)


@pytest.mark.parametrize(
    ("y", "is_hinted"),
    [
        (np.arange(150) % 10, True),
        (np.arange(150) % 11, False),
        (np.arange(150) % 10 / 10, False),
        (np.arange(150) % 2, False),
    ],
)
def test_a_target_of_few_whole_numbers_may_be_classes(y, is_hinted):
    found = explain(noise().assign(y=y), methods="pfi", folds=3)
    assert any("--task classification" in note for note in found.notes) == is_hinted


def test_a_rise_of_two_classes_is_towards_a_named_one():
    found = explain(mixed(), "bought", methods="atr")
    assert "ATR: a prediction rises towards bought yes." in found.notes
    found = explain(copies(150), methods="atr")
    assert not any("ATR" in note for note in found.notes)


def test_losaw_says_what_its_weights_reach_and_not_that_rows_are_rare():
    found = explain(copies(300, 0.999), methods="losaw")
    (caution,) = [c for c in found.cautions if c.startswith("losawRF could not decorrelate")]
    assert "within the limit on its weights" in caution and "hardly any row" not in caution


def test_the_record_of_options_is_what_the_functions_and_the_commands_take():
    record = {each.name: each.default for each in fields(Options)}
    for function, own in ((losaw.explain, set()), (losaw.audit, {"rounds", "share", "signals"})):
        signature = inspect.signature(function).parameters
        defaults = {n: p.default for n, p in signature.items() if n not in ("frame", "target")}
        assert set(defaults) - own == set(record)
        differing = {n for n in record if defaults[n] != record[n]}
        assert differing == (set() if function is losaw.explain else {"budget"})
        for name in record:
            assert f"{name}" in function.__doc__


@pytest.mark.parametrize("output", [".", "out", "out/"])
def test_a_folder_as_output_takes_the_files(tmp_path, monkeypatch, capsys, output):
    mixed(80).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    options = ["--methods", "pfi", "--folds", "3", "--budget", "none", "--output", output]
    assert main(["explain", "people.csv", "--target", "bought", *options]) == 0
    assert (tmp_path / output / "people_explained.html").exists()
    assert "explain: 4 of 4 steps" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["absent/", "absent/name"])
def test_an_absent_folder_is_named(tmp_path, monkeypatch, capsys, output):
    mixed(80).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "people.csv", "--target", "bought", "--output", output]) == 2
    assert "there is no folder absent" in capsys.readouterr().err
