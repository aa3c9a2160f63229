"""The command line: every step of the workflow, and everything that needs no Snakemake."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import losaw
from losaw.commands import (
    adopting,
    auditing,
    explaining,
    formats,
    inspecting,
    methods,
    outputs,
    running,
    warm_up,
)
from losaw.commands.cli_options import add_session_options, positive
from losaw.commands.reference import add_reference

# Parallelism comes from blocks; set before any numerical library is loaded.
for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ.setdefault(_variable, "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake of the user ends in a message and exit status 2."""
    options = _parser().parse_args(arguments)
    from losaw.support.errors import LosawError
    from losaw.support.extras import STUDY, MissingExtraError, require

    try:
        if options.needs_study:
            require("study", STUDY)
        return int(options.command(options) or 0)
    except (LosawError, MissingExtraError) as error:
        print(f"losaw: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("losaw: interrupted; what is finished is stored", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="losaw",
        description="Decorrelated feature importance: studies, tables, figures, your own methods.",
    )
    parser.add_argument("--version", action="version", version=f"losaw {losaw.__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, command: Any, text: str, session: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        # The names can be listed without the libraries of studies.
        sub.set_defaults(command=command, needs_study=session and name != "list")
        if session:
            add_session_options(sub)
        return sub

    explaining.add_options(
        add("explain", explaining.explain, "explain what a column of a table depends on", False)
    )
    auditing.add_options(
        add("audit", auditing.audit, "find the methods to trust on a table like yours", False)
    )
    plan = add("plan", running.plan, "print settings, blocks, core-hours and disk; runs nothing")
    plan.add_argument("--jobs", type=positive, help="blocks at the same time: adds waves and hours")
    listing = add("list", running.list_names, "print every registered name and every study")
    listing.add_argument("--drawings", action="store_true", help="drawings with their options")
    run = add("run", running.run, "run studies without Snakemake, by the same blocks")
    run.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")
    block = add("run-block", running.run_block, "compute a single block")
    block.add_argument("block", type=Path, help="the block's Parquet file")
    job = add("run-blocks", running.run_blocks, "compute a job's blocks (called by the workflow)")
    job.add_argument("list", type=Path, help="a text file with a block's Parquet file per line")
    laws = add("fit-law", running.fit_law, "fit joint laws (called by the workflow)")
    laws.add_argument("laws", type=Path, nargs="+", metavar="LAW", help="a law's JSON file")
    add("collect", outputs.collect, "collect the blocks: summary.csv and comparison.csv")
    add("tables", outputs.tables, "write the tables: published next to reproduced values")
    add("figures", outputs.figures, "draw the published figures")
    add("draw", outputs.draw, "write tables and figures")
    add("report", outputs.report, "write results/report.html")
    add("outputs", outputs.outputs, "write summary, tables and figures (called by the workflow)")
    add("summarise", outputs.summarise, "run collect, tables, figures and report")
    formats_of = add("schema", formats.schema, "print the format of study files", False)
    formats_of.add_argument("format", choices=("study", "configuration", "page"))
    _add_inspecting(add)
    adopting.add_options(
        add("adopt", adopting.adopt, "adopt results of another version after recomputing a sample")
    )
    add_reference(add)
    check = add("check", methods.check, "run the contract tests on your own methods", False)
    check.add_argument("files", type=Path, nargs="+", metavar="FILE")
    check.add_argument(
        "--seconds", type=positive, default=300, help="time limit of a single check (default 300)"
    )
    new = add("new-method", methods.new_method, "write a starter file for your own method", False)
    new.add_argument("kind", help="learner, importance, generator or metric")
    new.add_argument("file", type=Path)
    new_study = add("new-study", methods.new_study, "write a small project that runs", False)
    new_study.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    add("warm-up", warm_up.warm_up, "compile all kernels (called by make install)", False)
    return parser


def _add_inspecting(add: Callable[..., argparse.ArgumentParser]) -> None:
    status = add(
        "status", inspecting.status, "print blocks done, running and failed, and time left"
    )
    status.add_argument("--jobs", type=positive, help="blocks at the same time (default: as now)")
    status.add_argument("--watch", action="store_true", help="repeat until all is done")
    status.add_argument(
        "--every", type=positive, metavar="SECONDS", help="with --watch (default 2; in a log 30)"
    )
    verify = add("verify", inspecting.verify, "check stored results; exit status 1 on any finding")
    verify.add_argument(
        "place",
        type=Path,
        nargs="?",
        metavar="ARCHIVE_OR_FOLDER",
        help="an archive of losaw pack, or a results folder (default: the configuration's)",
    )
    verify.add_argument(
        "--remove", action="store_true", help="remove the blocks that fail the check"
    )
    verify.add_argument("--failed", action="store_true", help="include blocks with failed fits")
    verify.add_argument(
        "--recompute", type=positive, metavar="N", help="compute N random blocks again and compare"
    )
    verify.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="SEED",
        help="seed that picks the N blocks (default 0); choose your own, so that nobody can know "
        "in advance which ones are checked",
    )
    verify.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")
    verify.add_argument(
        "--sha256",
        metavar="DIGEST",
        help="the SHA-256 that `losaw pack` printed; fails unless this is that archive",
    )
    verify.add_argument(
        "--run-plugins", action="store_true", help="allow the plugins of an archive to run"
    )
    diff = add(
        "diff",
        inspecting.diff,
        "compare two results folders, archives or reference runs cell by cell",
        False,
    )
    diff.add_argument("first", type=Path, metavar="A")
    diff.add_argument("second", type=Path, metavar="B")
    diff.add_argument("--csv", type=Path, metavar="FILE", help="write all cells that differ")
    diff.add_argument("--html", type=Path, metavar="FILE", help="write them as an HTML table")
    origin = add("provenance", inspecting.provenance, "print the origin of an output's numbers")
    origin.add_argument("file", type=Path, help="a table, a figure or another output of a study")
    origin.add_argument("--blocks", action="store_true", help="list every block with its digest")
    pack = add("pack", inspecting.pack, "write a results archive that others can verify")
    pack.add_argument("archive", type=Path, metavar="ARCHIVE.tar.gz")


if __name__ == "__main__":
    sys.exit(main())
