"""What is made of the blocks: collect, tables, figures, report."""

import argparse
from typing import Any

from losaw.commands.cli_options import session_of


def collect(options: argparse.Namespace) -> None:
    """Collect the session's blocks."""
    write_summaries(session_of(options))


def tables(options: argparse.Namespace) -> None:
    """Write the published tables."""
    all_tables(session_of(options, trusted=True))


def figures(options: argparse.Namespace) -> None:
    """Write the published figures."""
    all_figures(session_of(options, trusted=True))


def draw(options: argparse.Namespace) -> None:
    """Write the published tables and figures."""
    draw_all(session_of(options, trusted=True))


def outputs(options: argparse.Namespace) -> None:
    """Collect the blocks, and write the published tables and figures."""
    session = session_of(options, trusted=True)
    write_summaries(session)
    draw_all(session)


def report(options: argparse.Namespace) -> None:
    """Write the report."""
    whole_report(session_of(options, trusted=True))


def summarise(options: argparse.Namespace) -> None:
    """Everything that is made of the session's blocks, of those that are there."""
    write_all(session_of(options))


def write_all(session: Any) -> None:
    """Summaries, tables, figures and report of all studies; prints where they are."""
    write_summaries(session)
    draw_all(session)
    whole_report(session)
    print(session.results / "report.html")


def write_summaries(session: Any) -> None:
    """The summaries of all studies."""
    from losaw.study.results.outputs import measuring_first, write_outputs

    for plan in measuring_first(session.plans):
        print(write_outputs(plan))


def draw_all(session: Any) -> None:
    """The tables and figures of all studies."""
    all_tables(session)
    all_figures(session)


def all_tables(session: Any) -> None:
    """The tables of all studies."""
    from losaw.report.results import StudyResults
    from losaw.report.tables import write_tables
    from losaw.study.files.made import note_path, write_note

    for study in session.studies:
        folder = session.results / study.name
        written = write_tables(study, StudyResults(folder).comparison, folder / "tables")
        write_note(note_path(session.results, "drawn", study.name), written)


def all_figures(session: Any) -> None:
    """The figures of all studies."""
    from losaw.report.figures import write_figures
    from losaw.report.results import StudyResults
    from losaw.study.files.made import note_path, write_note

    for study in session.studies:
        results = StudyResults(session.results / study.name)
        written = write_figures(study, results, session.figures)
        write_note(note_path(session.results, "drawn", study.name), written)


def whole_report(session: Any) -> None:
    """The report of all studies."""
    from losaw.report.page.html import write_report
    from losaw.study.files.made import note_path, write_note

    written = write_report(session, session.results / "report.html")
    write_note(note_path(session.results, "report"), [written])
