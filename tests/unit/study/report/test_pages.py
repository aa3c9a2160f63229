"""Pages show the finding, the tables, the claims and what fails, in HTML and in Markdown alike."""

import html
import json
import math
import re
import shutil
from dataclasses import dataclass

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from losaw.study.claims.claim_file import check_claims
from losaw.study.errors import StudyError
from losaw.study.registry import entries
from losaw.study.report.headline import check_pair
from losaw.study.report.keeping import compare_again, keep
from losaw.study.report.page import paper
from losaw.study.report.page.design import design, first_sentence
from losaw.study.report.page.front import front_page, in_short, write_pages
from losaw.study.report.page.paper import paper_page, verdict_tiles
from losaw.study.report.page.parts import Page
from losaw.study.report.page.stored import Shelf
from losaw.study.report.tables import write_tables
from losaw.study.request.grid import Study
from losaw.support.errors import LosawError
from reference.repository import REPOSITORY

from .conftest import CONFIG, STUDY, made_comparison, read_study

CLAIMS = """
paper: "Nobody: On nothing"
title: On nothing & <more>
studies: [made]
claims:
  - {says: forests predict, place: Section 1, study: made, metric: r2_test, method: RF,
     relation: above, than: -1000}
  - {says: weights hurt, place: Section 2, study: made, metric: r2_test, method: losawRF,
     relation: above, than: {method: RF}, margin: 1000}
does_not_reproduce: [the weather]
decisions:
  - {point: "trees, or <forests>", decided: forests, why: they are there, otherwise: not measured,
     studies: [made]}
not_checked: [a conjecture]
"""
PAGES = sorted((REPOSITORY / "reference").glob("*.md"))
PICTURE = b"\x89PNG of a drawing"


