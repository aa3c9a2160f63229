"""A table explained from beginning to end: what comes out, again and again, and its files.

Of explaining.api, explaining.explanation.
"""

import json

import numpy as np
import pandas as pd
import pytest

import losaw
from losaw.cli import main
from losaw.support.errors import LosawError
from reference.explaining_tables import copies, mixed

QUICK = {"folds": 4, "draws": 1, "permutations": 2, "budget": None}
METHODS = ("MDI", "UFI", "losawRF", "PFI", "CPI", "LOCO", "ATR")


@pytest.fixture(scope="module")
def adult():
    return losaw.explain(mixed(), "bought", **QUICK)


def test_a_mixed_table_with_missing_values_is_explained_by_all_methods(adult):
    frame = adult.to_frame()
    assert adult.task == "classification"
    assert dict(zip(frame["feature"], frame["kind"], strict=True)) == {
        "age": "continuous", "town": "nominal", "wage": "continuous",
    }  # fmt: skip
    for method in METHODS:
        scores = frame.set_index("feature")[method]
        assert scores.idxmax() == "age" and scores.dropna().size >= 2
        assert (frame[f"{method}_error"].dropna() > 0).all()
    assert frame.set_index("feature")["CPI_p"]["wage"] > 0.1
    assert "age" in adult.selected and "wage" not in adult.selected
    assert adult.quality["model"].p_value < 0.05
    assert np.isnan(frame.set_index("feature")["ATR"]["town"])


def test_the_same_seed_gives_the_same_numbers_whatever_the_threads(adult):
    again = losaw.explain(mixed(), "bought", n_jobs=2, **QUICK)
    assert again.to_json() == adult.to_json()
    assert again.to_html() == adult.to_html()
    other = losaw.explain(mixed(), "bought", methods=["pfi"], random_state=1, **QUICK)
    assert (other.results["pfi"].scores != adult.results["pfi"].scores).any()


def test_a_method_scores_the_same_whatever_else_runs(adult):
    alone = losaw.explain(mixed(), "bought", methods=["cpi"], **QUICK)
    assert np.array_equal(alone.results["cpi"].scores, adult.results["cpi"].scores)


def test_global_generators_are_untouched():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    losaw.explain(mixed(), "bought", methods=["pfi"], **QUICK)
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize("n_classes", [3, 4])
def test_more_than_two_classes(n_classes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=["a", "b", "c"])
    frame["kind"] = pd.qcut(frame["a"], n_classes, labels=list("wxyz")[:n_classes]).astype(str)
    one = losaw.explain(frame, "kind", **QUICK)
    assert one.selected[0] == "a" and "atr" not in one.results
    assert any("ATR is left out" in note for note in one.notes)


def test_all_rows_incomplete_and_dates_and_identifiers():
    rng = np.random.default_rng(0)
    n = 160
    frame = pd.DataFrame({
        "customer_id": rng.permutation(10**6)[:n],
        "day": pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d"),
        "a": np.where(np.arange(n) % 2, np.nan, rng.standard_normal(n)),
        "b": np.where(np.arange(n) % 2, rng.standard_normal(n), np.nan),
        "remark": [f"remark {i}" for i in range(n)],
        "constant": 1,
    })  # fmt: skip
    frame["y"] = frame["b"].fillna(0) + 0.1 * rng.standard_normal(n)
    one = losaw.explain(frame, "y", methods=["mdi", "pfi", "cpi"], **QUICK)
    assert set(one.names) == {"day", "a", "b"} and one.names[0] == "b"
    assert {c.name for c in one.columns if c.values is None} == {
        "customer_id", "remark", "constant",
    }  # fmt: skip
    assert "Every row has a missing value" in one.to_text()


def test_a_single_feature_and_groups_of_everything():
    frame = copies(150)[["X1", "y"]]
    one = losaw.explain(frame, "y", **QUICK)
    assert "loco" not in one.results and any("LOCO is left out" in note for note in one.notes)
    two = losaw.explain(copies(150)[["X1", "X2", "y"]], "y", methods=["pfi", "loco"], **QUICK)
    assert "pfi" in two.group_results and "loco" not in two.group_results
    assert two.group_lines()[0].startswith("X1 + X2: PFI")


def test_own_groups_are_scored_and_tested_in_place_of_associated_ones():
    frame = copies(200, 0.5)
    groups = {"both": ["X1", "X3"]}
    found = losaw.explain(frame, "y", methods=["pfi", "cpi"], groups=groups, **QUICK)
    assert all(result.feature_names == ("both",) for result in found.group_results.values())
    assert found.group_lines()[0].startswith("both: PFI")
    assert found.finest and set(found.to_frame()["group"]) == {"both", ""}
    assert "average linkage" not in found.to_html()


