"""The reference run that the repository keeps: keep it, compute blocks again, write its pages."""

import argparse
from collections.abc import Callable
from pathlib import Path

from losaw.commands.cli_options import (
    add_configuration,
    add_session_options,
    request_of,
    session_of,
)
from losaw.support.checkout import default_configuration

FOLDER = Path("reference")
MOST_MEGABYTES = 16


def add_reference(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add ``losaw reference keep | pages``."""
    parser = add(
        "reference", None, "keep a reference run in the repository, or write its pages", False
    )
    parser.set_defaults(needs_study=True)
    parts = parser.add_subparsers(required=True, metavar="part")
    text = "store the results of the selected studies, without their blocks"
    keeping = parts.add_parser("keep", help=text, description=text)
    keeping.set_defaults(command=keep)
    add_session_options(keeping)
    text = "write an overview and a page for each paper: tables, claims, failures"
    pages = parts.add_parser("pages", help=text, description=text)
    pages.set_defaults(command=write_pages)
    add_configuration(pages)
    pages.add_argument(
        "--into", type=Path, default=FOLDER, metavar="FOLDER", help="default: reference"
    )
    for part in (keeping, pages):
        part.add_argument(
            "--folder", type=Path, default=FOLDER, help="of the reference run (default: reference)"
        )


def keep(options: argparse.Namespace) -> None:
    """Keep a run's summaries, comparisons, tables, small figures and digests of blocks."""
    from losaw.reference.store import keep

    session = session_of(options, trusted=True)
    size = keep(session.plans, options.folder)
    print(f"{options.folder}: {size / 1e6:.2f} MB")
    if size > MOST_MEGABYTES * 1e6:
        print(f"more than the {MOST_MEGABYTES} MB that a repository should hold of it")


def verify_kept(options: argparse.Namespace, folder: Path) -> int:
    """Compute random blocks of a reference run again; 1 if the rows of one are not equal."""
    from losaw.reference.recompute import OTHER_VERSION, recompute
    from losaw.reference.stored import Reference
    from losaw.study.design.session import Session
    from losaw.study.errors import StudyError
    from losaw.support.words import unknown

    studies = Reference(folder).studies
    options.study = options.study or list(studies)
    for name in options.study:
        if name not in studies:
            raise StudyError(unknown("study", name, list(studies)))
    blocks = [block for name in options.study for block in studies[name].kept_blocks]
    session = Session(request_of(options))
    verdicts = []
    for block in recompute(session, blocks, options.recompute or 1, options.sample, options.jobs):
        print(block, flush=True)
        verdicts.append(block)
    n_wrong = sum(block.is_wrong for block in verdicts)
    n_other = sum(block.verdict == OTHER_VERSION for block in verdicts)
    n_equal = len(verdicts) - n_wrong - n_other
    print(
        f"{n_equal} of {len(verdicts)} blocks of {len(blocks)} are equal, {n_wrong} differ, "
        f"{n_other} are of another version"
    )
    if n_wrong:
        print(
            "Last bits of linear algebra differ between processors, and with OPENBLAS_CORETYPE; "
            "training a network enlarges them. Where that may be the reason, run the study and "
            "compare its summary.csv"
        )
    return 1 if n_wrong else 0


def write_pages(options: argparse.Namespace) -> None:
    """Write the page of every paper."""
    from losaw.reference.claims import read_claims
    from losaw.reference.naming import check_names
    from losaw.reference.pages import write_pages
    from losaw.reference.store import remake
    from losaw.reference.stored import Reference
    from losaw.study.design.request import Request
    from losaw.study.design.session import Session
    from losaw.study.errors import StudyError

    configuration = options.config or default_configuration()
    session = Session(Request(configuration), trusted=True)
    paths = sorted((configuration.parent / "claims").glob("*.yaml"))
    if not paths:
        raise StudyError(
            f"{configuration.parent / 'claims'}: holds no file of claims (<paper>.yaml with paper, "
            "title and studies); a page is written for each"
        )
    papers = {path.stem: read_claims(path) for path in paths}
    for claims in papers.values():
        check_names(claims, session)
    reference = Reference(options.folder)
    overrides = {"studies": list(reference.studies), "scale": "paper"}
    whole = Session(Request(configuration, overrides), trusted=True)
    remake(reference, session, whole.plans)
    for page in write_pages(Reference(options.folder), papers, session, options.into):
        print(page)
