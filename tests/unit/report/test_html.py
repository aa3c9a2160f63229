"""One page shows everything, loads nothing from the network, and is the same bytes every time."""

import html
import json
import math
import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from losaw.report.page.agreement import disagreements, sign_rows, total_agreement
from losaw.report.page.html import write_report
from losaw.report.page.sections import difference_grids
from losaw.report.page.svg import z_histogram
from losaw.report.results import StudyResults
from losaw.report.typeset import number, signed
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import execute

FIGURES = """
figures:
  figure_9:
    drawing: weighted-split
    caption: a split & its <weights>
  figure_10: {drawing: gradient-descent}
"""


class Page(HTMLParser):
    """Tags with their attributes, in order, and whether every tag is closed."""

    VOID = frozenset({"meta", "img", "br", "link", "polyline"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def session(computed):
    """The tiny project, run and collected; one of its two figures is there."""
    project = computed
    project.study_file.write_text(project.study_file.read_text() + FIGURES)
    project.replace(project.study_file, "A study that takes a moment", "A <b>study</b> & more")
    session = project.session()
    study = session.studies[0]
    write_outputs(session.plan(study.name))
    session.figures.mkdir()
    (session.figures / "figure_9.png").write_bytes(b"the bytes of a drawing")
    return session


@pytest.fixture
def page(session):
    return write_report(session, session.results / "report.html").read_text("utf-8")


def test_a_page_ends_with_a_line(page):
    assert page.endswith("</html>\n")


def test_every_cell_of_the_comparison_is_on_the_page(session, page):
    comparison = StudyResults(session.results / "tiny").comparison
    tips = [tag[1]["title"] for tag in Page(page).tags if tag[0] == "td" and "title" in tag[1]]
    cells = [tip for tip in tips if "paired" not in tip]
    assert len(comparison) == len(cells) == 16
    for row in comparison.itertuples():
        start = f"published {number(row.published, 2)}; " if math.isfinite(row.published) else ""
        middle = f"reproduced {number(row.reproduced, 2)}, s.e. {number(row.mc_se, 3)}, n 5"
        z = f", z {signed(row.z)}" if math.isfinite(row.z) else ""
        assert any(tip.startswith(f"{start}{middle}{z}: {row.verdict}") for tip in cells)


def test_verdicts_are_classes_of_their_cells(session, page):
    verdicts = StudyResults(session.results / "tiny").comparison["verdict"].value_counts()
    for verdict, count in verdicts.items():
        assert page.count(f'<td class="{verdict.replace(" ", "-")}"') == count


def test_the_page_asks_nothing_of_the_network(page):
    tags = Page(page).tags
    assert not {"link", "iframe", "object"} & {tag for tag, _ in tags}
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", page)
    asked = [
        value
        for _, attributes in tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "xlink:href")
    ]
    assert asked
    assert all(value.startswith(("#", "data:")) for value in asked)
    assert not re.search(r"url\(|@import", page)


def test_every_link_leads_to_a_place_on_the_page(page):
    tags = Page(page).tags
    places = {attributes["id"] for _, attributes in tags if "id" in attributes}
    links = {a["href"][1:] for tag, a in tags if tag == "a"}
    assert links <= places


def test_every_tag_is_closed(page):
    assert Page(page).open == []


def test_the_page_is_the_same_bytes_again(session, page):
    unspoiled = Session(session.request)  # remembers nothing of the first page
    again = write_report(unspoiled, session.results / "again.html")
    assert again.read_text("utf-8") == page


def test_what_differs_between_runs_stands_in_its_own_section_only(session, page):
    manifest = session.results / "tiny" / "manifest.json"
    values = json.loads(manifest.read_text())
    values |= {"hosts": ["elsewhere"], "core_seconds": 12345.0, "peak_megabytes": 7.0}
    manifest.write_text(json.dumps(values))
    shutil.rmtree(session.results / "made")  # which says what was written
    other = write_report(session, session.results / "other.html").read_text("utf-8")
    assert other != page
    start = '<section class="study" id="machines">'
    assert other.partition(start)[0] == page.partition(start)[0]


def test_text_from_a_study_file_is_escaped(page):
    assert html.escape("A <b>study</b> & more") in page
    assert "<b>study</b>" not in page
    assert html.escape("a split & its <weights>") in page


def test_figures_are_embedded_and_missing_ones_are_said_to_be(page):
    sources = [a["src"] for tag, a in Page(page).tags if tag == "img"]
    assert sources == ["data:image/png;base64,dGhlIGJ5dGVzIG9mIGEgZHJhd2luZw=="]
    assert "Figure 10 has not been drawn" in page


def test_failures_and_missing_blocks_are_listed(session):
    manifest = session.results / "tiny" / "manifest.json"
    values = json.loads(manifest.read_text())
    values["failures"] = {"ValueError: <no> way": 3}
    missing = "tiny/blocks/a-1/plain/seeds_00000-00001.parquet"
    values["missing_blocks"] = [missing]
    values["left_out"] = {"plain mdi": "it failed in 5 of 5 fits"}
    manifest.write_text(json.dumps(values))
    shutil.rmtree(session.results / "made")  # which says what was written
    page = write_report(session, session.results / "report.html").read_text("utf-8")
    assert "3 × <code>ValueError: &lt;no&gt; way</code>" in page
    assert f"missing: <code>{missing}</code>" in page
    assert "missing blocks, besides 1 left out" in page and "it failed in 5 of 5 fits" in page


def test_a_study_of_ones_own_is_not_called_published_and_equal_ranks_are_level(computed):
    text = computed.study_file.read_text()
    text = text[: text.index("published:")].replace("jitter: 0.3", "jitter: 0.0")
    computed.study_file.write_text(text)
    session = computed.session()
    execute(session.all_blocks, 1)
    write_outputs(session.plans[0])
    page = write_report(session, session.results / "report.html").read_text("utf-8")
    assert "Methods on simulated data" in page and "published simulation" not in page
    assert "and 1 more level at first of 2" in page


def test_a_study_that_was_not_collected_is_an_error_with_the_command(session):
    (session.results / "tiny" / "comparison.csv").unlink()
    with pytest.raises(StudyError, match=r"comparison\.csv: no such file; `losaw report"):
        write_report(session, session.results / "report.html")


def test_disagreements_come_largest_first_with_the_note_of_print(study, comparison):
    comparison.loc[3, "noted"] = "a misprint?"
    found = disagreements(study, comparison)
    assert [(row["z"], row["note"]) for row in found] == [("+4.9", "a misprint?"), ("-2.4", "")]
    assert found[0]["place"] == "N = 100, f3"


def test_a_cell_that_two_tables_print_is_one_disagreement(study, comparison):
    both = pd.concat([comparison, comparison.assign(table="Table 2")], ignore_index=True)
    assert len(disagreements(study, both)) == 2


def differences(value, n_seeds=40, mc_se=0.01):
    """As ``losaw.study.results.outputs.differences`` leaves them for the made study."""
    return pd.DataFrame(
        {
            "learner": "losawRF",
            "minus": "RF",
            "setting_id": ["a", "b"],
            "importance": None,
            "metric": "r2_test",
            "n_samples": [100, 1000],
            "function": "f3",
            "n_seeds": n_seeds,
            "difference": value,
            "mc_se": mc_se,
        }
    )


NOTHING_PRINTED = pd.DataFrame(columns=["metric", "method", "published"])


@pytest.mark.parametrize(
    ("difference", "kind"), [(0.021, "better"), (-0.021, "worse"), (0.019, "open")]
)
def test_a_difference_is_coloured_beyond_two_standard_errors(study, difference, kind):
    (grid,) = difference_grids(study, differences(difference), NOTHING_PRINTED)
    assert grid.title == "R²_test: losawRF − RF"
    assert [[cell["kind"] for cell in cells] for _, cells in grid.rows] == [[kind], [kind]]


def test_a_difference_is_held_against_the_difference_of_the_printed_cells(study, comparison):
    published = comparison.assign(decimals=3, published_runs=math.inf)
    (grid,) = difference_grids(study, differences(0.02), published)
    printed, not_printed = (cells[0] for _, cells in grid.rows)
    # print: .520 - .530; ours: three standard errors above it
    t = 0.03 / math.sqrt(0.01**2 + 0.001**2 / 12)
    z = norm.isf(student.sf(t, 39))
    assert (printed["printed"], printed["mark"]) == ("-.010", "!")
    assert printed["tip"].endswith(f"published -.010, z +{z:.1f}: deviates")
    assert (not_printed["printed"], not_printed["mark"]) == ("", "")


def test_the_histogram_counts_every_score_once():
    z = [-9.0, -2.5, -0.1, 0.1, 0.2, 3.9, float("nan")]
    drawn = z_histogram(pd.DataFrame({"z": z}))
    assert sum(int(count) for count in re.findall(r"<title>(\d+) cells", drawn)) == 6


def test_without_scores_there_is_no_histogram():
    assert z_histogram(pd.DataFrame({"z": [float("nan")]})) == ""


def test_the_totals_count_every_verdict_of_what_is_printed_and_run(comparison):
    total = total_agreement(comparison)
    counts = [total[word] for word in ("cells", "differs", "deviates", "undecided", "agrees")]
    assert counts == [5, 1, 1, 1, 1] and total["no_error_at_hand"] == 1
    assert total["share_agrees"] == "20 %" and total["share_deviates"] == "40 %"
    assert total["within"] == ["40 %", "80 %", "80 %"]  # .002, .02, 0, .157 and .019 apart


def test_a_certain_cell_that_is_undecided_never_counts_as_agreement(comparison):
    comparison["verdict"] = "undecided"
    assert total_agreement(comparison)["agrees"] == 0


def test_the_sign_of_a_gain_is_counted_in_words(study):
    signs = pd.DataFrame(
        [[100, "r2_test", "losawRF", "RF", 38, 37 / 38, 4, 1.0]],
        columns=[
            *("n_samples", "metric", "method", "minus"),
            *("settings", "as_printed", "large", "large_as_printed"),
        ],
    )
    (row,) = sign_rows(study, signs)
    assert (row["gain"], row["as_printed"], row["margin"]) == ("losawRF − RF", "97 %", ".03")