def test_the_command_takes_own_groups_and_a_model_of_ones_own(tmp_path, monkeypatch, capsys):
    frame = copies(120, 0.5)
    frame.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "own.py").write_text(
        "from sklearn.linear_model import LinearRegression\n"
        "def make():\n    return LinearRegression(positive=True)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["--methods", "pfi", "--folds", "3", "--permutations", "1", "--budget", "none"]
    words += ["--groups", "both:X1,X3", "--model", "own.py:make"]
    assert main(["explain", "table.csv", "--target", "y", *words]) == 0
    out = capsys.readouterr().out
    assert "LinearRegression explains" in out and "both: PFI" in out


@pytest.mark.parametrize("seed", [0, 6, 9])
def test_shares_of_splits_that_unseen_rows_contradict_are_within_one(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((150, 3)), columns=list("abc"))
    frame["y"] = 10_000 * rng.standard_normal(150)
    for features in (["a", "y"], ["a", "b", "c", "y"]):
        options = {"methods": "ufi,mdi_oob", "folds": 10, "budget": None}
        results = losaw.explain(frame[features], "y", **options).results
        assert all(np.abs(result.details["fold_scores"]).max() <= 1 for result in results.values())


def test_a_model_that_predicts_nothing_is_said_to():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 4)), columns=list("abcy"))
    one = losaw.explain(frame, "y", methods=["pfi", "losaw"], **QUICK)
    assert sum("is not shown to predict" in caution for caution in one.cautions) == 2
    assert "mean nothing" not in one.to_text()


def test_leaks_copies_and_rare_levels_are_said():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.standard_normal(300), "b": rng.standard_normal(300)})
    frame["y"] = frame["a"] + frame["b"]
    frame["leak"] = frame["y"] + 0.02 * rng.standard_normal(300)
    frame["in_cents"] = 100 * frame["y"]
    frame["town"] = ["A"] * 5 + ["B", "C"] * 147 + ["C"]
    one = losaw.explain(frame, "y", methods=["pfi"], **QUICK)
    text = "\n".join(one.cautions)
    assert "in_cents is a copy of y" in text
    assert "leak alone explains" in text and "--drop leak" in text
    assert "A (5)" in text
    left = losaw.explain(frame, "y", methods=["pfi"], drop=["leak", "in_cents"], **QUICK)
    assert "alone explains" not in "\n".join(left.cautions) and "leak" not in left.names


@pytest.mark.parametrize("container", ["pandas", "polars", "lazy polars"])
def test_columns_are_dropped_from_any_frame(container):
    frame = copies(60, 0.9).assign(left=1.0)
    kept = [str(name) for name in frame if name not in ("left", "y")]
    if container != "pandas":
        frame = pytest.importorskip("polars").from_pandas(frame)
        frame = frame.lazy() if container == "lazy polars" else frame
    one = losaw.explain(frame, "y", methods=["pfi"], drop="left", **QUICK)
    assert sorted(one.names) == sorted(kept)


def test_weights_that_cannot_decorrelate_are_said():
    one = losaw.explain(copies(300, 0.999), "y", methods=["losaw"], **QUICK)
    assert any(c.startswith("losawRF could not decorrelate") for c in one.cautions)
    apart = losaw.explain(copies(300, 0.0), "y", methods=["losaw"], **QUICK)
    assert apart.cautions == ()


def test_a_budget_cuts_and_says_so():
    frame = pd.DataFrame(
        np.random.default_rng(0).standard_normal((30_000, 6)), columns=[*"abcde", "y"]
    )
    frame["y"] += frame["a"]
    one = losaw.explain(frame, "y", methods=["pfi", "cpi"], folds=3, budget=10)
    assert one.n_rows == 30_000 and one.design.folds == 3
    assert one.cuts == () or "everything would take about" in one.cuts[0]
    options = {"methods": ["pfi", "losaw"], "budget": None, "folds": 3}
    fixed = losaw.explain(frame, "y", rows=400, losaw_rows=200, **options)
    assert (fixed.design.rows, fixed.design.losaw_rows, fixed.cuts) == (400, 200, ())
    assert fixed.results["losaw"].select(top=1) == ("a",)
    assert fixed.associations.strength.shape == (5, 5)


