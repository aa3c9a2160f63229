"""All blocks of a study in two tables: one row per measured value, one per score vector."""

import itertools
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.block.block_file import BlockFile, as_stored, digest_of, fits_of, read_block
from losaw.study.block.blocks import Block
from losaw.study.block.recipe import recipe_changes
from losaw.study.block.rows import BLOCK_SCHEMA, SCORES
from losaw.study.errors import StudyError
from losaw.study.request.grid import Study
from losaw.study.session import StudyPlan

KEYS = ["setting_id", "learner", "importance", "seed"]
RESULT_COLUMNS = ("study", *KEYS, "metric", "value", "status", "message")
SCORE_COLUMNS = ("study", *KEYS, "features", "scores", "std_error", "p_values", "signal")
_SHOWN = 5
# Each text is stored once: most of the millions of rows repeat a few names.
_TEXT = pa.dictionary(pa.int32(), pa.string())
_COMPACT = pa.schema([(f.name, _TEXT if f.type == pa.string() else f.type) for f in BLOCK_SCHEMA])
_SEEDS = 20  # a line of evidence holds the blocks that begin among so many seeds


@dataclass(frozen=True)
class Collection:
    """All rows of a study's requested blocks; texts are categorical."""

    settings: pd.DataFrame  # a row per setting of the study: identifier and axes
    results: pd.DataFrame  # a row per setting, learner, importance, seed and metric
    scores: pa.Table  # a row per setting, learner, importance and seed
    blocks: pd.DataFrame  # a row per setting, learner and 20 seeds: SHA-256 of the rows
    libraries: dict[str, str]  # versions that computed the blocks
    laws: dict[str, Any]  # records of their joint laws


def collect(plan: StudyPlan) -> Collection:
    """Read the requested blocks, and nothing else; rows come in the order of the study file.

    A StudyError names the files that are missing, damaged or of another recipe, and the methods
    whose share of failed fits is above the configuration's ``max_failed_share``.
    """
    tables: list[pa.Table] = []
    fits: dict[tuple[str, str, int], list[pa.Table]] = {}  # of a line of evidence
    libraries: dict[str, dict[str, None]] = {}  # name -> versions, each once
    laws: dict[str, Any] = {}
    problems = {}
    for path, block in plan.blocks.items():
        try:
            file = load_block(block)
        except StudyError as error:
            problems[path] = error
            continue
        tables.append(file.table.cast(_COMPACT))
        for (setting, learner), rows in fits_of(tables[-1]):
            line = setting, learner, rows["seed"][0].as_py() // _SEEDS
            fits.setdefault(line, []).append(rows)
        for name, version in file.footer["libraries"].items():
            libraries.setdefault(name, {})[version] = None
        laws |= file.footer["laws"]
    check_usable(plan, problems)
    rows = _in_grid_order(plan.study, pa.concat_tables(tables).unify_dictionaries())
    frame = rows.select(RESULT_COLUMNS).to_pandas()
    orders = [grid_order(plan.study)[key] for key in ("setting_id", "learner")]
    places = [{name: place for place, name in enumerate(order)} for order in orders]
    lines = sorted(fits, key=lambda line: (places[0][line[0]], places[1][line[1]], line[2]))
    is_failed = [pc.any(pc.not_equal(table["status"], "ok")).as_py() for table in tables]
    check_fits(plan, frame, shlex.join(itertools.compress(plan.blocks, is_failed)))
    is_score = pc.and_(pc.equal(rows["metric"], SCORES), pc.equal(rows["status"], "ok"))
    return Collection(
        pd.DataFrame([{"setting_id": s.identifier, **s.axes} for s in plan.study.settings]),
        frame[frame["metric"] != SCORES].reset_index(drop=True),
        rows.select(SCORE_COLUMNS).filter(is_score),
        pd.DataFrame([_evidence(plan.study, *line[:2], fits[line]) for line in lines]),
        {name: ", ".join(versions) for name, versions in libraries.items()},
        laws,
    )


