"""The report's tables in a real browser: sorting, filtering, folding, a phone.

Needs playwright (`pip install -e .[checks]`) and a Chromium: playwright's own, or one on the path.

Of report.page.html.
"""

import shutil
from importlib import resources

import pandas as pd
import pytest
from losaw.report.page.html import write_report

from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import run_block

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
TABLE = "#tiny-table_1"
# Which of the grid's 2 x 2 settings are run: the others are rows that were not.
RUN = {"noise_variance": ["0.5"]}


@pytest.fixture(scope="module")
def browser():
    system = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with playwright.sync_playwright() as engine:
        try:
            chromium = engine.chromium.launch(executable_path=system, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no Chromium to look with: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def written(shared_project):
    """The report of the tiny study, half of whose settings were run; of what was, one differs."""
    session = shared_project.session(selection=RUN)
    for block in session.all_blocks:
        run_block(block)
    write_outputs(session.plan("tiny"))
    comparison = session.results / "tiny" / "comparison.csv"
    cells = pd.read_csv(comparison)
    last = cells.index[cells["n_seeds"] > 0][-1]
    cells.loc[last, ["published", "z"]] = [0.1, 9.0]
    cells.loc[last, "verdict"] = "differs"
    cells.to_csv(comparison, index=False)
    shutil.rmtree(session.results / "made")  # which says what was written
    return write_report(session, session.results / "report.html")


@pytest.fixture
def look(browser, written):
    """Opens the report; every request and every error is kept."""
    contexts = []

    def open_page(viewport=DESKTOP, fragment="", **options):
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.asked, page.errors = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text))
        page.goto(written.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()


def rows(page, table=f"{TABLE} .scroll table"):
    """Texts of the visible rows' cells, heads included."""
    return page.evaluate(
        """selector => [...document.querySelector(selector).tBodies[0].rows]
          .filter(row => row.offsetParent)
          .map(row => [...row.cells].filter(cell => cell.offsetParent))
          .map(cells => cells.map(cell => cell.innerText))""",
        table,
    )


def choose(page, axis, label):
    page.locator(f'{TABLE} select[data-axis="{axis}"]').select_option(label=label)


def test_it_asks_for_nothing_and_has_no_errors(look, written):
    page = look()
    assert page.asked == [written.as_uri()] and page.errors == []


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_is_no_wider_than_the_screen(look, viewport):
    page = look(viewport, is_mobile=viewport is PHONE, has_touch=viewport is PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(part => (part.open = true))")
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width == [viewport["width"]] * 2


def test_rows_that_were_not_run_are_folded_away(look):
    page = look()
    assert [row[0] for row in rows(page)] == ["noise_variance = 0.5"] * 2
    assert page.locator(f"{TABLE} .shown").inner_text() == "2 of 4 rows"
    page.locator(f"{TABLE} .unrun-switch input").check()
    assert len(rows(page)) == 4
    assert page.locator(f"{TABLE} td.absent:visible").count() == 8


def test_without_scripts_every_row_is_there(look):
    assert len(rows(look(java_script_enabled=True))) == 2
    page = look(java_script_enabled=False)
    assert page.locator(f"{TABLE} tbody tr:visible").count() == 4
    assert not page.locator(f"{TABLE} .controls").is_visible()


def test_cells_that_differ_stand_first(look):
    page = look()
    assert [row[1] for row in rows(page)] == ["pr_auc", "r2_test"]
    assert page.locator(f"{TABLE} tbody tr:visible").first.locator("td.differs").count() == 1
    page.locator(f"{TABLE} select").first.select_option("in the order of the paper")
    assert [row[1] for row in rows(page)] == ["r2_test", "pr_auc"]


def test_axes_filter_rows_and_columns(look):
    page = look()
    choose(page, "metric", "pr_auc")
    assert [row[1] for row in rows(page)] == ["pr_auc"]
    choose(page, "method", "plain")
    headings = page.locator(f"{TABLE} thead tr").last.locator("th:visible")
    assert headings.all_inner_texts() == ["plain", "plain"]
    assert all(len(row) == 4 for row in rows(page))
    choose(page, "n_samples", "30")
    assert [len(row) for row in rows(page)] == [3]
    choose(page, "n_samples", "all")
    choose(page, "method", "all")
    choose(page, "metric", "all")
    assert [len(row) for row in rows(page)] == [6, 6]


def test_a_column_sorts_down_up_and_back(look):
    page = look()
    heading = page.locator(f"{TABLE} thead tr").last.locator("th").first

    def values():
        shown = page.locator(f"{TABLE} tbody tr:visible td:nth-of-type(1) .ours")
        return [float(text.replace("−", "-")) for text in shown.all_inner_texts()]

    before = values()
    heading.locator("button").click()
    assert values() == sorted(before, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert values() == sorted(before)
    heading.locator("button").click()
    assert values() == before and heading.get_attribute("aria-sort") is None


def test_row_headings_are_read_again_where_their_neighbour_changes(look):
    page = look()
    page.locator(f"{TABLE} .unrun-switch input").check()
    page.locator(f"{TABLE} thead th").nth(1).locator("button").click()  # by metric
    again = page.evaluate(
        f"[...document.querySelectorAll('{TABLE} tbody tr')].map(row => row.cells[0].className)"
    )
    assert again == [""] * 4


def test_a_tap_shows_what_pointing_shows(look):
    page = look(PHONE, is_mobile=True, has_touch=True)
    cell = page.locator(f"{TABLE} td.differs").first
    cell.tap()
    assert page.locator(".tip").inner_text() == cell.get_attribute("title")
    page.locator("h1").tap()
    assert not page.locator(".tip").is_visible()


def test_a_phone_begins_with_the_title(look):
    page = look(PHONE, is_mobile=True, has_touch=True)
    assert page.locator("h1").bounding_box()["y"] < 150
    assert not page.locator("nav .sub").first.is_visible()
    assert look().locator("nav .sub").first.is_visible()


def test_a_link_to_a_folded_table_opens_it(look):
    page = look()
    page.evaluate(f"document.querySelector('{TABLE}').open = false")
    page.locator(f'nav a[href="{TABLE}"]').click()
    assert page.locator(f"{TABLE} table").first.is_visible()
    assert look(fragment=TABLE).locator(f"{TABLE} table").first.is_visible()


def test_plain_lists_sort_and_unfold(browser):
    templates = resources.files("losaw.pages") / "templates" / "report"
    scripts = [(templates / name).read_text("utf-8") for name in ("helpers.js", "page.js")]
    body = "".join(f"<tr><td>m{i}</td><td>{(7 * i) % 30}</td></tr>" for i in range(30))
    page = browser.new_page()
    page.set_content(
        '<nav><details open></details></nav><div class="scroll">'
        '<table class="sortable" data-first="5"><thead><tr><th>method</th><th class="n">value</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
        f"<style>[hidden] {{ display: none; }}</style><script>{''.join(scripts)}</script>"
    )
    assert [row[0] for row in rows(page, "table")] == [f"m{i}" for i in range(5)]
    page.locator("th button").nth(1).click()
    assert [row[1] for row in rows(page, "table")] == ["29", "28", "27", "26", "25"]
    page.get_by_text("show all 30 rows").click()
    assert len(rows(page, "table")) == 30
    page.close()
