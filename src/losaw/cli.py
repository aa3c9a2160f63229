"""The command line: every rule of the workflow, and everything that needs no Snakemake."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Parallelism comes from blocks; set before any numerical library is loaded.
for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ.setdefault(_variable, "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a mistake of the user ends in one message and exit status 2."""
    options = _parser().parse_args(arguments)
    from losaw.datasets.files import DatasetError
    from losaw.plugins import PluginError
    from losaw.registry import RegistryError
    from losaw.study.errors import StudyError

    try:
        return int(options.command(options) or 0)
    except (StudyError, RegistryError, PluginError, DatasetError) as error:
        print(f"losaw: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="losaw",
        description="Decorrelated feature importance: studies, tables, figures, your own methods.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name: str, command: Any, text: str, session: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        if session:
            _add_session_options(sub)
        return sub

    add("plan", _plan, "settings, blocks, core-hours and disk of a session; runs nothing")
    add("list", _list, "every registered learner, importance, generator, metric and every study")
    run = add("run", _run, "run studies without Snakemake, through the same blocks")
    run.add_argument("--jobs", type=_positive, default=1, help="processes (default 1)")
    block = add("run-block", _run_block, "compute one block (called by the workflow)")
    block.add_argument("block", type=Path, help="the block's Parquet file")
    laws = add("fit-law", _fit_law, "fit one joint law (called by the workflow)")
    laws.add_argument("law", type=Path, help="the law's JSON file")
    add("collect", _collect, "collect the blocks: summary and comparison.csv")
    add("tables", _tables, "the published tables, printed beside reproduced")
    add("figures", _figures, "the published figures")
    add("report", _report, "results/report.html")
    check = add("check", _check, "run the contract tests on your own method", session=False)
    check.add_argument("file", type=Path)
    new = add("new-method", _new_method, "write a starter file for your own method", session=False)
    new.add_argument("kind", help="learner, importance, generator or metric")
    new.add_argument("file", type=Path)
    add(
        "warm-up", _warm_up, "compile what is compiled once (called by make install)", session=False
    )
    return parser


def _add_session_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, default=Path("config/config.yaml"), metavar="FILE")
    parser.add_argument(
        "--study", action="append", metavar="NAME", help="default: the configuration's"
    )
    parser.add_argument("--scale", help="smoke, desk or paper")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="AXIS=VALUES",
        help="narrow the grid, e.g. --set n_samples=500 --set function=f3,f5",
    )
    parser.add_argument("--seeds", type=_positive, help="seeds of every setting")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="results folder")
    parser.add_argument("--figures-folder", type=Path, metavar="FOLDER")
    parser.add_argument("--plugin", action="append", metavar="FILE", help="your own method's file")
    parser.add_argument(
        "--configure",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any key of the configuration, its value in YAML",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; ask for 1 or more")
    return number


def _request(options: argparse.Namespace) -> Any:
    from losaw.study.request import Request, read_overrides, read_selection

    overrides = read_overrides(options.configure)
    named = {
        "studies": options.study,
        "scale": options.scale,
        "results": options.output,
        "figures": options.figures_folder or (options.output and options.output / "figures"),
        "plugins": options.plugin,
    }
    overrides.update({key: value for key, value in named.items() if value is not None})
    return Request(options.config, overrides, read_selection(options.set), options.seeds)


def _session(options: argparse.Namespace, trusted: bool = False) -> Any:
    from losaw.study.session import Session

    return Session(_request(options), trusted)


def _plan(options: argparse.Namespace) -> None:
    from losaw.study.plan import describe

    print(describe(_session(options)))


def _list(options: argparse.Namespace) -> None:
    from losaw import registry

    session = _session(options)
    for kind in registry.KINDS:
        print(f"{kind}s")
        for entry in registry.entries(kind):
            print(f"  {entry.name:28} {entry.target}")
    print("studies")
    for name in session.available_studies():
        study = session.read_study(name)
        print(f"  {name:28} {study.file.title}")


def _run(options: argparse.Namespace) -> None:
    from losaw.report.figures import check_figures
    from losaw.study.execute import execute
    from losaw.study.outputs import write_outputs

    session = _session(options)
    for study in session.studies:
        check_figures(study)
    execute(session, options.jobs)
    for study in session.studies:
        print(write_outputs(session.restricted_to(study.name, trusted=True), study))
    _write_tables(session)
    _write_figures(session)
    _write_report(session)
    print(session.results / "report.html")


def _run_block(options: argparse.Namespace) -> None:
    from losaw.study.blocks import Block
    from losaw.study.runner import run_block

    block = Block.from_path(options.block)
    options.study = [block.study]
    run_block(_session(options, trusted=True), block)


def _fit_law(options: argparse.Namespace) -> None:
    from losaw.study.execute import fit_laws

    fit_laws(_session(options, trusted=True), only=options.law)


def _collect(options: argparse.Namespace) -> None:
    from losaw.study.outputs import write_outputs

    session = _session(options)
    for study in session.studies:
        print(write_outputs(session, study))


def _tables(options: argparse.Namespace) -> None:
    _write_tables(_session(options, trusted=True))


def _figures(options: argparse.Namespace) -> None:
    _write_figures(_session(options, trusted=True))


def _report(options: argparse.Namespace) -> None:
    _write_report(_session(options, trusted=True))


def _write_tables(session: Any) -> None:
    from losaw.report.results import StudyResults
    from losaw.report.tables import write_tables

    for study in session.studies:
        folder = session.results / study.name
        write_tables(study, StudyResults(folder).comparison, folder / "tables")


def _write_figures(session: Any) -> None:
    from losaw.report.figures import write_figures
    from losaw.report.results import StudyResults

    for study in session.studies:
        write_figures(study, StudyResults(session.results / study.name), session.figures)


def _write_report(session: Any) -> None:
    from losaw.report.html import write_report

    write_report(session, session.results / "report.html")


def _check(options: argparse.Namespace) -> int:
    from losaw.contracts import check_file

    outcomes = check_file(options.file)
    for name, check, message in outcomes:
        print(
            f"{'ok    ' if not message else 'FAILED'} {name}: {check}{message and ': ' + message}"
        )
    return 1 if any(message for _, _, message in outcomes) else 0


def _new_method(options: argparse.Namespace) -> None:
    from losaw.contracts import new_method

    new_method(options.kind, options.file)
    print(f"wrote {options.file}; next: losaw check {options.file}")


def _warm_up(options: argparse.Namespace) -> None:
    from losaw.forest import warm_up

    warm_up()


if __name__ == "__main__":
    sys.exit(main())
