"""Commands on studies: plan, list, verify; and compile."""

import argparse
from pathlib import Path

from losaw.commands.cli_options import (
    add_configuration,
    default_configuration,
    positive,
    session_of,
)
from losaw.support.errors import LosawError
from losaw.support.extras import STUDY, MissingExtraError, require


def plan(options: argparse.Namespace) -> None:
    """Print the cost of a request."""
    from losaw.study.cost import describe_cost
    from losaw.study.rules import check_request

    session = session_of(options)
    check_request(session)
    print(describe_cost(session.plans))


def list_names(options: argparse.Namespace) -> None:
    """Print every registered name and every study, or every drawing with its options."""
    from losaw.study import registry

    if options.drawings:
        require("study", STUDY)
        from losaw.study.report.figures import describe_drawings

        print("\n".join(describe_drawings()))
        return
    for kind in registry.KINDS:
        print(f"{kind}s")
        for entry in registry.entries(kind):
            print(f"  {entry.name:28} {entry.target}")
    print("studies")
    try:
        require("study", STUDY)
        configuration = options.configuration or default_configuration()
    except (MissingExtraError, LosawError) as error:
        print(f"  {error}")
        return
    from losaw.study.session import Session

    session = Session(configuration)
    for name in session.available_studies():
        study = session.read_study(name)
        print(f"  {name:28} {study.file.title}")


def add_options_of_verify(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw verify``."""
    parser.add_argument("reference", type=Path, metavar="FOLDER", help="for example reference")
    parser.add_argument(
        "--sample", type=positive, default=10, metavar="N", help="number of lines (default 10)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="picks the lines (default 0): the same for everybody"
    )
    parser.add_argument("--study", action="append", metavar="NAME", help="default: all of them")
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the commit and how many lines were equal to FOLDER/runs.csv",
    )
    add_configuration(parser)


def verify(options: argparse.Namespace) -> int:
    """Compute random lines of stored evidence again; 1 if rows differ."""
    from losaw.study.verify import read_evidence, verify

    lines = read_evidence(options.reference, options.study)
    configuration = options.configuration or default_configuration()
    return verify(lines, configuration, options.sample, options.seed, options.record)


def compile_kernels(options: argparse.Namespace) -> None:
    """Compile all kernels."""
    from losaw.commands.warm_up import warm_up

    warm_up()
