"""Commands of a run: plan, list and run; for the rules also blocks and joint laws."""

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from losaw.commands.cli_options import default_configuration, session_of
from losaw.commands.outputs import write_all
from losaw.support.errors import LosawError
from losaw.support.extras import STUDY, MissingExtraError, require

if TYPE_CHECKING:
    from losaw.study.design.session import Session


def plan(options: argparse.Namespace) -> None:
    """Print the cost of the session."""
    from losaw.study.running.estimate import describe

    session = session_of(options)
    _check(session)
    print(describe(session.plans, options.jobs))


def list_names(options: argparse.Namespace) -> None:
    """Print every registered name and every study, or what a study file may say."""
    from losaw import registry

    if options.schema:
        require("study", STUDY)
        from losaw.study.design.schema import Configuration, StudyFile

        model = StudyFile if options.schema == "study" else Configuration
        print(json.dumps(model.model_json_schema(), indent=1))
        return
    if options.drawings:
        require("study", STUDY)
        from losaw.report.figures import describe_drawings

        print("\n".join(describe_drawings()))
        return
    for kind in registry.KINDS:
        print(f"{kind}s")
        for entry in registry.entries(kind):
            print(f"  {entry.name:28} {entry.target}")
    print("studies")
    try:
        require("study", STUDY)
        options.config = options.config or default_configuration()
    except (MissingExtraError, LosawError) as error:
        print(f"  {error}")
        return
    session = session_of(options)
    for name in session.available_studies():
        study = session.read_study(name)
        print(f"  {name:28} {study.file.title}")


def run(options: argparse.Namespace) -> int:
    """Run the session's studies, then write tables, figures and report.

    Blocks that cannot begin are counted as missing in the summary, which may refuse; 2 then.
    """
    from losaw.study.errors import MissingBlocksError
    from losaw.study.running.runner import execute

    session = session_of(options)
    _check(session)
    status = 0
    try:
        execute(session.all_blocks, options.jobs)
    except MissingBlocksError as error:
        print(f"losaw: {error}", file=sys.stderr, flush=True)
        status = 2
    write_all(session)
    return status


def run_blocks(options: argparse.Namespace) -> None:
    """Compute a block, or those of a job's list that are not there yet."""
    from losaw.study.design.blocks import BlockName
    from losaw.study.running.jobs import read_job
    from losaw.study.running.runner import run_block, run_job
    from losaw.study.running.running_marks import JOB_VARIABLE

    if options.file.suffix == ".parquet":
        name = BlockName.from_path(options.file)
        options.study = [name.study]
        run_block(session_of(options, trusted=True).block(name))
        return
    os.environ[JOB_VARIABLE] = options.file.stem
    names, again = read_job(options.file)
    options.study = sorted({name.study for name in names})
    session = session_of(options, trusted=True)
    run_job((session.block(name) for name in names), again)


def fit_joint_laws(options: argparse.Namespace) -> None:
    """Fit joint laws."""
    from losaw.study.running.joint_laws import fit_laws

    fit_laws(session_of(options, trusted=True).all_blocks, only=options.laws)


def compile_kernels(options: argparse.Namespace) -> None:
    """Compile all kernels."""
    from losaw.commands.warm_up import warm_up

    warm_up()


def _check(session: "Session") -> None:
    """Check a session before anything runs."""
    from losaw.report.figures import check_figures
    from losaw.study.design.validation import check_extras

    for study in session.studies:
        check_figures(study)
        check_extras(study, session.learners(study))
