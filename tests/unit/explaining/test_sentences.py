"""Every kind of sentence of explain's page, on tables where it must and must not appear.

Of explaining.answers, explaining.cautions, explaining.options, commands.explaining.
"""

import argparse
import inspect
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

import losaw
from losaw.cli import main
from losaw.commands.explaining import prefix_of
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
    assert found.answer.head.startswith("Selected by CPI: " + ", ".join(found.selected))
    assert set(found.selected) == {"X1", "X2", "X3"}
    assert (
        "1 feature is not selected, which does not show that it does not matter"
        in found.answer.sentences[1]
    )


def test_features_that_hide_each_other_matter_together_and_nothing_is_never_said():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(200)
    near = {f"X{j}": hidden + 0.02 * rng.standard_normal(200) for j in range(8)}
    frame = pd.DataFrame(near).assign(y=hidden + 0.5 * rng.standard_normal(200))
    found = explain(frame, fdr=0.001)  # each adds a little to the others, which is no mistake
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


def test_a_group_with_a_selected_feature_is_not_said_to_hide_which_one_matters():
    found = explain(copies(300, 0.0))
    assert "X1" in found.selected
    grouped = replace(found, finest=(("X1", "X4"),))
    assert grouped.statements == (
        "One of {X1, X4} matters, but the data do not tell which with this certainty (at the "
        "false discovery rate: X1)",
    )
    assert "{X1, X4}" not in grouped.answer.head
    other = replace(found, finest=(("X4", "X5"), ("X1",)))
    assert other.answer.head == (
        found.answer.head + "; one of {X4, X5} matters, but the data do not tell which"
    )
    assert grouped.in_words["X1"].endswith("even when all other features are known.")
    assert "X4 is in a group of 2 features" not in grouped.in_words["X4"]
    assert "X4 is in a group of 2 features" in replace(grouped, fdr=1e-12).in_words["X4"]


def test_a_feature_whose_draws_are_recognised_is_not_selected_and_named():
    found = explain(copies(300, 0.0))
    wrong = replace(found, draw_tests={"X1": DrawTest(0.8, 1e-6), "X2": DrawTest(0.5, 0.5)})
    assert "X1" in found.selected and "X1 matters by itself" in found.statements
    assert "X1" not in wrong.selected and wrong.doubtful == ("X1",)
    assert "X1 matters by itself" not in wrong.statements
    (doubt,) = [s for s in wrong.answer.sentences if "do not decide about X1" in s]
    assert doubt.endswith("Compare LOCO, which this run left out.")
    with_loco = replace(wrong, results=wrong.results | {"loco": found.results["pfi"]})
    assert any(s.endswith("Compare LOCO.") for s in with_loco.answer.sentences)
    assert not any("do not decide about" in sentence for sentence in found.answer.sentences)


