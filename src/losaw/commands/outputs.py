"""Commands that write tables, figures and report from blocks: at once, or as the rules do.

A step is written whole, whatever is there: nothing that was made earlier is trusted.
"""

import argparse
from typing import Any

from losaw.commands.cli_options import session_of


def report(options: argparse.Namespace) -> None:
    """Write tables, figures and report from the session's blocks that are there."""
    write_all(session_of(options))


def write_studies(options: argparse.Namespace) -> None:
    """Write the summaries, tables and figures of the session's studies, for a rule."""
    _write_studies(session_of(options, trusted=True))


def write_page(options: argparse.Namespace) -> None:
    """Write the page of the report, for a rule that has the files of all studies."""
    _write_page(session_of(options, trusted=True))


def write_all(session: Any) -> None:
    """Write summaries, tables, figures and report of all studies; print where they are."""
    _write_studies(session)
    _write_page(session)
    print(session.results / "report.html")


def _write_studies(session: Any) -> None:
    from losaw.report.figures import write_figures
    from losaw.report.results import StudyResults
    from losaw.report.tables import write_tables
    from losaw.study.files.output_digests import add_sums
    from losaw.study.results.outputs import write_outputs

    for plan in session.plans:
        print(write_outputs(plan))
        results = StudyResults(plan.folder)
        tables = write_tables(plan.study, results.comparison, plan.folder / "tables")
        figures = write_figures(plan.study, results, plan.figures)
        add_sums(plan.results, plan.study.name, [*tables, *figures])


def _write_page(session: Any) -> None:
    from losaw.report.page.stored import Shelf
    from losaw.report.page.write import write_pages
    from losaw.study.files.output_digests import REPORT, report_made_from, write_sums

    shelf = Shelf(session.results, session.folder, session.figures)
    written = write_pages(shelf, session.results / "report.html")
    write_sums(session.results, REPORT, report_made_from(session.plans), written)
