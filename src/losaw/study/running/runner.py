"""Run blocks: compute their seeds in watched children, write their files."""

import datetime
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from losaw.generators.base import draw, joint_law_of, prepare
from losaw.study.design.blocks import Block
from losaw.study.design.grid import Study
from losaw.study.design.session import Session
from losaw.study.errors import MissingBlocksError
from losaw.study.files.block_file import block_table, write_table, write_text
from losaw.study.files.footer import run_record
from losaw.study.running.marks import RunningMark
from losaw.study.running.replicate import Recipe
from losaw.study.running.stored_seeds import block_footer, stored_seeds
from losaw.study.running.supervisor import compute
from losaw.study.running.task import Task


def run_block(session: Session, block: Block) -> Path:
    """Compute a block and write its Parquet file and its run record.

    Returns
    -------
    Path
        The block's file, which is either whole or absent.
    """
    for _ in run_blocks(session, [block], jobs=1):
        pass
    return session.block_path(block)


def run_blocks(session: Session, blocks: Iterable[Block], jobs: int) -> Iterator[Task]:
    """Compute blocks on ``jobs`` processes; yields each one when its file is written.

    Raises
    ------
    StudyError
        If a block cannot be written: at once.
    MissingBlocksError
        If blocks cannot begin (a parameter that a method refuses, a law that is damaged, a
        process that dies before its first seed): when the others are done.
    """
    refusals: list[str] = []
    marks: dict[Block, RunningMark] = {}

    def tasks() -> Iterator[Task]:
        for block in blocks:
            marks[block] = RunningMark(session, block)
            yield _task(session, block)

    try:
        for task in compute(session, tasks(), jobs):
            mark = marks.pop(task.block)
            if task.refusal:
                refusals.append(task.refusal)
            else:
                _write(session, task, mark.started)
            mark.remove()
            if not task.refusal:
                yield task
    finally:
        for mark in marks.values():
            mark.remove()
    if refusals:
        more = f"\n… and {len(refusals) - 5} more" if len(refusals) > 5 else ""
        raise MissingBlocksError(
            f"{len(refusals)} blocks could not begin:\n" + "\n".join(refusals[:5]) + more
        )


def _task(session: Session, block: Block) -> Task:
    stored = stored_seeds(session, block)
    return Task(
        block,
        [seed for seed in block.seeds if seed not in stored.rows],
        60 * session.configuration.block_minutes,
        rows=stored.rows,
        seconds=stored.seconds,
        n_taken_over=len(stored.rows),
        law=stored.law,
    )


def _write(session: Session, task: Task, started: datetime.datetime) -> None:
    block = task.block
    rows = [row for seed in block.seeds for row in task.rows[seed]]
    table = block_table(block, rows, block_footer(session, block, task.law))
    record = run_record(
        started,
        [task.seconds[seed] for seed in block.seeds],
        n_failed=task.n_failed,
        n_taken_over=task.n_taken_over,
        peak_megabytes=task.peak_megabytes,
    )
    write_text(session.results / block.run_record_path, json.dumps(record, indent=1) + "\n")
    write_table(session.block_path(block), table)


def build_recipe(study: Study, block: Block, laws_folder: Path) -> tuple[Recipe, Any]:
    """The recipe of a block's replicates, and the record of the joint law it draws from."""
    setting = study.setting(block.setting)
    learner = study.learner(block.learner)
    generator = study.generator.entry.create(**setting.parameters)
    law = load_law(generator, laws_folder)
    parameters = learner.parameters_for(setting)
    recipe = Recipe(
        experiment=study.experiment,
        setting=setting.data_identifier,
        learner=learner.label,
        draw=lambda rng: draw(generator, rng, law),
        make_learner=lambda: learner.entry.create(**parameters),
        importances={
            label: study.importances[label].entry.create(
                **study.importances[label].parameters_for(setting)
            )
            for label in learner.importances
        },
        metrics={
            label: metric.entry.create(**metric.parameters)
            for label, metric in study.metrics.items()
        },
    )
    return recipe, None if law is None else law.record()


def law_path(generator: Any, laws_folder: Path) -> Path | None:
    """Where the joint law of a generator is kept; None if it needs none."""
    prepare(generator)
    specification = joint_law_of(generator)
    return None if specification is None else laws_folder / f"{specification.identifier}.json"


def load_law(generator: Any, laws_folder: Path) -> Any:
    """The stored joint law of a generator, fitted and stored first if it is absent."""
    path = law_path(generator, laws_folder)
    if path is None:
        return None
    from losaw.generators.joint_law.law import JointLaw

    if not path.exists():
        from losaw.generators.joint_law.fit import fit_joint_law

        fit_joint_law(generator.joint_law()).save(path)
    return JointLaw.load(path)