def checkerboard(n=800, p=8, seed=1):
    """A column that follows the signs of two others, as the response does, and noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, p)), columns=[f"n{j}" for j in range(p)])
    is_even = frame["n0"] * frame["n1"] > 0
    frame["echo"] = is_even + 0.3 * rng.standard_normal(n)
    return frame.assign(y=2.0 * is_even + frame["n2"] + rng.standard_normal(n))


@pytest.mark.long
def test_a_column_that_follows_a_checkerboard_is_doubted_where_it_is_named():
    found = explain(checkerboard())
    # Given the echo, draws of the two signs cannot be right either.
    assert {"echo"} <= set(found.doubtful) <= {"echo", "n0", "n1"} and "n2" in found.selected
    assert "echo" not in found.answer.head and not any("echo" in s for s in found.statements)
    doubts = [s for s in found.answer.sentences if s.startswith("The data do not decide about")]
    assert len(doubts) == 1 and "echo" in doubts[0]
    assert "draws of CPI recognised" in found.to_html() and "*?" in found.to_text()
    assert found.in_words["echo"].startswith("Whether echo helps to predict y beyond")
    assert "draws of CPI recognised" not in explain(copies(300, 0.0)).to_html()


def test_a_group_with_recognised_draws_is_said_with_its_condition():
    found = explain(copies(300, 0.0))
    wrong = replace(found, finest=(("X1", "X2"),), draw_tests={"X1": DrawTest(0.8, 1e-6)})
    assert wrong.statements == (
        "One of {X1, X2} matters, but the data do not tell which with this certainty (at the "
        "false discovery rate: X2) (if the draws of X1 are right)",
    )


def test_a_sentence_for_each_feature_says_what_is_known_of_it():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(200)
    near = {f"X{j}": hidden + 0.02 * rng.standard_normal(200) for j in range(3)}
    frame = pd.DataFrame(near).assign(a=rng.standard_normal(200), b=rng.standard_normal(200))
    words = explain(
        frame.assign(y=hidden + frame["a"] + 0.3 * rng.standard_normal(200)), folds=10
    ).in_words
    assert words["a"] == "a helps to predict y, even when all other features are known."
    assert words["b"] == "These data do not show that b helps to predict y."
    assert words["X1"].startswith("X1 is in a group of 3 features, at least one of which helps")
    assert explain(noise(), methods="mdi").in_words == {}
    alone = noise()[["X1"]].assign(y=lambda x: x["X1"] + 0.5 * noise(seed=1)["y"])
    assert explain(alone, methods="cpi").in_words == {"X1": "X1 helps to predict y."}


def test_the_smallest_score_that_is_found_is_half_of_the_interval_of_the_test():
    frame = explain(copies(300, 0.0)).to_frame()
    from scipy.stats import t

    np.testing.assert_allclose(frame["CPI_smallest"], t.ppf(0.95, 4) * frame["CPI_error"])


def test_a_page_on_which_loco_decides_says_what_its_test_leaves_out():
    frame = copies(120, 0.0)
    by_loco, by_cpi = explain(frame, methods="loco"), explain(frame, methods="cpi,loco")
    assert any("takes both fits as they are" in caution for caution in by_loco.cautions)
    assert not any("takes both fits" in caution for caution in by_cpi.cautions)


def patients(n_patients=40, rows=10, seed=1):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_patients), rows)
    age, weight, effect = rng.standard_normal((3, n_patients))
    frame = pd.DataFrame({"who": [f"p{number}" for number in who], "age": age[who]})
    frame["weight"], frame["dose"] = weight[who], rng.standard_normal(len(who))
    frame["y"] = effect[who] + frame["dose"] + 0.3 * rng.standard_normal(len(who))
    return frame


def test_rows_of_one_patient_are_noticed_and_kept_together():
    frame = patients()
    alone = explain(frame.drop(columns="who"), methods="pfi")
    assert "age" in alone.selected
    (said,) = [c for c in alone.cautions if c.startswith("Many rows share")]
    assert "age and weight (40 combinations in 400 rows)" in said and "--cluster" in said
    together = explain(frame, methods="pfi", cluster="who")
    assert together.selected == ("dose",) and "who" not in together.names
    assert not any(c.startswith("Many rows share") for c in together.cautions)
    for harmless in (copies(300, 0.0), mixed()):  # no rows of one person, and rounded columns
        target = "y" if "y" in harmless else "bought"
        found = explain(harmless.round(1), target, methods="pfi")
        assert not any(c.startswith("Many rows share") for c in found.cautions)


@pytest.mark.parametrize(
    ("cluster", "folds", "words"),
    [("wo", 5, "did you mean 'who'"), ("y", 5, "cluster"), ("who", 41, "40 clusters cannot")],
)
def test_clusters_that_cannot_be_used_are_refused(cluster, folds, words):
    with pytest.raises(ValueError, match=words):
        explain(patients(), cluster=cluster, folds=folds)


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
    assert "is not shown to predict" in caution and found.statements
    assert found.answer.head == found.statements[0]


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
    for methods in ("atr", "pfi"):  # the curves are those of a class, too
        found = explain(mixed(), "bought", methods=methods)
        assert "ATR and curves: a prediction rises towards bought yes." in found.notes
    found = explain(copies(150), methods="atr")
    assert not any("ATR" in note for note in found.notes)


def test_losaw_says_what_its_weights_reach_and_not_that_rows_are_rare():
    found = explain(copies(300, 0.999), methods="losaw")
    (caution,) = [c for c in found.cautions if c.startswith("losawRF could not decorrelate")]
    assert "within the limit on its weights" in caution and "hardly any row" not in caution


def test_the_record_of_options_is_what_the_functions_and_the_commands_take():
    record = {each.name: each.default for each in fields(Options)}
    for function, own in (
        (losaw.explain, {"groups"}),
        (losaw.audit, {"rounds", "share", "signals", "response"}),
    ):
        signature = inspect.signature(function).parameters
        defaults = {n: p.default for n, p in signature.items() if n not in ("frame", "target")}
        assert set(defaults) - own == set(record)
        differing = {n for n in record if defaults[n] != record[n]}
        assert differing == (set() if function is losaw.explain else {"budget"})
        for name in record:
            assert f"{name}" in function.__doc__


@pytest.mark.parametrize(
    ("file", "prefix"),
    [("sales.2025.csv", "sales.2025"), ("sales.csv.gz", "sales"), ("sales.data.txt", "sales")],
)
def test_a_name_with_points_is_not_cut(tmp_path, file, prefix):
    options = argparse.Namespace(file=tmp_path / file, output=None)
    assert prefix_of(options, "explained", ()).name == f"{prefix}_explained"


def test_a_part_of_the_variation_is_said_to_be_explained_and_never_minus_nothing():
    found = explain(noise(), methods="pfi", folds=3)
    nothing = replace(found.quality["model"], share=-0.004)
    headline = replace(found, quality={"model": nothing}).headline()
    assert " explains 0 % " in headline and headline.endswith("of the variation of unseen rows")


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


def with_a_rare_class(n=2000, n_rare=12):
    frame = noise(n).drop(columns="y")
    frame["y"] = np.where(np.random.default_rng(1).permutation(n) < n_rare, "rare", "usual")
    frame.loc[frame["y"] == "rare", "X1"] += 3.0
    return frame


def test_a_class_too_rare_for_a_sample_is_said_to_be_over_represented():
    frame = with_a_rare_class()
    found = explain(frame, rows=200)
    assert found.headline().startswith("y (classification): 200 of 2,000 rows, 4 features")
    one = explain(frame[["X1", "y"]], methods="pfi", rows=200)
    assert ", 1 feature;" in one.headline()
    assert found.design.words().startswith("200 rows, ")
    (caution,) = [c for c in found.cautions if c.startswith("Rare classes of y")]
    assert "rare: 2.5 %, not 0.6 %" in caution and "do not hold for the whole table" in caution
    assert not any("Rare classes" in c for c in explain(frame).cautions)
    often = with_a_rare_class(600, 200)
    assert not any("Rare classes" in c for c in explain(often, rows=200).cautions)


def test_rows_are_counted_as_they_are_used_where_many_classes_need_more():
    frame = noise(600).drop(columns="y")
    frame["y"] = [f"k{number % 30}" for number in range(600)]
    found = explain(frame, rows=100, losaw_rows=50, methods="pfi", permutations=1)
    assert (found.design.rows, found.design.losaw_rows) == (150, 150)
    assert found.headline().startswith("y (classification): 150 of 600 rows")
    again = explain(frame, rows=150, losaw_rows=150, methods="pfi", permutations=1)
    assert again.results["pfi"].scores.tolist() == found.results["pfi"].scores.tolist()


def test_a_column_that_looks_like_numbers_and_is_lost_is_warned_of():
    frame = noise()
    frame["X1"] = frame["X1"].astype(str).str.replace(".", ",")
    (caution,) = [c for c in explain(frame).cautions if c.startswith("X1 looks like numbers")]
    assert "150 of 150 values cannot be read as such" in caution and "free text" in caution
    assert not any("looks like" in c for c in explain(noise()).cautions)


def test_classes_and_levels_that_look_like_one_or_like_no_value_are_warned_of():
    frame = noise()
    labels = np.array(["yes", "Yes", "no", ""])[np.arange(150) % 4]
    said = "\n".join(explain(frame.assign(y=labels), methods="pfi").cautions)
    assert "Yes and yes are two values of y" in said
    assert "An empty text counts as a value of y" in said
    said = "\n".join(explain(frame.assign(X1=labels), methods="pfi").cautions)
    assert "Yes and yes are two values of X1" in said
    labels = np.where(frame["y"] > 0, "yes", "no")
    said = "\n".join(explain(frame.assign(X1=labels, y=labels[::-1]), methods="pfi").cautions)
    assert "two values" not in said and "empty text" not in said


def test_a_column_with_hardly_a_value_is_warned_of_and_nothing_else_is_printed(recwarn):
    frame = noise()
    frame.loc[9:, "X1"] = np.nan
    frame.loc[10:, "X2"] = np.nan
    found = explain(frame)
    (caution,) = [c for c in found.cautions if "rows only" in c]
    assert caution.startswith("X1 has a value in 9 of 150 rows only")
    assert not any("empty slice" in str(warning.message) for warning in recwarn)
