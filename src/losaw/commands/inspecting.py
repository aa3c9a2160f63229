"""Commands that inspect stored results: status, verify."""

import argparse
import sys
from pathlib import Path
from typing import Any

from losaw.commands.cli_options import positive, session_of


def status(options: argparse.Namespace) -> None:
    """Print how much of the session is done."""
    plans = session_of(options).plans
    if options.watch:
        from losaw.study.running.progress import watch

        watch([block for plan in plans for block in plan.blocks], options.every, sys.stdout)
        return
    from losaw.study.inspecting.status import describe_status

    print(describe_status(plans, options.jobs))


def add_options_of_verify(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw verify``."""
    parser.add_argument(
        "place",
        type=Path,
        nargs="?",
        metavar="PLACE",
        help="a results folder (default: the configuration's)",
    )
    parser.add_argument(
        "--remove", action="store_true", help="remove the blocks that fail the check"
    )
    parser.add_argument("--failed", action="store_true", help="include blocks with failed fits")
    parser.add_argument(
        "--recompute", type=positive, metavar="N", help="compute N random blocks again and compare"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="SEED",
        help="seed that picks the N blocks (default 0); choose your own, so that nobody can know "
        "in advance which ones are checked",
    )
    parser.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")


def verify(options: argparse.Namespace) -> int:
    """Check a results folder; 1 if anything is wrong."""
    from losaw.study.errors import StudyError

    place: Path | None = options.place
    if place is not None and not place.is_dir():
        raise StudyError(f"{place}: no such results folder")
    options.output = place or options.output
    return _verify(session_of(options), options)


def _verify(session: Any, options: argparse.Namespace) -> int:
    from losaw.study.files.healing import remove
    from losaw.study.inspecting.comparison import recompute
    from losaw.study.inspecting.verify import verify

    verification = verify(session.plans, options.failed)
    findings = verification.findings
    for finding in findings:
        print(f"{finding.path}: {finding.problem}")
    print(
        f"{verification.n_good} blocks are whole and up to date ({verification.n_failed} of them "
        f"with failed fits), {verification.n_absent} have not been run, {len(findings)} findings"
    )
    if verification.n_others:
        print(f"{verification.n_others} further blocks belong to other selections and are whole")
    _name_strays(session)
    if options.remove and findings:
        remove(findings)
        print(f"removed {len(findings)} files; run the study again to compute their blocks")
        return 0
    n_equal = n_computed = 0
    if options.recompute:
        blocks, n_blocks = session.all_blocks, options.recompute
        for recomputed in recompute(blocks, n_blocks, options.sample, options.jobs):
            print(recomputed, flush=True)
            n_computed += 1
            n_equal += recomputed.comparison.is_equal
        print(f"{n_equal} of {n_computed} blocks computed again have equal numbers")
    return 1 if findings or n_equal < n_computed else 0


def _name_strays(session: Any) -> None:
    from losaw.study.files.output_digests import stray_files

    for path in (path for plan in session.plans for path in stray_files(plan)):
        print(f"{path} is no output of its study: it is not checked")
