"""Run one block: build its recipe, compute its seeds, write its file."""

import datetime
import json
from pathlib import Path
from typing import Any

from losaw.study.blocks import Block
from losaw.study.grid import Study
from losaw.study.provenance import footer, run_record
from losaw.study.replicate import Recipe, Row, run_replicate
from losaw.study.session import Session
from losaw.study.store import block_table, write_table, write_text


def run_block(session: Session, block: Block) -> Path:
    """Compute a block and write its Parquet file and its run record.

    Returns
    -------
    Path
        The block's file, which is either whole or absent.
    """
    study = session.study(block.study)
    setting = study.setting(block.setting)
    learner = study.learner(block.learner)
    version = session.version(block)
    recipe, law = build_recipe(study, block, session.laws_folder)
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    rows: list[Row] = []
    seconds: list[float] = []
    for seed in block.seeds:
        new_rows, spent = run_replicate(recipe, seed)
        rows += new_rows
        seconds.append(spent)
    path = session.block_path(block)
    table = block_table(block, rows, footer(study, block, setting, learner, version, law))
    write_text(
        session.results / block.run_record_path,
        json.dumps(run_record(started, seconds), indent=1) + "\n",
    )
    write_table(path, table)
    return path


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
        draw=lambda rng: generator.sample(rng, joint_law=law),
        make_learner=lambda: learner.entry.create(**parameters),
        importances={
            label: study.importances[label].entry.create(
                **study.importances[label].parameters_for(setting)
            )
            for label in learner.importances
        },
        metrics={name: metric.entry.create() for name, metric in study.metrics.items()},
    )
    return recipe, None if law is None else law.record()


def law_path(generator: Any, laws_folder: Path) -> Path | None:
    """Where the joint law of a generator is kept; None if it needs none."""
    specification = generator.joint_law()
    return None if specification is None else laws_folder / f"{specification.identifier}.json"


def load_law(generator: Any, laws_folder: Path) -> Any:
    """The stored joint law of a generator, fitted and stored first if it is absent."""
    path = law_path(generator, laws_folder)
    if path is None:
        return None
    from losaw.generators.joint_law import JointLaw

    if not path.exists():
        generator.joint_law().fit().save(path)
    return JointLaw.load(path)