def test_gradient_boosting_and_estimators_of_ones_own():
    from sklearn.linear_model import LinearRegression

    frame = copies(200, 0.5)
    for model in ("gradient-boosting", LinearRegression()):
        one = losaw.explain(frame, "y", methods=["mdi", "pfi", "cpi"], model=model, **QUICK)
        assert set(one.selected) == {"X1", "X2", "X3"}
        assert one.model in one.to_html()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["pfl"]}, "did you mean 'pfi'"),
        ({"fdr": 2}, "fdr"),
        ({"folds": 2}, "folds"),
        ({"rows": 10}, "rows"),
        ({"budget": "soon"}, "budget"),
        ({"drop": ["ag"]}, "did you mean 'age'"),
        ({"drop": ["bought"]}, "is the target"),
        ({"model": "forrest"}, "did you mean 'forest'"),
        ({"groups": {"who": ["age", "agee"]}}, "who: unknown feature 'agee'"),
        ({"groups": {"who": ["age"]}}, "'who' needs two features or more"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        losaw.explain(mixed(60), "bought", **options)


def test_text_json_and_frames_agree(adult):
    content = json.loads(adult.to_json())
    assert [row["feature"] for row in content["features"]] == list(adult.names)
    assert content["selected"] == list(adult.selected)
    assert content["features"][0]["CPI"] == adult.to_frame()["CPI"][0]
    text = adult.to_text()
    assert all(name in text for name in (*adult.names, *METHODS))
    assert repr(adult) == text and "<table>" in adult._repr_html_()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_all_files_are_written_or_none(adult, tmp_path, monkeypatch):
    written = adult.save(tmp_path / "mine")
    assert files(tmp_path) == ["mine.csv", "mine.html", "mine.json", "mine.png"]
    assert {path.name for path in written} == set(files(tmp_path))
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    with pytest.raises(LosawError, match="No space left"):
        adult.save(tmp_path / "mine")
    with pytest.raises(LosawError, match="No space left"):
        adult.save(tmp_path / "other")
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_names_that_begin_like_formulas_are_text_in_the_csv(tmp_path):
    rng = np.random.default_rng(0)
    names = ["=1+1", "+a", "-b", "@c", "plain"]
    frame = pd.DataFrame(rng.standard_normal((60, 5)), columns=names).assign(y=rng.random(60))
    found = losaw.explain(frame, "y", methods=["pfi"], **QUICK)
    found.save(tmp_path / "f")
    stored = pd.read_csv(tmp_path / "f.csv")["feature"]
    assert sorted(stored) == sorted(["'=1+1", "'+a", "'-b", "'@c", "plain"])
    assert sorted(found.to_frame()["feature"]) == sorted(names)


def test_the_command_prints_and_writes(tmp_path, monkeypatch, capsys):
    mixed().to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    options = [
        "--methods",
        "pfi,cpi",
        "--folds",
        "3",
        "--draws",
        "1",
        "--budget",
        "none",
        "--kinds",
        "age:continuous",
    ]
    assert main(["explain", "people.csv", "--target", "bought", *options]) == 0
    out = capsys.readouterr().out
    assert "bought (classification): 240 rows" in out and "wrote people_explained.html" in out
    assert files(tmp_path) == ["people.csv"] + [
        f"people_explained.{ending}" for ending in ("csv", "html", "json", "png")
    ]
    same = losaw.explain(
        mixed(), "bought", methods="pfi,cpi", folds=3, draws=1, budget=None,
        kinds={"age": "continuous"},
    )  # fmt: skip
    assert (tmp_path / "people_explained.json").read_text() == same.to_json() + "\n"


def test_the_result_is_not_written_over_the_data(tmp_path, monkeypatch, capsys):
    mixed(80).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "people.csv", "--target", "bought", "--output", "people"]) == 2
    assert "would be written over" in capsys.readouterr().err
    assert files(tmp_path) == ["people.csv"] and len(pd.read_csv("people.csv")) == 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "bougth"], "did you mean 'bought'"),
        (["--target", "bought", "--kinds", "age"], "NAME:KIND"),
        (["--target", "bought", "--task", "regression"], "needs numbers"),
        (["--target", "bought", "--drop", "agee"], "did you mean 'age'"),
        (["--target", "bought", "--kinds", "age:nominal,age:discrete"], "of a new name"),
        (["--target", "bought", "--groups", "age,city"], "NAME:FEATURE"),
        (["--target", "bought", "--groups", "g:age,city;g:age,pay"], "of a new name"),
        (["--target", "bought", "--model", "own.py:make"], "there is no file own.py"),
    ],
)
def test_mistakes_end_in_one_line_and_no_file(tmp_path, monkeypatch, capsys, arguments, message):
    mixed(80).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "people.csv", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert files(tmp_path) == ["people.csv"]


def test_an_interrupted_command_does_not_say_that_something_is_stored(
    tmp_path, monkeypatch, capsys
):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    mixed(80).to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("losaw.explaining.api.compute", interrupt)
    words = ["explain", "people.csv", "--target", "bought", "--folds", "3", "--budget", "none"]
    assert main(words) == 130
    assert capsys.readouterr().err.strip().endswith("losaw: interrupted; nothing is written")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
