"""The commands that write outputs from blocks: collect, tables, figures, report."""

import argparse
from typing import Any

from losaw.commands.cli_options import session_of


def collect(options: argparse.Namespace) -> None:
    """Collect the session's blocks."""
    write_summaries(session_of(options))


def tables(options: argparse.Namespace) -> None:
    """Write the published tables."""
    all_tables(_with_summaries(options))


def figures(options: argparse.Namespace) -> None:
    """Write the published figures."""
    all_figures(_with_summaries(options))


def draw(options: argparse.Namespace) -> None:
    """Write the published tables and figures."""
    draw_all(_with_summaries(options))


def outputs(options: argparse.Namespace) -> None:
    """Collect the blocks, and write the published tables and figures."""
    session = session_of(options, trusted=True)
    write_summaries(session)
    draw_all(session)


def report(options: argparse.Namespace) -> None:
    """Write the report, and before it the tables and figures that are not current."""
    whole_report(_with_current_outputs(options))


def summarise(options: argparse.Namespace) -> None:
    """Write everything that is made from the session's blocks, of those that are there."""
    write_all(session_of(options))


def _with_summaries(options: argparse.Namespace) -> Any:
    """Return the session, its summaries written from the blocks."""
    session = session_of(options, trusted=True)
    write_summaries(session)
    return session


def _with_current_outputs(options: argparse.Namespace) -> Any:
    """Return the session; summaries, tables and figures that are not current are written."""
    from losaw.study.files.block_file import stored_digests
    from losaw.study.files.made import why_not_current
    from losaw.study.results.outputs import measuring_first, write_outputs

    session = session_of(options, trusted=True)
    for plan in measuring_first(session.plans):
        reason = why_not_current(plan, stored_digests(plan.blocks))
        if reason:
            print(f"{write_outputs(plan)} (written again: {reason})")
            _write_tables(plan)
            _write_figures(plan)
    return session


def write_all(session: Any) -> None:
    """Write summaries, tables, figures and report of all studies; print where they are."""
    write_summaries(session)
    draw_all(session)
    whole_report(session)
    print(session.results / "report.html")


def write_summaries(session: Any) -> None:
    """Write the summaries of all studies."""
    from losaw.study.results.outputs import measuring_first, write_outputs

    for plan in measuring_first(session.plans):
        print(write_outputs(plan))


def draw_all(session: Any) -> None:
    """Write the tables and figures of all studies."""
    all_tables(session)
    all_figures(session)


def all_tables(session: Any) -> None:
    """Write the tables of all studies."""
    for plan in session.plans:
        _write_tables(plan)


def all_figures(session: Any) -> None:
    """Write the figures of all studies."""
    for plan in session.plans:
        _write_figures(plan)


def _write_tables(plan: Any) -> None:
    from losaw.report.results import StudyResults
    from losaw.report.tables import write_tables
    from losaw.study.files.made import add_sums

    comparison = StudyResults(plan.folder).comparison
    written = write_tables(plan.study, comparison, plan.folder / "tables")
    add_sums(plan.results, plan.study.name, written)


def _write_figures(plan: Any) -> None:
    from losaw.report.figures import write_figures
    from losaw.report.results import StudyResults
    from losaw.study.files.made import add_sums

    written = write_figures(plan.study, StudyResults(plan.folder), plan.figures)
    add_sums(plan.results, plan.study.name, written)


def whole_report(session: Any) -> None:
    """Write the report of all studies."""
    from losaw.report.page.html import write_report
    from losaw.study.files.made import REPORT, report_made_from, write_sums

    written = write_report(session, session.results / "report.html")
    write_sums(session.results, REPORT, report_made_from(session.plans), [written])
