"""Conventions of Snakemake: lint, README of the configuration, report."""

import html

import pytest

from reference.snakemake_runs import snakemake


def test_lint_finds_nothing(project):
    code, text = snakemake(project, "--lint")
    assert code == 0 and "Congratulations" in text, text
    assert "Lints for" not in text


@pytest.mark.long
def test_snakemakes_report_shows_tables_figures_and_our_page(finished):
    report = finished.folder / "report.html"
    code, text = snakemake(finished, "--report", str(report))
    assert code == 0, text
    page = html.unescape(report.read_text("utf-8"))
    for file in ("tables/table_1.csv", "tiny/figure_1.png", "report.html"):
        assert file in page, file
    for words in ("published values agree", "data:image/png;base64", "The front page, which leads"):
        assert words in page, words
    for labels in ('"study": "tiny", "table": "table_1"', '"study": "tiny", "figure": "figure_1"'):
        assert labels in page.replace('\\"', '"'), labels
