"""A real browser for tests of pages."""

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def open_browser(playwright, api):
    """Playwright's own browser, or the system's; the test is skipped where there is none."""
    system = [path for name in BROWSERS if (path := shutil.which(name))]
    for place in (None, *system):
        try:
            return playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        except api.Error:
            continue
    return pytest.skip("needs a browser: playwright install chromium")
