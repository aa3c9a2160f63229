"""Figures show the collected numbers, are the same bytes every time, and check their options."""

import contextlib
import string

import matplotlib
import matplotlib.colors
import matplotlib.image
import numpy as np
import pytest
from PIL import Image

from losaw.study.errors import StudyError
from losaw.study.report import figures
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FIRST, SECOND, SIGNAL, THIRD, new_figure, save
from losaw.study.report.typeset import math_label
from losaw.study.request.grid import Study
from losaw.support.errors import LosawError

from .conftest import STUDY, read_study, study_of

COLOURS = (FIRST, SECOND, SIGNAL, THIRD, "#CC79A7")


def test_a_figure_is_the_same_bytes_whatever_the_users_settings_and_the_time(made_of, tmp_path):
    study, results = made_of("losaw_figure_1")
    figures.write_figures(study, results, tmp_path / "first")
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "savefig.dpi": 30}):
        figures.write_figures(study, results, tmp_path / "second")
        assert matplotlib.rcParams["font.size"] == 20
    first, second = (sorted((tmp_path / name).iterdir()) for name in ("first", "second"))
    pdf, png = (path.read_bytes() for path in first)
    assert [pdf, png] == [path.read_bytes() for path in second]
    assert len(pdf) > 5000 and len(png) > 5000 and b"CreationDate" not in pdf
    # A palette makes the report a third as large, and white paper stays white.
    with Image.open(first[1]) as picture:
        assert picture.mode == "P"
        assert picture.info["dpi"] == pytest.approx((200, 200), abs=0.1)
        assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


MISTAKES = {
    "losaw_figure_1": [
        (
            "drawing: score-bars",
            "drawing: score-bar",
            r"losaw_figure_1\.yaml: line 37: figures\.figure_1\.drawing: "
            r"unknown drawing 'score-bar'; did you mean 'score-bars'\?",
        ),
        (
            "panels: correlation",
            "panel: correlation",
            r"yaml: line 42: figures\.figure_1\.options\.panel: unknown option 'panel'; "
            r"did you mean 'panels'\?",
        ),
        (
            "{learner: RF, importances",
            "{learner: RFF, importances",
            r"yaml: line 42: figures\.figure_1\.options\.learner: unknown learner 'RFF'; "
            r"did you mean 'RF'\?",
        ),
        (
            "importances: [mdi], ",
            "",
            r"yaml: line 42: figures\.figure_1\.options: missing: 'importances'",
        ),
        (
            "spread: interval",
            "spread: intervals",
            r"options\.spread: unknown value 'intervals'; did you mean 'interval'",
        ),
        ("RF, importances: [mdi]", "RF, importances: mdi", r"options\.importances: .* got 'mdi'"),
        *[
            ("panels: correlation", f"panels: correlation, where: {where}", f"where{message}")
            for where, message in (
                ("{correlations: identity}", r"\.correlations: .* did you mean 'correlation'\?"),
                (
                    "{correlation: identiti}",
                    r"\.correlation: unknown correlation 'identiti'; did you mean 'identity'",
                ),
                ("correlation", ": expected a mapping, {key: value}, got 'correlation'"),
            )
        ],
    ],
    "cpi_figure2": [
        ("X4 (relevant): [rejected_X4]", "X4: [rejected_X5]", "unknown metrics 'rejected_X5'"),
        ("X4 (relevant): [rejected_X4]", "X4: [a, b, c, d]", "at most 3 items .* not 4"),
    ],
    "losaw_figure_2": [
        (
            "mdi, metrics: [r2_test, pr_auc]",
            "mdi, metrics: [r2_test]",
            r"yaml: line 42: figures\.figure_2\.options\.metrics: .* at least 2 .*\['r2_test'\]",
        ),
    ],
}


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [(name, *row) for name, rows in MISTAKES.items() for row in rows],
)
def test_a_mistake_in_a_figures_entry_is_found_before_anything_runs(
    tmp_path, name, old, new, message
):
    text = study_of(name).source.path.read_text()
    assert text.count(old) == 1, old
    path = tmp_path / f"{name}.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(StudyError, match=message):
        figures.check_figures(Study(path))


@pytest.mark.parametrize(
    ("key", "of_r2", "message"),
    [
        ("table_1", "{}", r"figures\.table_1: is the name of a table; choose another name"),
        *(
            ("a", f"{{summary: {summary}}}", "unknown metric that ranks methods 'r2_test' .*pr_auc")
            for summary in ("median", "sd", 0.9)
        ),
        ("a", "{metric: feature_score, features: [X1]}", "that ranks methods 'r2_test'"),
        ("a", "{}", ""),
    ],
)
def test_a_figure_has_a_name_of_its_own_and_ranks_by_what_judges(tmp_path, key, of_r2, message):
    options = "{drawing: ranking, options: {metrics: [pr_auc, r2_test]}}"
    text = STUDY.replace("[r2_test, pr_auc]", f"{{r2_test: {of_r2}, pr_auc: {{}}}}")
    made = read_study(tmp_path, f"{text}figures: {{{key}: {options}}}\n")
    with pytest.raises(StudyError, match=message) if message else contextlib.nullcontext():
        figures.check_figures(made)


@pytest.mark.parametrize("form", ["Humidity_{0}", "A{0}_x", "A{0}b_x", "X{0}", "A_x, {0}", "{0}"])
def test_a_label_with_any_sign_can_be_drawn(form):
    figure = new_figure(1.0)
    for sign in [*string.punctuation, "²", "é", "λ"]:
        figure.text(0, 0, math_label(form.format(sign)))
    figure.canvas.draw()


def test_missing_and_empty_results_are_named(tmp_path):
    study = study_of("losaw_figure_1")
    (tmp_path / "summary.csv").touch()
    with pytest.raises(LosawError, match=r"summary\.csv: cannot be read"):
        StudyResults(tmp_path).summary  # noqa: B018
    with pytest.raises(LosawError, match=r"scores\.parquet: no such file"):
        figures.write_figures(study, StudyResults(tmp_path), tmp_path)


@pytest.mark.parametrize("rare", COLOURS[1:3])
def test_a_line_of_few_pixels_keeps_its_colour_among_many(tmp_path, rare):
    figure = new_figure(4.0)
    ax = figure.subplots()
    for index, colour in enumerate([one for one in COLOURS if one != rare] * 4):
        ax.fill_between([0, 1, 2], [0, index, 1], [3, 9, index], color=colour, alpha=0.25)
        ax.plot([0, 1, 2], [index, 5, 9], color=colour)
    ax.plot([1.0, 1.05], [4.0, 4.0], color=rare)
    save(figure, tmp_path / "lines.png")
    drawn = matplotlib.image.imread(tmp_path / "lines.png")[..., :3]
    distance = np.abs(drawn - matplotlib.colors.to_rgb(rare)).max(axis=2)
    assert (distance <= 2 / 255).sum() > 5
