"""A table says of every cell what was printed, found, and whether they agree, as papers do."""

import io
import math
import re
from dataclasses import replace

import pandas as pd
import pytest

from losaw.study.metrics import of_predictions
from losaw.study.report import typeset
from losaw.study.report.tables import (
    arrange,
    cell_text,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    write_tables,
)
from losaw.study.request.grid import Study

from .conftest import STUDY, read_study

MARKDOWN = """\
# Table 1

a made table

| model | metric | N = 100<br>RF | N = 100<br>losawRF | N = 1000<br>RF | N = 1000<br>losawRF |
|:---|:---|:---:|:---:|:---:|:---:|
| f3 | R²_test | **.530** → **.532** (.007) z +0.3 40 runs ✓ | .520 → .500 (.008) z -2.4 40 runs \
! | .900 → .881 (–) z – 1 run | .881 (.002) 4 runs |
| | pr-AUC | .417 → .417 (.000) z +0.0 40 runs ? | **.543** → **.700** \
(.031) z +4.9 40 runs ✗ | .417 → not run | not run |
"""
ENDING = """
Of 6 cells, 1 differs from the published value (|z| > 3), 1 deviates (2 < |z| ≤ 3), 1 is \
undecided, 1 agrees within the margin, 1 has no error to judge by, \
1 was not run.

A note on 100 % of it.
"""


@pytest.fixture
def table(study, comparison):
    return arrange(study, "table_1", comparison)


def arranged(study, cells, **layout):
    """The table of the cells in another layout."""
    study.file.tables["table_1"] = study.file.tables["table_1"].model_copy(update=layout)
    return arrange(study, "table_1", cells)


def cell(table, metric, n_samples, method):
    cells = table.cells
    here = (cells["metric"] == metric) & (cells["n_samples"] == n_samples)
    return cells[here & (cells["method"] == method)].iloc[0]


def test_the_markdown_table_reads_as_expected_with_its_counts_and_its_note(table):
    text = to_markdown(table)
    assert text.startswith(MARKDOWN) and text.endswith(ENDING)


def test_a_small_printed_number_has_its_decimals(study, comparison):
    columns, own = ["published", "reproduced", "mc_se"], comparison["metric"] == "r2_test"
    comparison.loc[own, columns] *= 1e-4
    text = to_markdown(arrange(study, "table_1", comparison))
    assert re.search(r"\.000053\d*\*\* → \*\*\.000053", text)


def test_the_best_reproduced_method_is_bold_and_the_printed_one_by_itself(study, comparison):
    comparison.loc[0, "reproduced"] = 0.4
    rated = arrange(study, "table_1", comparison)
    rf, losaw = (cell(rated, "r2_test", 100, method) for method in ("RF", "losawRF"))
    assert (rf.best, losaw.best) == (False, True)
    assert (rf.published_best, losaw.published_best) == (True, False)


def test_bold_numbers_are_explained_where_there_are_any(table):
    assert "Bold: the best method of its setting and metric." in table.legend
    for ours, published in ((True, False), (False, True), (False, False)):
        cells = table.cells.assign(best=ours, published_best=published)
        assert ("Bold" in replace(table, cells=cells).legend) == (ours or published)


def test_less_is_better_where_the_metric_says_so(study, comparison, monkeypatch):
    less = replace(of_predictions.r2_test, higher_is_better=False)
    monkeypatch.setattr(of_predictions, "r2_test", less)
    assert cell(arrange(study, "table_1", comparison), "r2_test", 100, "losawRF").best


@pytest.mark.parametrize("how", ["it describes", "its deviation", "of features"])
def test_a_metric_that_describes_and_ranks_no_methods_has_no_best_one(
    study, comparison, monkeypatch, how
):
    method = study.metrics["r2_test"]
    if how == "it describes":
        describes = replace(of_predictions.r2_test, ranks_methods=False)
        monkeypatch.setattr(of_predictions, "r2_test", describes)
    elif how == "its deviation":  # the largest spread is no merit
        monkeypatch.setitem(study.summaries, "r2_test", "sd")
    else:  # a rate of rejections of noise is none either
        named = replace(method, parameters={"features": ["X1"]})
        monkeypatch.setitem(study.metrics, "r2_test", named)
    cells = arrange(study, "table_1", comparison).cells
    assert not cells.loc[cells["metric"] == "r2_test", ["best", "published_best"]].any().any()


def test_two_equal_leaders_of_three_are_both_bold(study, comparison):
    third = comparison.iloc[[1]].assign(method="third", reproduced=0.532)
    rated = arrange(study, "table_1", pd.concat([comparison, third]))
    best = [cell(rated, "r2_test", 100, m).best for m in ("RF", "losawRF", "third")]
    assert best == [True, False, True]


