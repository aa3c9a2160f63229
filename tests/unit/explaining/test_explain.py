"""A table explained from beginning to end: what comes out, again and again, and its files."""

import argparse
import json
import re
import shlex
import time
from pathlib import Path
from unicodedata import east_asian_width

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import LinearRegression

import losaw
from losaw.cli import main
from losaw.commands.explaining import _kinds, _listed, add_options, on_the_table, prefix_of
from losaw.explaining.api import SharedOptions
from losaw.support.errors import LosawError
from losaw.support.words import as_option
from reference.explaining_tables import copies, mixed

QUICK = {"folds": 4, "draws": 1, "permutations": 2, "budget": None}
LABELS = ("MDI", "UFI", "losawRF", "PFI", "CPI", "LOCO")


@pytest.fixture(scope="module")
def adult():
    return losaw.explain(mixed(), "bought", **QUICK)


def test_a_mixed_table_with_missing_values_is_explained_by_all_methods(adult):
    frame = adult.to_frame().set_index("feature")
    assert adult.task == "classification"
    assert frame["kind"].to_dict() == {"age": "continuous", "town": "nominal", "wage": "continuous"}
    for method in LABELS:
        assert frame[method].idxmax() == "age" and (frame[f"{method}_error"] > 0).all()
    assert frame["CPI_p"]["wage"] > 0.1 and set(frame["decided_by"]) == {"CPI"}
    assert "age" in adult.selected and "wage" not in adult.selected
    assert adult.work.quality["model"].p_value < 0.05


def test_the_same_seed_gives_the_same_numbers_whatever_the_threads(adult):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    again = losaw.explain(mixed(), "bought", n_jobs=2, **QUICK)
    assert again.to_json() == adult.to_json()
    assert again.to_html() == adult.to_html()
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    rng = np.random.default_rng(1)
    other = losaw.explain(mixed(), "bought", methods=["pfi"], random_state=rng, **QUICK)
    assert (other.results["pfi"].scores != adult.results["pfi"].scores).any()


def test_a_generator_gives_the_seed():
    options = (None, "mdi", {}, None, 0.1, None, False)
    first, again, other = (
        SharedOptions(*options, np.random.default_rng(seed)).seed for seed in (5, 5, 6)
    )
    assert first == again != other


def test_a_method_scores_the_same_whatever_else_runs(adult):
    alone = losaw.explain(mixed(), "bought", methods=["cpi"], **QUICK)
    assert np.array_equal(alone.results["cpi"].scores, adult.results["cpi"].scores)


def test_the_smallest_score_that_is_found_has_a_p_value_of_05(adult):
    result = adult.results["cpi"]
    frame = adult.to_frame().set_index("feature").loc[list(result.feature_names)]
    statistic = t.ppf(0.95, 3) * frame["CPI"] / frame["CPI_smallest"]
    np.testing.assert_allclose(t.sf(statistic, 3), result.details["raw_p_values"])


def test_more_than_two_classes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=["a", "b", "c"])
    frame["kind"] = pd.qcut(frame["a"], 4, labels=list("wxyz")).astype(str)
    one = losaw.explain(frame, "kind", methods="mdi,pfi,cpi", **QUICK)
    assert one.selected[0] == "a" and one.curves == {} and "<polyline" not in one.to_html()


def test_a_single_feature_has_no_loco():
    one = losaw.explain(copies(150)[["X1", "y"]], "y", **QUICK)
    assert "loco" not in one.results and "all other features" not in one.to_text()
    assert any(s.kind == "left out" for s in one.sentences)
    with pytest.raises(LosawError, match="LOCO needs two features"):
        losaw.explain(copies(150)[["X1", "y"]], "y", methods="loco", **QUICK)


@pytest.mark.parametrize("seed", [0, 6])
def test_shares_of_splits_that_unseen_rows_contradict_are_within_one(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((150, 3)), columns=list("abc"))
    frame["y"] = 10_000 * rng.standard_normal(150)
    for features in (["a", "y"], ["a", "b", "c", "y"]):
        results = losaw.explain(frame[features], "y", methods="ufi", budget=None).results
        assert np.abs(results["ufi"].details["fold_scores"]).max() <= 1


def test_gradient_boosting_and_estimators_of_ones_own():
    frame = copies(200, 0.5)
    for model, methods in (("gradient-boosting", "pfi"), (LinearRegression(), "mdi,pfi,cpi")):
        one = losaw.explain(frame, "y", methods=methods, model=model, **QUICK)
        assert set(one.selected) == {"X1", "X2", "X3"}
        assert one.model in one.to_html()


