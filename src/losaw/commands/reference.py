"""The reference run that the repository keeps: keep a run there, or write its pages."""

import argparse
from collections.abc import Callable
from pathlib import Path

from losaw.commands.cli_options import (
    add_configuration,
    add_session_options,
    default_configuration,
    session_of,
)

FOLDER = Path("reference")


def add_reference(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add ``losaw reference keep | pages``."""
    text = "keep a reference run in the repository, or write its pages"
    parser = add("reference", None, text, True)
    parts = parser.add_subparsers(required=True, metavar="part")
    text = "store the results of the selected studies, without their blocks"
    keeping = parts.add_parser("keep", help=text, description=text)
    keeping.set_defaults(command=keep)
    add_session_options(keeping)
    text = "compare the stored means with the published values, and write the pages"
    pages = parts.add_parser("pages", help=text, description=text)
    pages.set_defaults(command=write_pages)
    add_configuration(pages)
    for part in (keeping, pages):
        part.add_argument(
            "--folder", type=Path, default=FOLDER, help="of the reference run (default: reference)"
        )


def keep(options: argparse.Namespace) -> None:
    """Copy summaries, comparisons, tables and main pictures, and list digests of rows."""
    from losaw.study.errors import StudyError
    from losaw.study.report.keeping import keep
    from losaw.study.report.page.stored import Shelf

    session = session_of(options)
    shelf = Shelf(session.outputs, session.folder, session.figures)
    names = [study.name for study in session.studies]
    missing = [name for name in names if name not in shelf.results]
    if missing:
        raise StudyError(
            f"{session.outputs}: has no results of {', '.join(missing)}; run them first"
        )
    size = keep(shelf, names, options.folder)
    print(f"{options.folder}: {size / 1e6:.2f} MB")


def write_pages(options: argparse.Namespace) -> None:
    """Write tables, verdicts and pages of the reference run."""
    from losaw.study.report.keeping import compare_again
    from losaw.study.report.page.front import write_pages
    from losaw.study.report.page.stored import Shelf

    configuration = options.configuration or default_configuration()
    compare_again(Shelf(options.folder, configuration.parent))
    shelf = Shelf(options.folder, configuration.parent)
    for page in write_pages(shelf, options.folder / "overview.md"):
        print(page)
