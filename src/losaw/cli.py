"""The command line: every step of the workflow, and everything that needs no Snakemake."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import losaw
from losaw.commands import auditing, explaining, inspecting, methods, outputs, running
from losaw.commands.cli_options import add_session_options, positive
from losaw.commands.reference import add_reference
from losaw.support.words import unknown

# Parallelism comes from blocks, and a sum over several threads has other last bits. Set before any
# numerical library is loaded, whatever the user's environment has.
_THREADS = [f"{_library}_NUM_THREADS" for _library in ("OMP", "OPENBLAS", "MKL", "NUMBA")]
os.environ |= dict.fromkeys([*_THREADS, "NPROC"], "1")  # the last is JAX's
# Numba adds in groups whose size it chooses for the processor, and in other groups a sum has other
# last bits. So it compiles for one x86 processor, with the instructions of the one that it runs on.
if platform.machine() in {"x86_64", "AMD64"}:
    os.environ["NUMBA_CPU_NAME"] = "znver4"

Add = Callable[..., argparse.ArgumentParser]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake of the user ends in a message and exit status 2."""
    options = _read(sys.argv[1:] if arguments is None else arguments)
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
        stored = "; what is finished is stored, and the same command goes on from it"
        ends = {"run": stored} | dict.fromkeys(("explain", "audit"), "; nothing is written")
        print(f"losaw: interrupted{ends.get(options.command.__name__, '')}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command with its options."""
    parser = argparse.ArgumentParser(
        prog="losaw",
        description="Decorrelated feature importance: studies, tables, figures, your own methods.",
    )
    parser.add_argument("--version", action="version", version=f"losaw {losaw.__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    shown: list[str] = []

    def add(name: str, command: Any, text: str, session: bool = True) -> argparse.ArgumentParser:
        shown.append(name)
        sub = commands.add_parser(name, help=text, description=text)
        # The names can be listed without the libraries of studies.
        sub.set_defaults(command=command, needs_study=session and name != "list")
        if session:
            add_session_options(sub)
        return sub

    _add_tables_of_a_person(add)
    _add_runs(add)
    _add_inspecting(add)
    _add_own_methods(add)
    add_reference(add)
    _add_internal(commands.add_parser("internal", description="steps that rules and make call"))
    if arguments and not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        parser.error(unknown("command", arguments[0], shown))
    return parser.parse_args(arguments)


def _add_tables_of_a_person(add: Add) -> None:
    explaining.add_options(
        add("explain", explaining.explain, "explain what a column of a table depends on", False)
    )
    auditing.add_options(
        add("audit", auditing.audit, "find the methods to trust on a table like yours", False)
    )


def _add_runs(add: Add) -> None:
    plan = add("plan", running.plan, "print settings, blocks, core-hours and disk; runs nothing")
    plan.add_argument("--jobs", type=positive, help="blocks at the same time: adds waves and hours")
    run = add("run", running.run, "run studies without Snakemake, by the same blocks")
    run.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")
    status = add(
        "status", inspecting.status, "print blocks done, running and failed, and time left"
    )
    status.add_argument("--jobs", type=positive, help="blocks at the same time (default: as now)")
    status.add_argument("--watch", action="store_true", help="repeat until all is done")
    status.add_argument(
        "--every", type=positive, metavar="SECONDS", help="with --watch (default 2; in a log 30)"
    )
    add("report", outputs.report, "write tables, figures and report from the blocks that are there")


def _add_inspecting(add: Add) -> None:
    inspecting.add_options_of_verify(
        add("verify", inspecting.verify, "check stored results; exit status 1 on any finding")
    )


def _add_own_methods(add: Add) -> None:
    listing = add("list", running.list_names, "print every registered name and every study")
    shown = listing.add_mutually_exclusive_group()
    shown.add_argument("--drawings", action="store_true", help="drawings with their options")
    shown.add_argument(
        "--schema",
        choices=("study", "configuration"),
        help="the format of study files or of the configuration, as JSON Schema",
    )
    check = add("check", methods.check, "run the contract tests on your own methods", False)
    check.set_defaults(needs_study=True)
    check.add_argument("files", type=Path, nargs="+", metavar="FILE")
    check.add_argument(
        "--seconds", type=positive, default=300, help="time limit of a single check (default 300)"
    )


def _add_internal(parser: argparse.ArgumentParser) -> None:
    """Add the steps that only the rules, the Makefile and the Dockerfile call."""
    steps = parser.add_subparsers(required=True, metavar="step")

    def add(name: str, command: Any, text: str, is_rule: bool = True) -> argparse.ArgumentParser:
        step = steps.add_parser(name, help=text, description=text)
        step.set_defaults(command=command, needs_study=is_rule)
        if is_rule:
            add_session_options(step)
        return step

    blocks = add("blocks", running.run_blocks, "compute the blocks of a job, or a single block")
    blocks.add_argument("file", type=Path, help="a text file of blocks' Parquet files, or one file")
    laws = add("laws", running.fit_joint_laws, "fit joint laws")
    laws.add_argument("laws", type=Path, nargs="+", metavar="LAW", help="a law's JSON file")
    add("studies", outputs.write_studies, "write summaries, tables and figures")
    add("page", outputs.write_page, "write results/report.html")
    add("compile", running.compile_kernels, "compile all kernels", False)


if __name__ == "__main__":
    sys.exit(main())