def check_usable(plan: StudyPlan, problems: Mapping[str, StudyError]) -> None:
    """Refuse blocks with a problem; say how they are made again."""
    if problems:
        paths = shlex.join(problems)
        shown = "".join(f"\n  {error}" for error in [*problems.values()][:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise StudyError(
            f"study {plan.study.name!r}: {len(problems)} block{'s' * (len(problems) > 1)} "
            f"cannot be used:{shown}{more}\n"
            f"remove them, and the same command computes them again:\n  rm {paths}"
        )


def _evidence(study: Study, setting: str, learner: str, tables: list[pa.Table]) -> dict[str, Any]:
    rows = pa.concat_tables(tables).cast(BLOCK_SCHEMA)  # the digest is one of texts
    # In the order in which they are computed: blocks stay if metrics change places in the file.
    orders = {
        "metric": [SCORES, "", *study.metrics],
        "importance": ["", *study.learners[learner].importances],
    }
    places = [pc.index_in(rows[key], pa.array(order)).to_numpy() for key, order in orders.items()]
    rows = rows.take(np.lexsort([*places, rows["seed"].to_numpy()]))
    seeds = rows["seed"].to_pylist()
    line = {"setting": setting, "learner": learner, "first_seed": seeds[0]}
    return {**line, "last_seed": seeds[-1], "rows_sha256": digest_of(rows, {})}


def load_block(block: Block) -> BlockFile:
    """Read a block's file that is whole and of the recipe that is asked for.

    If ``.snakemake`` is lost, Snakemake cannot see that the recipe was another one.
    """
    file = read_block(block.path)
    changed = next(recipe_changes(file.footer["recipe"], as_stored(block.recipe.to_dict())), None)
    if changed:
        raise StudyError(f"{block.path}: is of another recipe: {changed}")
    return file


def _in_grid_order(study: Study, rows: pa.Table) -> pa.Table:
    """Return rows in the order of the study file, whatever the cut into blocks."""
    orders = grid_order(study)
    keys = rows.select([*orders, "seed"]).to_pandas()
    for name, order in orders.items():
        keys[name] = keys[name].cat.set_categories(order, ordered=True)
    return rows.take(keys.sort_values([*orders, "seed"], kind="stable").index.to_numpy())


def grid_order(study: Study) -> dict[str, list[str]]:
    """Return the names of each key of a row, in the order of the study file."""
    return {
        "setting_id": [setting.identifier for setting in study.settings],
        "learner": list(study.learners),
        "importance": ["", *study.importances],
        "metric": ["", *study.metrics, SCORES],
    }


def check_fits(plan: StudyPlan, rows: pd.DataFrame, failed_blocks: str) -> None:
    """Raise an error if a method failed in more than the allowed share of its fits.

    The mean over the fits that went well would be one over a selected part of the data sets.
    """
    fit, method = ["setting_id", "learner", "seed"], ["learner", "importance"]
    n_fits = rows.drop_duplicates(fit).groupby("learner", observed=True).size()
    failed = rows[rows["status"] != "ok"]
    problems = []
    for (learner, importance), rows_of_method in failed.groupby(method, observed=True):
        failed_fits = rows_of_method.drop_duplicates(fit)
        n_failed, n = len(failed_fits), n_fits[learner]
        if n_failed / n > plan.max_failed_share:
            reasons = Counter(failed_fits["message"]).most_common(_SHOWN)
            name = f"{learner} {importance}".strip()
            problems.append(f"  {name} failed in {n_failed} of {n} fits ({n_failed / n:.1%})\n")
            problems += [f"    {count} × {message}\n" for message, count in reasons]
    if problems:
        raise StudyError(
            f"study {plan.study.name!r}: more fits of a method failed than max_failed_share, "
            f"{plan.max_failed_share:.1%}, allows, so there is no summary.\n{''.join(problems)}"
            "Fix the method, take it out of the study, or raise max_failed_share. To try again, "
            f"remove these files, which are then computed whole:\n  rm {failed_blocks}"
        )