def test_columns_follow_the_layout_and_not_the_grid(study, comparison):
    layout = {"rows": ["metric"], "columns": ["function", "n_samples", "method"]}
    both = pd.concat([comparison, comparison.assign(function="f4")])
    grid_order = both.sort_values("n_samples", kind="stable")
    frame = arranged(study, grid_order, **layout).frame(cell_text, str)
    assert [column[:2] for column in frame.columns] == [
        (function, f"N = {n}") for function in ("f3", "f4") for n in (100, 1000) for _ in range(2)
    ]


@pytest.mark.parametrize(("printed", "shown"), [(2, 2), (4, 4), (6, 4), (9, 4)])
def test_decimals_are_those_of_print_as_far_as_our_errors_tell(study, comparison, printed, shown):
    values = comparison["published"].round(2) + 10.0**-printed
    comparison["published"] = values.round(printed)
    assert arrange(study, "table_1", comparison).decimals == {"pr_auc": shown, "r2_test": shown}


@pytest.mark.parametrize(
    ("factor", "decimals", "best"), [(1, 3, 1), (1e-4, 8, 1), (1e-5, 8, 1), (1e-9, 8, 0)]
)
def test_small_numbers_of_ours_are_shown_and_compared(study, comparison, factor, decimals, best):
    cells = comparison[comparison["metric"] == "r2_test"].assign(published=math.nan)
    cells["reproduced"] *= factor
    cells["mc_se"] *= factor / 2
    table = arrange(study, "table_1", cells)
    assert table.decimals == {"r2_test": decimals}
    assert table.cells["best"].sum() == best  # what looks equal is equal


def test_a_table_with_values_in_print_counts_the_cells_that_are_kept_of_it(study, comparison):
    table = arrange(study, "table_1", comparison)
    kept = arrange(study, "table_1", comparison[comparison["published"].notna()])
    assert kept.counts_line == table.counts_line
    ours = arrange(study, "table_1", comparison.assign(published=math.nan, verdict="not printed"))
    assert ours.counts_line == "Of 8 cells, 8 have no published value."


@pytest.mark.parametrize(("of_paper", "published"), [("A paper", 1), (None, 1), (None, math.nan)])
def test_a_table_is_of_the_paper_where_there_is_one(tmp_path, comparison, of_paper, published):
    study = read_study(tmp_path, STUDY + (f"paper: {of_paper}\n" if of_paper else ""))
    text = to_latex(arrange(study, "table_1", comparison.assign(published=published)))
    said = r"\caption{a made table (Table 1 of the paper)}" in text
    assert said == bool(of_paper or published == 1) != (r"\caption{a made table}" in text)


@pytest.mark.parametrize("label", ["[a, b]", "*a", "[", "a[1]"])
def test_a_head_of_a_row_is_no_option_of_latex(study, comparison, label):
    study.file.labels.update({"f3": label, "function": label})
    lines = to_latex(arrange(study, "table_1", comparison)).splitlines()
    assert not [line for line in lines if line.lstrip().startswith(("[", "*"))]
    assert any(line.startswith((label, f"{{}}{label}")) for line in lines)


def test_two_rows_of_headings_may_have_one_name(study, comparison):
    study.file.labels["metric"] = "RF"  # as a method
    table = arranged(study, comparison, rows=["metric", "n_samples"], columns=["method"])
    assert "| RF | N | RF | losawRF |" in to_markdown(table)


def test_the_csv_keeps_every_number_at_full_precision(table, comparison):
    frame = pd.read_csv(io.StringIO(to_csv(table)))
    keys = ["function", "metric", "n_samples", "method"]
    both = comparison.merge(frame, on=keys, suffixes=("", "_csv"), validate="one_to_one")
    assert len(both) == len(frame) == len(comparison)
    for name in ("published", "reproduced", "mc_se", "n_seeds", "z", "verdict"):
        pd.testing.assert_series_equal(both[name], both[f"{name}_csv"], check_names=False)


def test_latex_has_one_heading_over_the_columns_it_holds_for_and_marks_bold_numbers(table):
    text = to_latex(table)
    assert r" &  & \multicolumn{2}{c}{N = 100} & \multicolumn{2}{c}{N = 1000} \\" in text
    assert r" &  & RF & losawRF & RF & losawRF \\" in text
    assert r"\textbf{.543} $\to$ \textbf{.700} (.031) z +4.9 40 runs $\times$" in text


def test_html_has_a_class_for_each_verdict_and_the_published_value_below_ours(table):
    text = to_html(table)
    assert text == to_html(table) and "<style" not in text
    for verdict, count in table.cells["verdict"].value_counts().items():
        kind = "absent" if verdict == "not run" else verdict.replace(" ", "-")
        assert text.count(f' {kind}"') == count
    assert "<b>.700</b> (.031) ✗<small><b>.543</b>, z +4.9, 40 runs</small>" in text


def test_latex_is_escaped(study, comparison):
    text = to_latex(arranged(study, comparison, caption="50 % & a_b #1 {x} ~ \\ $"))
    assert (
        r"\caption{50 \% \& a\_b \#1 \{x\} \textasciitilde{} \textbackslash{} \$ (Table 1" in text
    )


