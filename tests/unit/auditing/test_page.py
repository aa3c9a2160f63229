"""The page of an audit: nothing from the network, and readable on a phone.

Of auditing.result.
"""

import re

import pytest

import losaw
from reference.browser import open_browser
from reference.explaining_tables import mixed


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    frame = mixed().rename(columns={"wage": "a_column_with_a_name_that_is_too_long_for_any_phone"})
    found = losaw.audit(frame, "bought", methods="mdi,pfi", folds=3, rounds=5, budget=None)
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(found.to_html(), encoding="utf-8")
    return path


def test_the_page_names_no_address(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=\s*['\"](?!data:)", text)
    assert "url(" not in text and "@import" not in text and "<script" not in text


@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_shows_it_without_errors_or_requests(page, width):
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright and a browser")
    with api.sync_playwright() as playwright:
        browser = open_browser(playwright, api)
        tab = browser.new_page(viewport={"width": width, "height": 800})
        said, asked = [], []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        assert said == [] and asked == [page.as_uri()]
        assert tab.locator("tbody tr").count() == 2
        browser.close()