def test_a_budget_cuts_rows_and_says_so(capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((30_000, 6)), columns=[*"abcde", "y"])
    frame["y"] += frame["a"]
    one = losaw.explain(frame, "y", methods=["pfi"], folds=3, budget=10, verbose=True)
    assert one.design.n_rows == 30_000 and one.design.folds == 3
    assert all(f"budget: {cut}" in capsys.readouterr().err for cut in one.design.cuts[:1])
    fixed = losaw.explain(frame, "y", rows=400, methods=["pfi"], budget=None, folds=3)
    assert (fixed.design.rows, fixed.design.cuts) == (400, ())
    assert fixed.headline().startswith("y (regression): 400 of 30,000 rows, 5 features")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["pfl"]}, "did you mean 'pfi'"),
        ({"fdr": 2}, "fdr must be between"),
        ({"fdr": ()}, "fdr must be a finite number"),
        ({"folds": 2}, "folds"),
        ({"rows": 10}, "rows"),
        ({"kinds": "nominal"}, "kinds must say kinds by name"),
        ({"kinds": ["nominal"] * 4}, "kinds must say kinds by name, as {'wage': 'nominal'}"),
        ({"n_jobs": "two"}, "^n_jobs must be"),
        ({"model": "forrest"}, "did you mean 'forest'"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "x"}, "random_state must be .*Generator or None"),
        ({"groups": {"g": ["age"]}, "methods": "pfi"}, "groups are tested by cpi, .* add it"),
        ({"given": []}, "given names no column"),
        ({"given": ["wagee"]}, "given: .*did you mean 'wage'"),
        ({"given": "bought"}, "given: unknown feature 'bought'"),
        ({"given": "age", "methods": "cpi,loco"}, "asked of cpi alone"),
        ({"given": "age", "groups": {"g": ["wage"]}}, "leave out groups or given"),
        ({"given": list(mixed(60).drop(columns="bought"))}, "given names every feature"),
        # Before a model is made.
        ({"groups": {"g": ["age", "wagee"]}, "model": "forrest"}, "did you mean 'wage'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        losaw.explain(mixed(60), "bought", **{"budget": None, **options})


def test_text_json_page_and_frames_say_the_same(adult):
    content = json.loads(adult.to_json())
    assert [row["feature"] for row in content["features"]] == list(adult.names)
    assert content["selected"] == list(adult.selected)
    assert content["features"][0]["CPI"] == adult.to_frame()["CPI"][0]
    assert [s["text"] for s in content["sentences"]] == [s.text for s in adult.sentences]
    text, page = adult.to_text(), adult._repr_html_()
    for sentence in adult.sentences:
        assert sentence.text in text and sentence.text in page.replace("&#39;", "'")
    assert repr(adult) == text and "<table>" in page


def files(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def test_all_files_are_written_or_none(adult, tmp_path, monkeypatch):
    written = adult.save(tmp_path / "mine")
    assert files(tmp_path) == ["mine.csv", "mine.html", "mine.json"]
    assert {path.name for path in written} == set(files(tmp_path))
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    write = Path.write_text

    def full(path, *arguments, **options):
        if path.suffix == ".json" or ".json" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", full)
    for prefix in ("mine", "other"):
        with pytest.raises(LosawError, match="No space left"):
            adult.save(tmp_path / prefix)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_names_that_begin_like_formulas_are_text_in_the_csv(tmp_path):
    rng = np.random.default_rng(0)
    names = ["=1+1", "+a", "-b", "@c", "plain"]
    frame = pd.DataFrame(rng.standard_normal((60, 5)), columns=names).assign(y=rng.random(60))
    losaw.explain(frame, "y", methods=["pfi"], **QUICK).save(tmp_path / "f")
    stored = pd.read_csv(tmp_path / "f.csv")["feature"]
    assert sorted(stored) == sorted(["'=1+1", "'+a", "'-b", "'@c", "plain"])


COMMAND = ["explain", "people.csv", "--target", "bought", "--methods", "pfi", "--folds", "3"]
COMMAND += ["--budget", "none"]


@pytest.fixture
def people(tmp_path, monkeypatch):
    mixed(120).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("place", "code"), [("ascii", 0), ("/dev/full", 2)])
def test_files_are_written_whatever_the_terminal_can_show_or_take(
    people, place, code, monkeypatch, capsys
):
    if place != "ascii" and not Path(place).exists():
        pytest.skip("no device of this system is always full")
    mixed(120).rename(columns={"age": "größe"}).to_csv("people.csv", index=False)
    with open("shown" if place == "ascii" else place, "w", encoding="ascii") as terminal:
        monkeypatch.setattr("sys.stdout", terminal)
        assert main([*COMMAND, "--output", "out/"]) == code
    assert len(files("out")) == 3
    if code:
        assert "cannot be printed: No space left" in capsys.readouterr().err
    else:
        assert "gr??e" in Path("shown").read_text(encoding="ascii")


def test_the_command_prints_and_writes_what_the_function_returns(people, capsys):
    assert main([*COMMAND, "--kinds", "age:continuous", "--output", "out/"]) == 0
    shown = capsys.readouterr()
    assert "bought (classification): 120 rows" in shown.out
    assert "wrote out/people_explained.html" in shown.out and "losaw: pfi" in shown.err
    names = [f"people_explained.{ending}" for ending in ("csv", "html", "json")]
    assert files("out") == names and files(people) == ["out", "people.csv"]
    options = {"methods": "pfi", "folds": 3, "budget": None, "kinds": {"age": "continuous"}}
    same = losaw.explain(mixed(120), "bought", **options)
    assert Path("out", names[2]).read_text() == same.to_json() + "\n"


def test_reading_a_file_is_part_of_its_budget(people, monkeypatch):
    parser = argparse.ArgumentParser()
    add_options(parser)
    clock = iter([100.0, 125.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    given = parser.parse_args([*COMMAND[1:-1], "60s"])
    assert on_the_table(lambda *_, budget, **__: budget, given) == 35.0
    given.budget, given.file = "soon", Path("absent.csv")  # refused before anything is read
    with pytest.raises(LosawError, match="budget must be a time"):
        on_the_table(losaw.explain, given)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "bougth"], "did you mean 'bought'"),
        (["--target", "bought", "--kinds", "age"], "NAME:KIND"),
        (["--target", "bought", "--kinds", "age:nominal,age:discrete"], "of a new name"),
        (["--target", "bought", "--kinds", "a,b:nominal"], "a comma stands in quotes"),
        (["--target", "bought", "--output", "people"], "would be written over"),
        (["--target", "bought", "--output", "absent/x"], "there is no folder absent"),
    ],
)
def test_mistakes_end_in_one_line_and_no_file(people, capsys, arguments, message):
    assert main(["explain", "people.csv", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert files(people) == ["out", "people.csv"]


def test_an_interrupted_command_writes_nothing(people, capsys, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("losaw.explaining.api.compute", interrupt)
    assert main(COMMAND) == 130
    assert capsys.readouterr().err.strip().endswith("losaw: interrupted; nothing is written")
    assert files(people) == ["out", "people.csv"]


def test_names_with_commas_stand_in_quotes_in_lists_of_names(people, capsys):
    more = {"size, big": range(120), "a,b": 1.0 * (np.arange(120) % 7), "c": 1.0, "d,": 1.5}
    frame = mixed(120).assign(**more).assign(d=np.arange(120) % 5)
    frame.to_csv("people.csv", index=False)
    kinds = ["--kinds", '"a,b":nominal, age:continuous,d:discrete']
    assert main([*COMMAND, *kinds, "--drop", 'c, "size, big","d,",']) == 0
    table = json.loads(Path("people_explained.json").read_text())["columns"]
    found = {column["name"]: column["kind"] for column in table}
    assert found["a,b"] == "nominal" and found["age"] == "continuous" and found["d"] == "discrete"
    assert not {"c", "size, big", "d,"} & set(found)


@pytest.mark.parametrize(
    "name", ["-x", "Preis (EUR)", "a,b", "-a, b", "it's", "--all", "$x", "a\nb"]
)
def test_a_suggested_option_is_taken_by_a_shell_as_it_is_written(name):
    parser = argparse.ArgumentParser()
    add_options(parser)

    def parsed(option):
        words = shlex.split(f"t.csv --target y {option}")
        return parser.parse_args(words)

    assert _kinds(parsed(as_option("--kinds", name, "nominal")).kinds) == {name: "nominal"}
    assert _listed(parsed(as_option("--drop", name)).drop) == [name]
    assert parsed(as_option("--cluster", name)).cluster == name


@pytest.mark.parametrize("option", ["--drop", "--kinds", "--methods", "--given"])
def test_lists_that_are_given_twice_are_one_list(people, monkeypatch, option):
    seen = []
    monkeypatch.setattr(
        "losaw.explaining.api.explain", lambda *_, **options: seen.append(options) or 1 / 0
    )
    values = {"--kinds": ("age:discrete", "town:nominal"), "--methods": ("mdi", "pfi")}
    one, other = values.get(option, ("age", "town"))
    for words in ([option, one, option, other], [option, f"{one},{other}"]):
        with pytest.raises(ZeroDivisionError):
            main([*COMMAND, *words])
    assert seen[0] == {**seen[1], "budget": seen[0]["budget"]}


def test_an_option_of_one_value_that_is_given_twice_is_refused(people, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*COMMAND, "--rows", "50", "--rows", "60"])
    assert "argument --rows: given twice" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["taken", "x" * 245])
def test_a_place_where_nothing_can_be_written_is_refused_before_the_work(
    people, monkeypatch, capsys, output
):
    Path("taken.html").mkdir()
    monkeypatch.setattr("losaw.commands.explaining.on_the_table", lambda *_, **__: 1 / 0)
    assert main([*COMMAND, "--output", output]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_name_with_a_line_break_that_is_not_in_quotes_is_refused(people, capsys):
    assert main([*COMMAND, "--drop", "a\nb"]) == 2
    assert "a name with a line break stands in quotes" in capsys.readouterr().err


LETTERS = [
    "身高与体重的比率按年龄和性别调整后",
    "الطول بالسنتيمتر عند الولادة",
    "größe",
    "키와 몸무게",
]


def test_names_of_any_letters_are_whole_in_every_output(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 4)), columns=LETTERS)
    frame["所得"] = frame[LETTERS[0]] + 0.5 * rng.standard_normal(60)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    found = losaw.explain(tmp_path / "rows.csv", "所得", methods=["pfi"], **QUICK)
    found.save(tmp_path / "letters")
    page = (tmp_path / "letters.html").read_text(encoding="utf-8")
    assert set(re.findall(r'nowrap">([^<]*)</div>', page)) == set(LETTERS)
    assert (tmp_path / "letters.csv").read_bytes().startswith(b"\xef\xbb\xbf")  # for Excel
    assert sorted(pd.read_csv(tmp_path / "letters.csv")["feature"]) == sorted(LETTERS)
    stored = json.loads((tmp_path / "letters.json").read_text(encoding="utf-8"))
    assert sorted(stored["association"]["names"]) == sorted(LETTERS)
    text = found.to_text()
    assert all(name in text for name in LETTERS)
    rows = [line for line in text.split("\n") if "continuous" in line]
    assert len({len(row) + sum(east_asian_width(c) in "WF" for c in row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("file", "prefix"),
    [("sales.2025.csv", "sales.2025"), ("sales.csv.gz", "sales"), ("sales.data.txt", "sales")],
)
def test_a_name_with_points_is_not_cut(tmp_path, file, prefix):
    options = argparse.Namespace(file=tmp_path / file, output=None)
    assert prefix_of(options, "explained").name == f"{prefix}_explained"


@pytest.mark.parametrize("here", [".", "./", "../parts", "../parts/."])
def test_a_folder_of_parts_may_be_the_one_one_is_in(tmp_path, monkeypatch, here):
    (tmp_path / "parts").mkdir()
    monkeypatch.chdir(tmp_path / "parts")
    options = argparse.Namespace(file=Path(here), output=None)
    assert prefix_of(options, "explained") == Path("parts_explained")


def test_ranks_have_a_column_only_where_they_say_something():
    shown, rng = [], np.random.default_rng(0)
    for effect in (0.0, 3.0):
        frame = pd.DataFrame(rng.standard_normal((200, 4)), columns=list("abcd"))
        frame["y"] = effect * frame["a"] + rng.standard_normal(200)
        found = losaw.explain(frame, "y", methods="pfi", **QUICK | {"folds": 10})
        ranks = found.results["pfi"].ranks()
        says = bool(((ranks["best"] > 1) | (ranks["worst"] < 4)).any())
        assert ("PFI_rank" in found.to_frame()) == says
        shown.append(says)
    assert shown == [False, True]
