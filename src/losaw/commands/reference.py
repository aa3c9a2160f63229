"""The reference run: keep it, compute blocks of it again, write its pages."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from losaw.commands.cli_options import add_session_options, positive, request_of, session_of
from losaw.support.checkout import default_configuration

FOLDER = Path("reference")
MOST_MEGABYTES = 10


def add_reference(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add ``losaw reference keep | check | pages``."""
    parser = add("reference", None, "the reference run that the repository keeps", False)
    parser.set_defaults(needs_study=True)
    parts = parser.add_subparsers(required=True, metavar="part")

    def part(name: str, command: Any, text: str) -> argparse.ArgumentParser:
        sub = parts.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        sub.add_argument(
            "--folder", type=Path, default=FOLDER, help="of the reference run (default reference)"
        )
        return sub

    keeping = part("keep", keep, "store the results of the selected studies, without their blocks")
    add_session_options(keeping)
    checking = part("check", check, "compute random blocks again; exit status 1 if one differs")
    _add_configuration(checking)
    checking.add_argument("--study", action="append", metavar="NAME", help="default: all kept")
    checking.add_argument("--recompute", type=positive, default=1, metavar="N", help="default 1")
    checking.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="SEED",
        help="seed that picks the N blocks (default 0)",
    )
    checking.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")
    pages = part("pages", write_pages, "write a page for each paper: tables, claims, failures")
    _add_configuration(pages)
    pages.add_argument(
        "--into", type=Path, default=FOLDER, metavar="FOLDER", help="default: reference"
    )


def _add_configuration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="default: config/config.yaml, or else the published studies",
    )


def keep(options: argparse.Namespace) -> None:
    """Keep a run's summaries, comparisons, tables, small figures and digests of blocks."""
    from losaw.reference.store import keep
    from losaw.study.design.session import Session

    session = session_of(options, trusted=True)
    request = request_of(options)
    whole = replace(
        request, overrides={**request.overrides, "scale": "paper"}, selection={}, seeds=None
    )
    size = keep(session.plans, Session(whole, trusted=True).plans, options.folder)
    print(f"{options.folder}: {size / 1e6:.2f} MB")
    if size > MOST_MEGABYTES * 1e6:
        print(f"more than the {MOST_MEGABYTES} MB that a repository should hold of it")


def check(options: argparse.Namespace) -> int:
    """Compute blocks again; 1 if the rows of one are not equal."""
    from losaw.reference.recompute import OTHER_VERSION, recompute
    from losaw.reference.stored import Reference
    from losaw.study.design.request import Request
    from losaw.study.design.session import Session
    from losaw.study.errors import StudyError
    from losaw.study.files.adoption import describe_adoptions
    from losaw.support.words import unknown

    studies = Reference(options.folder).studies
    for name in options.study or ():
        if name not in studies:
            raise StudyError(unknown("study", name, list(studies)))
    names = options.study or list(studies)
    blocks = [block for name in names for block in studies[name].kept_blocks]
    session = Session(Request(options.config or default_configuration(), {"studies": names}))
    for name in names:
        for text in describe_adoptions(studies[name].adoptions):
            print(f"{name}: {text}")
    verdicts = []
    for block in recompute(session, blocks, options.recompute, options.sample, options.jobs):
        print(block, flush=True)
        verdicts.append(block)
    n_wrong = sum(block.is_wrong for block in verdicts)
    n_other = sum(block.verdict == OTHER_VERSION for block in verdicts)
    n_equal = len(verdicts) - n_wrong - n_other
    print(
        f"{n_equal} of {len(verdicts)} blocks of {len(blocks)} are equal, {n_wrong} differ, "
        f"{n_other} are of another version"
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
    remake(Reference(options.folder), session)
    for page in write_pages(Reference(options.folder), papers, session, options.into):
        print(page)