@pytest.fixture(scope="module", autouse=True)
def drawn():
    """Who draws the picture of a page has a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "draw_replication", lambda *of: PICTURE)
        yield


def make_shelf(tmp_path):
    """The made study, as a run leaves it."""
    folder = tmp_path / "config"
    for name in ("studies", "claims", "published"):
        (folder / name).mkdir(parents=True)
    figure = "figures: {figure_9: {drawing: weighted-split, caption: a split & its <weights>}}\n"
    (folder / "studies" / "made.yaml").write_text(STUDY + figure + "notes: [grown by hand]\n")
    (folder / "claims" / "nobody.yaml").write_text(CLAIMS)
    study, comparison = read_study(tmp_path, STUDY), made_comparison()
    place = tmp_path / "results" / "made"
    place.mkdir(parents=True)
    rows = [
        {"study": "made", "setting_id": setting.identifier, **setting.axes, "learner": method,
         "importance": "mdi" if metric == "pr_auc" else None, "method": method, "metric": metric,
         "n_seeds": 40, "n_failed": 0, "mean": mean, "sd": 0.1, "mc_se": 0.1 / 40**0.5}
        for setting in study.settings
        for metric in ("r2_test", "pr_auc")
        for method, mean in (("RF", 0.5), ("losawRF", 0.7))
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(place / "summary.csv", index=False)
    differences = [
        {"method": "RF", "minus": other, "setting_id": setting.identifier, **setting.axes,
         "metric": metric, "n_seeds": 40, "difference": -difference, "mc_se": error}
        for setting, (difference, error) in zip(
            study.settings, ((0.3, 0.03), (-0.1, 0.04)), strict=True
        )
        for metric in ("r2_test", "pr_auc")
        for other in ("another", "losawRF")
    ]  # fmt: skip
    pd.DataFrame(differences).to_csv(place / "differences.csv", index=False)
    comparison.to_csv(place / "comparison.csv", index=False)
    write_tables(study, comparison, place / "tables")
    manifest = {
        "scale": "desk", "commit": "abc", "seeds": [2, 4], "fits": 8, "failed_rows": 1,
        "failures": {"ValueError: <no> way": 1}, "left_out": {"cforest": "R is missing"},
        "core_seconds": 36.0, "libraries": {"numpy": "2"},
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "figures" / "made").mkdir(parents=True)
    (tmp_path / "figures" / "made" / "figure_9.png").write_bytes(PICTURE)
    return Shelf(tmp_path / "results", folder, tmp_path / "figures")


@pytest.fixture
def shelf(tmp_path):
    return make_shelf(tmp_path)


def reread(shelf):
    """What is in its files now."""
    return Shelf(shelf.folder, shelf.configuration)


def edited(shelf, old, new):
    """The shelf with a place of its study file changed."""
    file = shelf.configuration / "studies" / "made.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    return reread(shelf)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return paper_page(make_shelf(tmp_path_factory.mktemp("page")), "nobody").html()


def test_an_axis_may_have_the_name_of_what_a_page_adds_to_its_cells(shelf, page):
    files = [*shelf.folder.glob("made/*.csv"), shelf.configuration / "studies" / "made.yaml"]
    for file in files:
        file.write_text(file.read_text().replace("function", "outcome"))
    again = Shelf(shelf.folder, shelf.configuration, shelf.figures)
    html = paper_page(again, "nobody").html()
    assert html.count("<td>N = 100, f3</td>") == page.count("<td>N = 100, f3</td>") > 0
    assert front_page(again, "report").html()


def test_a_page_begins_with_the_finding(shelf, page, tmp_path):
    said = "mean difference over 2 settings (paired): R²_test +.100 (.025), higher in 1; pr-AUC +"
    front = front_page(shelf, "report").html()
    head = page[page.index("<h1>") : page.index('<div class="tiles">')]
    assert said in head and "<b>losawRF against RF</b>" in head
    link = front.index('<a href="nobody.html">')
    assert said in front[link:] and front.count('class="tile"') == 6 == page.count('class="tile"')
    # Without paired differences, from the means: .7 - .5 with an error of .1 / 40 ** .5 each.
    (shelf.folder / "made" / "differences.csv").unlink()
    again = front_page(reread(shelf), "report").html()
    assert "independent): R²_test +.200 (.016), higher in 2;" in again
    again = front_page(edited(shelf, "compare: [losawRF, RF]\n", ""), "report").html()
    assert "mean difference" not in again


def test_the_description_of_a_report_has_what_was_found_which_the_end_of_a_run_prints(shelf):
    lines = front_page(shelf, "report").description().splitlines()
    found = [line.split("**")[1] for line in lines if line.startswith("- ")]
    assert found == ["Reproduced", "Not reproduced", "Open"]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("[RF mdi, losawRF md]", r"1: unknown method 'losawRF md'; did you mean 'losawRF mdi'\?"),
        (
            "[RF mdi, RF mdi]",
            " must be two methods, of one learner or by one importance, got RF mdi",
        ),
        ("[losawRF mdi, RF reported]", " must be two methods"),
        ("[losawRF, RF mdi]", " must be two methods"),
        (
            "[RF mdi, RF reported]\nmargins: {r2_test: 1}",
            " no mean of a metric says of both, RF mdi and RF re",
        ),
        ("[losawRF, RF]\nmargins: {r2_test: 1}", " no mean of a metric says"),  # its median
        ("[RF]", r"1: Field required"),
        ("[losawRF, RF, RF]", " Tuple should have at most 2 items"),
    ],
)
def test_a_pair_that_cannot_be_compared_is_refused_before_anything_runs(tmp_path, pair, words):
    text = STUDY.replace("margins: {r2_test: 0.03, pr_auc: 0.1}\n", "")
    text = text.replace("[mdi]", "[mdi, reported]").replace("[losawRF, RF]", pair)
    text = text.replace("[r2_test, pr_auc]", "{r2_test: {summary: median}, pr_auc: {}}")
    with pytest.raises(StudyError, match=rf"made.yaml: line 13: compare[.:]{words}"):
        check_pair(read_study(tmp_path, text))


def test_a_claim_says_how_many_settings_of_its_scale_were_not_run(shelf):
    path = shelf.folder / "made" / "summary.csv"
    rows = pd.read_csv(path)
    rows[rows["n_samples"] == 100].to_csv(path, index=False)
    first, _ = shelf.weighed["nobody"]
    assert first.missing == ("values in 1 of 2 settings",) and first.verdict == "run in part"


def test_a_claim_of_a_study_without_results_was_not_run(shelf):
    made = shelf.configuration / "studies" / "made.yaml"
    made.with_stem("other").write_text(made.read_text().replace("study: made", "study: other"))
    claims = CLAIMS.replace("study: made", "study: other", 1)
    (shelf.configuration / "claims" / "nobody.yaml").write_text(claims)
    assert [item.verdict for item in shelf.weighed["nobody"]] == ["not run", "contradicted"]


def test_a_page_has_no_script_and_asks_nothing_of_the_network(page):
    assert not re.search(r"<script|<link [^>]*href=.[^d]|<iframe|@import|url\(|https?://", page)
    sources = re.findall(r'(?:src|srcset)="([^"]{20})', page)
    assert sources == ["data:image/png;base64"[:20]] * 3


def test_every_tag_is_closed(page):
    for tag in ("section", "details", "table", "ul", "div", "figure", "tr", "td"):
        assert len(re.findall(f"<{tag}[ >]", page)) == page.count(f"</{tag}>")


def test_cells_have_the_colour_of_their_verdict(page, comparison):
    for verdict in ("agrees", "deviates", "undecided", "differs"):
        count = int((comparison["verdict"] == verdict).sum())
        assert page.count(f' {verdict}" >') == count


@pytest.mark.parametrize(
    ("column", "value"),
    [("z", float("nan")), ("explained", "inference"), ("explained", "misprint")],
)
def test_of_what_no_chance_is_known_a_page_says_nothing_of_chance(shelf, column, value):
    path = shelf.folder / "made" / "comparison.csv"
    for cells, is_said in ((pd.read_csv(path), True), (None, False)):
        if cells is None:
            pd.read_csv(path).assign(**{column: value}).to_csv(path, index=False)
        html = front_page(reread(shelf), "report").html()
        assert ("What chance alone makes" in html) == is_said
        assert "Cells that differ or deviate" in html


def test_of_single_runs_a_page_has_no_nan(shelf):
    for name, column in (("summary", "mc_se"), ("comparison", "z")):
        path = shelf.folder / "made" / f"{name}.csv"
        pd.read_csv(path).assign(**{column: float("nan")}).to_csv(path, index=False)
    path = shelf.folder / "made" / "comparison.csv"
    cells = (
        pd.read_csv(path).assign(mc_se=float("nan"), verdict="differs").dropna(subset="reproduced")
    )
    others = cells.assign(function="f4")
    pd.concat([cells, others]).to_csv(path, index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "FEW", 2)
        html = paper_page(edited(shelf, "[f3]", "[f3, f4]"), "nobody").html()
    assert re.findall(r".{40}\bnan\b.*", html) == []
    assert ".532 (–\u2060)" in html and "Root mean square" not in html


@pytest.mark.parametrize(
    ("name", "title"),
    [
        *((f"my{sign}study", "a [b]") for sign in "-.=+"),
        *(("my-study", title) for title in ("[a]", "a] b[", "one * two * three")),
    ],
)
def test_a_front_page_in_html_has_no_link_of_markdown(shelf, name, title):
    shutil.rmtree(shelf.configuration / "claims")
    study = shelf.configuration / "studies" / "made.yaml"
    text = study.read_text().replace("study: made", f"study: {name}")
    text = text.replace("title: Numbers made up for the tests", f"title: '{title}'")
    study.with_name(f"{name}.yaml").write_text(text)
    (shelf.folder / "made").rename(shelf.folder / name)
    again = reread(shelf)
    assert again.undecided  # in a file that a run does not write
    html_page = front_page(again, "report").html()
    assert "](./" not in html_page
    shown = html.unescape(html_page)
    assert f'<a href="{name}.html">{title}</a>' in shown.replace("<i>", "*").replace("</i>", "*")


def test_files_of_what_is_decided_now_are_removed(shelf, tmp_path):
    front = tmp_path / "overview.md"
    write_pages(shelf, front)
    files = [tmp_path / name for name in ("undecided.csv", "claims.csv")]
    assert all(file.is_file() for file in files)
    path = shelf.folder / "made" / "comparison.csv"
    pd.read_csv(path).assign(verdict="agrees").to_csv(path, index=False)
    (shelf.configuration / "claims" / "nobody.yaml").unlink()
    write_pages(reread(shelf), front)
    assert not any(file.exists() for file in files)


@pytest.mark.parametrize("label", ["losaw*", "*R", "a|b", "a`b", "R<1", "a\\\\b", "[x]"])
def test_a_label_is_no_markup(shelf, label):
    more = f"labels: {{losawRF: '{label}', RF: 'RF*', "
    page = paper_page(edited(shelf, "labels: {", more), "nobody")
    shown = html.escape(label, quote=False)
    said = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), page.html())
    assert f"<b>{shown} against RF*</b>, mean" in said and f"<td>{shown}</td>" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"\*a\* *b*", "&#42;a&#42; <i>b</i>"),
        ("`a*b*` **c**", "<code>a&#42;b&#42;</code> <b>c</b>"),
        (r"`\*`", "<code>&#92;&#42;</code>"),
        (r"\`a\`", "&#96;a&#96;"),
        ("[a `b`](./c-d.md)", '<a href="c-d.html">a <code>b</code></a>'),
        (r"[\[a\]](./b.md)", '<a href="b.html">&#91;a&#93;</a>'),
        (r"a \< b", "a &lt; b"),
    ],
)
def test_marks_of_markdown_are_marks_unless_escaped_or_in_code(text, said):
    assert Page("a", "b", [text]).html().count(f"<p>{said}</p>") == 1


def test_a_frame_has_a_line_for_each_row_and_a_column_for_each_heading(tmp_path):
    frame = pd.DataFrame({"P(Y|X)": ["two\nlines", "a|b", r"c\|d"], "x": ["", "y", "z"]})
    lines = Page("a", "b", [frame]).markdown(tmp_path).splitlines()[2:]
    assert lines == [
        r"| P(Y\|X) | x |", "|:---|:---|", "| two lines | |", r"| a\|b | y |", r"| c\|d | z |"
    ]  # fmt: skip


def test_a_small_difference_of_the_headline_is_not_zero(shelf):
    path = shelf.folder / "made" / "differences.csv"
    frame = pd.read_csv(path)
    frame[["difference", "mc_se"]] *= 4e-4
    frame.to_csv(path, index=False)
    html = front_page(reread(shelf), "report").html()
    assert "R²_test +.000040 (.000010), higher in 1" in html


def test_a_page_has_the_ranks_of_methods_that_share_no_setting(shelf):
    lines = [
        f"{of},{method},9,1,2,1.5,.5,,,1" for of in (100, 1000) for method in ("RF", "losawRF")
    ]
    (shelf.folder / "made" / "ranking.csv").write_text(
        "\n".join(
            ["of,method,seeds,best_place,worst_place,rank,mean,found,false,seconds", *lines, ""]
        ).replace("100,losawRF,9,1,2", "100,losawRF,9,2,2")
    )
    ranked = edited(shelf, "notes:", "ranking: {metric: pr_auc, by: n_samples}\nnotes:")
    text = paper_page(ranked, "nobody").markdown(shelf.folder)
    assert "| method | 100 | 1000 | CPU s |" in text and "| losawRF | 1.5 | 1.5 |" in text
    assert "| RF | **1.5** | 1.5 |" in text  # its places are in the file


@pytest.mark.parametrize(
    ("size", "means"), [(1.0, ".5000 (.0100)"), (1e-5, ".00000500 (.00000010)")]
)
def test_an_error_of_a_rank_is_zero_only_if_there_is_none(shelf, monkeypatch, size, means):
    errors = (0.0, 0.0001, 0.004, 0.006)
    rows = [
        {"metric": "r2_test", "method": "RF", "settings": 1, "seeds": 500, "mean": 0.5 * size,
         "mean_se": 0.01 * size, "rank": 1.0, "rank_se": e, "best_place": 1, "worst_place": 1}
        for e in errors
    ]  # fmt: skip
    monkeypatch.setattr(paper, "rank_methods", lambda *of: pd.DataFrame(rows))
    results = pd.DataFrame({"learner": [], "importance": [], "metric": [], "value": []})
    results.assign(setting_id="", seed=0, status="ok").to_parquet(
        shelf.folder / "made" / "results.parquet"
    )
    page = html.unescape(paper_page(shelf, "nobody").html())
    assert re.findall(r">1\.00 (\(.*?\))<", page) == ["(.00)", "(< .01)", "(< .01)", "(.01)"]
    assert page.count(f">{means}<") == len(errors)


def test_cells_that_differ_are_counted_by_what_explains_them(shelf, tmp_path):
    path = shelf.folder / "made" / "comparison.csv"
    cells = pd.read_csv(path).astype({"explained": object})
    cells.loc[cells["verdict"] == "differs", "explained"] = "misprint"
    cells.to_csv(path, index=False)
    pages = write_pages(reread(shelf), tmp_path / "overview.md")
    front, paper = (page.read_text("utf-8") for page in pages)
    line = next(text for text in front.splitlines() if "differ or deviate |" in text)
    heads = (
        "| differ or deviate | misprint | unstated | inference | chance | open | not explained |"
    )
    assert line.endswith(heads)
    assert "| [nobody](./nobody.md) | 2 | 1 | 0 | 0 | 0 | 0 | 1 |" in front
    assert "- 1 (misprint): nothing is known of why" in paper


@pytest.mark.parametrize(
    ("metric", "counts"),
    [
        *((metric, "5 | 2 | 4 | 4") for metric in ("pr_auc", "fi_gap")),
        *((metric, "3 | 1 | 3 | 3") for metric in ("signal_rank", "signal_size")),
    ],
)
def test_distances_are_counted_of_metrics_with_a_largest_value_of_1(
    shelf, tmp_path, metric, counts
):
    metrics = f"metrics: {{r2_test: {{}}, pr_auc: {{metric: {metric}}}}}"
    measured = edited(shelf, "metrics: [r2_test, pr_auc]", metrics)
    front, _ = write_pages(measured, tmp_path / "overview.md")
    line = next(text for text in front.read_text("utf-8").splitlines() if "| [nobody]" in text)
    assert line.endswith(f"| {counts} |")


def test_cells_of_readings_that_are_not_counted_are_counted_and_not_listed(shelf, tmp_path):
    pages = write_pages(edited(shelf, "notes:", "counted: false\nnotes:"), tmp_path / "overview.md")
    paper = pages[1].read_text("utf-8")
    assert "by what is known of them: 0" in paper and "- 1: nothing" not in paper
    assert "2 more, of readings that are not counted, are in comparison.csv." in paper


def test_the_main_table_and_figure_stand_first_and_the_table_is_open(shelf):
    claims, text = shelf.configuration / "claims" / "nobody.yaml", CLAIMS
    for named, shown in (("", 2), ("[made/figure_9]", 1), ("[made/figure_9, made/table_1]", 2)):
        claims.write_text(f"{text}shown_first: {named}\n" if named else text)
        page = paper_page(Shelf(shelf.folder, shelf.configuration, shelf.figures), "nobody").html()
        head, _, rest = page.partition("What does not reproduce")
        figure, table = "split &amp; its", "a made table"
        assert (table in head) == (head.count("<details open>") == 1) == (shown == 2)
        assert (figure in head) == (named != "[made/table_1]") and (table in rest) == (shown == 1)
    claims.write_text(f"{text}shown_first: [made/table_2]\n")
    with pytest.raises(StudyError, match=r"shown_first.0: unknown table or figure 'made/table_2'"):
        check_claims(shelf.configuration, ["made"])


@pytest.mark.parametrize(
    ("verdict", "more", "outcome"),
    [
        ("undecided", "40", "undecided"),
        ("undecided", "never", "cannot be decided by runs"),
        ("undecidable", "never", "cannot be decided by runs"),
        ("undecidable", "40", "undecided"),
        ("agrees", "", "agrees"),
        ("no error at hand", "", "no error at hand"),
    ],
)
def test_what_no_number_of_runs_can_decide_is_said_apart(shelf, verdict, more, outcome):
    path = shelf.folder / "made" / "comparison.csv"
    cells = pd.read_csv(path).astype({"runs_to_decide": object})
    cells["verdict"], cells["runs_to_decide"] = verdict, more
    cells.loc[cells["published"].notna() & cells["reproduced"].notna()].to_csv(path, index=False)
    again = reread(shelf)
    cells = again.compared("nobody")
    assert set(cells["outcome"]) == {outcome} and len(cells) == 5
    share = [text for text, what in verdict_tiles(cells)[0].tiles if "cannot be decided" in what]
    assert share == ["100 %" if outcome.startswith("cannot") else "0 %"]


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((100, 1000), ""),
        (
            (100, 2000),
            "1 printed number has no cell in the tables, and is not compared",
        ),
        ((100, 2000, 3000), "2 printed numbers have no cell"),
    ],
)
def test_printed_numbers_without_a_cell_are_counted_on_the_page(shelf, sizes, said):
    path, folder = shelf.configuration / "studies" / "made.yaml", shelf.configuration / "published"
    path.write_text(path.read_text() + "published: made.csv\n")
    folder.mkdir(exist_ok=True)
    lines = [f"table_1,{size},f3,r2_test,RF,.5,1,9\n" for size in sizes]
    heading = "table,n_samples,function,metric,method,published,decimals,published_runs\n"
    (folder / "made.csv").write_text(heading + "".join(lines))
    page = paper_page(Shelf(shelf.folder, shelf.configuration), "nobody").html()
    assert ("not compared" in page) == bool(said) and said in page


def test_a_printed_number_that_another_study_of_the_page_compares_is_not_said_to_be_lost(shelf):
    studies, folder = shelf.configuration / "studies", shelf.configuration / "published"
    folder.mkdir(exist_ok=True)
    heading = "table,n_samples,function,metric,method,published,decimals,published_runs\n"
    lines = [f"table_1,{size},f3,r2_test,RF,.5,1,9\n" for size in (100, 2000)]
    (folder / "made.csv").write_text(heading + "".join(lines))
    text = (studies / "made.yaml").read_text() + "published: made.csv\ncounted: false\n"
    (studies / "made.yaml").write_text(text)
    other = text.replace("study: made", "study: other").replace("100, 1000", "2000")
    (studies / "other.yaml").write_text(other)
    (shelf.folder / "other").symlink_to(shelf.folder / "made")
    again = Shelf(shelf.folder, shelf.configuration)
    found = [
        [*paper._not_compared(again, names)] for names in (["made"], ["other"], ["made", "other"])
    ]
    assert [len(said) for said in found] == [1, 1, 0]


def test_text_is_escaped(page):
    assert html.escape("On nothing & <more>") in page
    assert html.escape("a split & its <weights>") in page


def test_claims_are_weighed_and_those_that_fail_are_said(page):
    text = re.sub(r"<[^>]+>", " ", page)
    assert re.search(r"forests predict\s+supported", text)
    assert re.search(r"weights hurt\s+contradicted", text)
    assert "the weather" in text and "Section 2: 0 for it, 2 against, 0 open; n_samples = " in text
    assert "grown by hand" in page and "A cell reads: published" in page
    assert "1 × <code>ValueError: &lt;no&gt; way</code>" in page
    assert "cforest: R is missing" in page


def test_what_a_paper_leaves_open_is_said_with_what_is_done(page):
    start = page.index("Decisions: the paper is silent")
    words = re.findall(r"<t[hd]>(.*?)</t[hd]>", page[start:])[:10]
    assert words[:5] == ["point", "decided", "why", "the other reading", "studies"]
    assert words[5:8] == ["trees, or &lt;forests&gt;", "forests", "they are there"]


def test_numbers_of_differing_cells_stand_before_their_setting(page):
    start = page.index("Cells that differ or deviate, by what is known of them: 2")
    heads = re.findall(r"<th>([^<]+)</th>", page[start:])[:5]
    assert heads == ["verdict", "published", "ours (s.e.)", "z", "metric"]


def test_a_study_without_published_values_has_no_legend_of_verdicts(shelf, tmp_path):
    shutil.rmtree(shelf.configuration / "claims")
    comparison = pd.read_csv(shelf.folder / "made" / "comparison.csv")
    ours = comparison.assign(published=float("nan"), verdict="not printed")
    ours.to_csv(shelf.folder / "made" / "comparison.csv", index=False)
    alone = reread(shelf)
    page, front = (
        path.read_text("utf-8") for path in write_pages(alone, tmp_path / "r.html")[::-1]
    )
    assert "A cell reads: published" not in page and "verdict" not in page.partition("<h1>")[2]
    assert "Methods on simulated data" in front and 'class="tile"' not in front


def test_a_folder_without_results_and_a_name_that_there_is_not_are_refused(shelf, tmp_path):
    with pytest.raises(LosawError, match="holds no results of a study"):
        write_pages(Shelf(tmp_path / "nothing", shelf.configuration), tmp_path / "report.html")
    claims = CLAIMS.replace("[made]}", "[mode]}")
    (shelf.configuration / "claims" / "nobody.yaml").write_text(claims)
    with pytest.raises(
        LosawError, match=r"nobody\.yaml: line 13: decisions\.0\.studies\.0: .*'mode'"
    ):
        write_pages(shelf, tmp_path / "report.html")


@pytest.fixture
def kept(shelf, tmp_path):
    """What is kept of the run, whose one block has two learners."""
    lines = "setting,learner,first_seed,last_seed,rows_sha256\na,RF,0,1,12ab\na,losawRF,0,1,34cd\n"
    (shelf.folder / "made" / "blocks.csv").write_text(lines)
    folder = tmp_path / "reference"
    size = keep(shelf, ["made"], folder)
    assert size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return folder


def test_kept_are_the_summary_the_printed_cells_tables_pictures_and_digests(kept, shelf):
    files = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
    assert files == [
        "made/blocks.csv", "made/comparison.csv", "made/differences.csv",
        "made/figures/figure_9.png", "made/summary.csv", "made/tables/table_1.md", "runs.csv",
    ]  # fmt: skip
    assert len(pd.read_csv(kept / "made" / "comparison.csv")) == 6
    stored = shelf.folder / "made" / "blocks.csv"
    assert (kept / "made" / "blocks.csv").read_text() == stored.read_text()
    (run,) = pd.read_csv(kept / "runs.csv").to_dict("records")
    assert (run["study"], run["fits"], run["core_hours"]) == ("made", 8, 0.01)


def test_core_hours_of_which_some_are_unknown_have_no_sum(shelf):
    path = shelf.folder / "made" / "manifest.json"
    sums = []
    for seconds in ("36.0", "null"):
        path.write_text(path.read_text().replace("36.0", seconds))
        again = reread(shelf)
        (run,) = front_page(again, "report").parts[-1].parts
        sums += run["core-hours"].tolist()
    assert sums[0] == 0.01 and math.isnan(sums[1])


def test_another_study_that_is_kept_stays_and_one_whose_results_are_damaged(kept, shelf):
    runs = pd.read_csv(kept / "runs.csv")
    pd.concat([runs, runs.assign(study="other")]).to_csv(kept / "runs.csv", index=False)
    keep(shelf, ["made"], kept)
    assert list(pd.read_csv(kept / "runs.csv")["study"]) == ["made", "other"]
    (shelf.folder / "made" / "comparison.csv").write_text("table\n")
    for folder, words in ((kept, "it has no column 'metric'"), (shelf.folder, "results of a run")):
        with pytest.raises(LosawError, match=words):
            keep(reread(shelf), ["made"], folder)
        assert (folder / "made" / "summary.csv").is_file()


def test_the_pages_of_what_is_kept_say_the_same_in_markdown(kept, shelf):
    reference = Shelf(kept, shelf.configuration)
    front, paper = (
        path.read_text("utf-8") for path in write_pages(reference, kept / "overview.md")
    )
    assert "- [On nothing & <more>](./nobody.md)" in front
    assert "(./made/tables/table_1.md)" in paper and "(./made/figures/figure_9.png)" in paper
    assert "weighed: 2 claims: [claims.csv](claims.csv)" in paper and "**the weather.**" in paper
    claims = pd.read_csv(kept / "claims.csv")
    assert list(claims["verdict"]) == ["supported", "contradicted"]
    assert "**losawRF against RF**, mean difference over 2 settings (paired): R²_test +.1" in paper
    assert set(pd.read_csv(kept / "made" / "differences.csv")["minus"]) == {"losawRF"}


def test_what_leaves_a_page_in_markdown_stays_in_html_and_in_a_file_that_it_links(kept, shelf):
    page = paper_page(Shelf(kept, shelf.configuration), "nobody")
    markdown, html = page.markdown(kept), page.html()
    files = dict(re.findall(r"\[([\w.]+)\]\((\.\./[^)]+)\)", markdown))
    for words, file in (("grown by hand", "made.yaml"), ("a conjecture", "nobody.yaml")):
        assert words not in markdown and words in html
        assert words in (kept / files[file]).read_text("utf-8")
    assert "no number here can decide: 1: [nobody.yaml]" in markdown


def test_what_is_kept_is_compared_again(kept, shelf):
    edited(shelf, "notes:", "published: made.csv\nnotes:")
    columns = "n_samples,table,metric,method,published,decimals,published_runs,note"
    lines = f"{columns}\n100,Table 1,r2_test,RF,0.5,3,250,\n"
    (shelf.configuration / "published" / "made.csv").write_text(lines)
    compare_again(Shelf(kept, shelf.configuration))
    (cell,) = pd.read_csv(kept / "made" / "comparison.csv").to_dict("records")
    assert (cell["published"], cell["reproduced"], cell["verdict"]) == (0.5, 0.5, "agrees")
    assert [path.name for path in (kept / "made" / "tables").iterdir()] == ["table_1.md"]


def test_results_of_a_run_are_not_written_over_by_their_printed_cells(shelf):
    before = {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()}
    with pytest.raises(StudyError, match="made: holds the results of a run; name the folder of a"):
        compare_again(shelf)
    assert before == {path: path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()}


def test_values_of_axes_are_kept_whole(shelf, tmp_path):
    value = 333.3333333333
    again = edited(shelf, "[100, 1000]", f"[100, {value}]")
    for path in (shelf.folder / "made").glob("*.csv"):
        frame = pd.read_csv(path)
        frame["n_samples"] = frame["n_samples"].replace(1000, value)
        frame.to_csv(path, index=False)
    (shelf.folder / "made" / "blocks.csv").write_text(
        "setting,learner,first_seed,last_seed,rows_sha256\n"
    )
    keep(again, ["made"], tmp_path / "reference")
    for name in ("summary", "comparison", "differences"):
        text = (tmp_path / "reference" / "made" / f"{name}.csv").read_text()
        assert str(value) in text and "333.3333," not in text and ",100," in text
    kept = Shelf(tmp_path / "reference", shelf.configuration)
    assert len(kept.compared("nobody")) == len(again.compared("nobody"))
    compare_again(kept)
    kept.compared("nobody")


def test_a_count_of_one_has_words_of_one():
    words = ["agrees", "differs", "undecided"]
    cells = pd.DataFrame({"outcome": words, "verdict": words, "row": "Table 1"})
    assert in_short(cells, []) == [
        "**Reproduced**: 1 of 3 published values agrees within the margin.",
        "**Not reproduced**: 1 value differs or deviates (most: 1 in Table 1).",
        "**Open**: 1 value.",
    ]


@pytest.mark.parametrize("kind", ["generator", "learner"])
def test_the_first_sentence_of_a_class_is_its_own_whatever_its_parameters_are_called(kind):
    loaded = {entry.name: entry.load() for entry in entries(kind)}
    of_classes = {name: one for name, one in loaded.items() if isinstance(one, type)}
    own = {n: one for n, one in of_classes.items() if one.__module__.startswith("losaw.")}
    assert own
    for name, one in own.items():
        assert first_sentence(one).split()[:2] == one.__doc__.split()[:2], name


class Own(RegressorMixin, BaseEstimator):
    """One of ours. And more."""


class Bare(RegressorMixin, BaseEstimator):
    pass


class Inherits(Own):
    pass


@dataclass
class Signature:
    n_rows: int = 3


def bare(rng):
    pass


@pytest.mark.parametrize(
    ("thing", "said"),
    [(Own, "One of ours"), (Bare, ""), (Inherits, ""), (Signature, ""), (bare, "")],
)
def test_the_first_sentence_of_a_method_is_one_that_its_author_wrote(thing, said):
    assert first_sentence(thing) == said


def test_a_study_on_a_page_begins_with_its_design(shelf):
    aim = "aim: Whether weights\n  help\nnotes:"
    html = paper_page(edited(shelf, "notes:", aim), "nobody").html()
    for shown in ("Whether weights help", "RF (<code>random-forest</code>): A random forest",
                  "mdi: The forest", "R² = 1 - sum", "pr_auc: The area",
                  "N 100, 1000", "40 runs a setting"):  # fmt: skip
        assert html.count(shown) == 1, shown


@pytest.mark.parametrize("name", ["ufi_table1", "losaw_figure_2", "losaw_figure_1"])
def test_axes_of_learners_are_of_the_methods_of_a_design(name):
    study = Study(CONFIG / "studies" / f"{name}.yaml")
    box = design(study, pd.DataFrame(columns=["n_seeds", "metric", "mc_se"]))
    lines = dict(zip(box[""], box["design"], strict=True))
    axes = {axis for axis in study.axes if f"; {study.show(axis)} " in lines["Data"]}
    assert axes == {*study.data_axes}
    own = {axis for axis in study.axes if f"; {study.show(axis)} " in lines["Methods"]}
    assert own == {*study.file.learner_axes}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_of_the_reference_run_is_short_and_what_fails_is_said_in_300_words(path):
    text = path.read_text("utf-8")
    assert len(text.split()) <= 4000
    _, _, rest = text.partition("## What does not reproduce")
    fails = re.split(r"\n## |\nWhat the paper says, weighed", rest)[0]
    seen = re.sub(r"(</summary>).*?(</details>\n)+", r"\1", fails, flags=re.DOTALL)
    assert len(re.sub(r"<[^>]+>", " ", seen).split()) <= 300
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_all_pages_of_the_reference_run_have_at_most_18000_words():
    assert sum(len(path.read_text("utf-8").split()) for path in PAGES) <= 18_000


def test_the_readme_has_the_numbers_of_the_reference_run():
    pages = {path.stem: path.read_text("utf-8") for path in PAGES}
    front = pages["overview"]
    readme = " ".join((REPOSITORY / "README.md").read_text("utf-8").split())
    agree, n = re.search(r"([\d,]+) of ([\d,]+) published values agree", front).groups()
    away, never = (re.search(words, front)[1] for words in (r"(\d+) values d", r"of (\d+) no numb"))
    table = re.search(r"\[Table 2\].* Of (\d+) cells, \1 agree", pages["losaw"])[1]
    printed = re.search(r"- (.+) published values", pages["others"])[1]
    assert f"Of {n} published values {agree} agree within the margin (all {table} of" in readme
    assert f"{away} differ or deviate, and of {never} no number of runs can decide" in readme
    assert f"| {printed} printed scores and AUCs |" in readme