def test_braces_and_environments_of_latex_are_balanced(table):
    text = to_latex(table).replace("\\\\", "").replace(r"\{", "").replace(r"\}", "")
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin{") == text.count(r"\end{")


def test_a_cell_of_markdown_is_escaped(study, comparison):
    renamed = comparison.assign(method=comparison["method"].replace("RF", "a|b*"))
    assert r"a\|b\*" in to_markdown(arrange(study, "table_1", renamed))


def test_tables_read_back_from_csv_are_the_same_bytes(study: Study, comparison, tmp_path):
    write_tables(study, comparison, tmp_path / "direct")
    text = comparison.to_csv(index=False)
    back = pd.read_csv(io.StringIO(text))
    write_tables(study, back, tmp_path / "back")
    names = sorted(path.name for path in (tmp_path / "direct").iterdir())
    assert names == ["table_1.csv", "table_1.md", "table_1.tex"]
    for name in names:
        assert (tmp_path / "direct" / name).read_bytes() == (tmp_path / "back" / name).read_bytes()


def test_a_study_without_tables_leaves_an_empty_folder(study, comparison, tmp_path):
    study.file.tables.clear()
    folder = tmp_path / "not" / "there"
    for _ in range(2):  # the second time it is there
        write_tables(study, comparison, folder)
    assert list(folder.iterdir()) == []


def test_a_head_of_several_rows_stands_in_the_first(study, comparison):
    other = comparison.assign(function="another")
    table = arrange(study, "table_1", pd.concat([comparison, other[other["metric"] == "pr_auc"]]))
    lines = to_latex(table).splitlines()
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" & ")[0].strip() for line in body] == ["f3", "", "another"]
    lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")][2:]
    assert [line.split("|")[1].strip() for line in lines] == ["f3", "", "another"]
    assert lines[2].split("|")[3].strip() == ".417 → .417 (.000) z +0.0 40 runs ?"


def test_a_heading_is_what_the_study_file_has(study, comparison):
    study.file.settings[:] = [{**entry, "n_samples": [100, 2.5]} for entry in study.file.settings]
    study.file.labels["100"] = "many"
    cells = comparison.replace({"n_samples": {1000: 2.5, 100: 100.0}})
    heading = to_markdown(arrange(study, "table_1", cells)).splitlines()[4]
    assert heading.count("N = many<br>") == heading.count("N = 2.5<br>") == 2


def test_a_head_of_one_row_is_a_word_in_every_form(study, comparison):
    rows, columns = ["function", "metric", "n_samples"], ["method"]
    table = arranged(study, comparison, rows=rows, columns=columns)
    assert ">losawRF</th>" in to_html(table)
    assert "| RF | losawRF |" in to_markdown(table)
    assert " &  &  & RF & losawRF" in to_latex(table)


def test_a_combination_that_there_is_not_is_empty(study, comparison):
    table = arrange(study, "table_1", comparison.iloc[:-1])
    assert (table.frame(cell_text, str) == "").to_numpy().sum() == 1


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.53, 3, ".530"),
        (-0.53, 3, "-.530"),
        (1.0, 3, "1.000"),
        (0.9996, 3, "1.000"),
        (-0.0001, 3, ".000"),
        (10.5, 1, "10.5"),
        (math.nan, 3, ""),
        (math.inf, 3, ""),
    ],
)
def test_numbers_lose_the_leading_zero(value, decimals, text):
    assert typeset.number(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.34, "+0.3"), (-2.36, "-2.4"), (-0.01, "+0.0"), (math.nan, "–")]
)
def test_signed_numbers_never_show_a_negative_zero(value, text):
    assert typeset.signed(value) == text


def test_labels_are_escaped_and_what_follows_an_underscore_of_a_symbol_is_a_subscript():
    assert typeset.html_label("R²_test") == "R²<sub>test</sub>"
    assert typeset.latex_label("R²_test") == r"R\textsuperscript{2}\textsubscript{test}"
    assert typeset.math_label("R²_test") == r"$\mathrm{R}^2_{\mathrm{test}}$"
    assert typeset.html_label("R²_ind, own noise") == "R²<sub>ind</sub>, own noise"
    assert typeset.math_label("R²_ind, own noise") == r"$\mathrm{R}^2_{\mathrm{ind}}$, own noise"
    assert typeset.latex("λ γ μ ε δ ≠ φ Ω") == (
        r"$\lambda$ $\gamma$ $\mu$ $\varepsilon$ $\delta$ $\ne$ $\varphi$ $\Omega$"
    )
    assert typeset.html_label("n_samples") == "n_samples"
    assert typeset.latex_label("n_samples") == r"n\_samples"
    assert typeset.html_label("<b> & R") == "&lt;b&gt; &amp; R"
