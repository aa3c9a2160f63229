"""The pages of explain and audit: nothing from the network, no errors, readable on a phone."""

import re
import shutil

import numpy as np
import pytest

import losaw
from reference.explaining_tables import copies, mixed

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LONG = "a_column_with_a_name_that_is_far_too_long_for_any_phone_in_the_world"
QUICK = {"folds": 4, "draws": 1, "permutations": 2, "budget": None}


def explained():
    frame = copies(200).rename(columns={"X4": "<i>", "y": "y&z"})
    frame[LONG] = np.random.default_rng(0).choice(["<b>bold</b>", "x & y"], 200)
    frame["remark"] = [f"remark {i}" for i in range(200)]
    return losaw.explain(frame, "y&z", **QUICK)


def audited():
    frame = mixed().rename(columns={"wage": LONG})
    return losaw.audit(frame, "bought", methods="mdi,pfi", rounds=5, **QUICK)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for make in (explained, audited):
        (folder / f"{make.__name__}.html").write_text(make().to_html(), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["explained", "audited"])
def test_a_page_names_no_address(pages, name):
    text = (pages / f"{name}.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=\s*['\"](?!data:)", text)
    assert "url(" not in text and "@import" not in text and "<script" not in text


def test_names_are_escaped(pages):
    shown = (pages / "explained.html").read_text(encoding="utf-8")
    assert "<i>" not in shown and "&lt;i&gt;" in shown and "y&amp;z" in shown


def test_a_cell_shows_score_and_star_and_the_rest_when_pointed_at(pages):
    text = (pages / "explained.html").read_text(encoding="utf-8")
    cells = re.findall(r'<td class="n" title="([^"]*)"[^>]*>(.*?)</td>', text)
    assert len(cells) == 5 * 6
    assert all(re.fullmatch(r"(<b>)?[−.\d]+(\*</b>)?", shown) for _, shown in cells)
    assert all("±" in more for more, _ in cells)
    tested = [more for more, _ in cells if more.startswith(("PFI", "CPI", "LOCO"))]
    assert len(tested) == 15 and all("; p " in more and "; finds " in more for more in tested)
    ranks = [re.search(r"; rank (\d\w\w(?: to \d\w\w)?) of 5$", more) for more in tested]
    for method in ("PFI", "CPI", "LOCO"):  # none where each could be any
        own = [r and r[1] for r, more in zip(ranks, tested, strict=True) if more.startswith(method)]
        assert None not in own or own == [None] * 5
        assert set(own) != {"1st to 5th"}
    assert any(ranks)
    head = text[text.index("Features and methods") :]
    heads = re.findall(r"<th[^>]*>(.*?)</th>", head)
    assert heads.index("MDI") < heads.index("curve") < heads.index("kind")


def open_browser(playwright, api):
    """Playwright's own browser, or the system's; the test is skipped where there is none."""
    system = [path for name in BROWSERS if (path := shutil.which(name))]
    for place in (None, *system):
        try:
            return playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        except api.Error:
            continue
    return pytest.skip("needs a browser: playwright install chromium")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["explained", "audited"])
def test_a_browser_shows_it_without_errors_or_requests(pages, name, width):
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright and a browser")
    page = (pages / f"{name}.html").as_uri()
    with api.sync_playwright() as playwright:
        browser = open_browser(playwright, api)
        try:
            tab = browser.new_page(viewport={"width": width, "height": 800})
            said, asked = [], []
            tab.on("console", lambda message: said.append(message.text))
            tab.on("pageerror", lambda error: said.append(str(error)))
            tab.on("request", lambda request: asked.append(request.url))
            tab.goto(page)
            overflow = "document.documentElement.scrollWidth - window.innerWidth"
            assert tab.evaluate(overflow) <= 0
            assert said == [] and asked == [page]
            if name == "audited":
                assert tab.locator("tbody tr").count() == 2
                return
            assert tab.locator("h2").count() >= 6 and tab.locator("svg rect").count() == 25
            assert "Groups are cut from" in tab.inner_text("main")
            assert tab.locator("tbody tr").first.is_visible()
            table = tab.locator(".scroll").first
            table.evaluate("one => { one.scrollLeft = 200 }")
            first = tab.locator("tbody th").first.bounding_box()
            assert first["x"] >= table.bounding_box()["x"] - 1
        finally:
            browser.close()
