"""All blocks of a study in two tables: one row per measured value, one per score vector."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.block_file import BlockFile, digest_of, fits_of, read_block
from losaw.study.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.recipe import difference
from losaw.study.results.failing import check_fits, without_failing
from losaw.study.rows import SCORES
from losaw.study.session import StudyPlan

RESULT_COLUMNS = (
    "study",
    "setting_id",
    "learner",
    "importance",
    "seed",
    "metric",
    "value",
    "status",
    "message",
)
SCORE_COLUMNS = (
    "study",
    "setting_id",
    "learner",
    "importance",
    "seed",
    "features",
    "scores",
    "std_error",
    "p_values",
    "signal",
)
FAILURE_COLUMNS = ("setting_id", "learner", "seed", "importance", "metric", "message")
_SHOWN = 5


@dataclass(frozen=True)
class Collection:
    """All rows of a study's requested blocks.

    Attributes
    ----------
    settings : DataFrame
        One row per setting of the study: identifier and axes.
    results : DataFrame
        One row per (setting, learner, importance, seed, metric); texts are categorical.
    scores : pyarrow.Table
        One row per (setting, learner, importance, seed): the raw per-feature scores; texts are
        dictionaries.
    failed : pyarrow.Table
        Every row of what failed, scores included.
    blocks : DataFrame
        One row per block, setting and learner: its seeds, and the SHA-256 of its rows.
    libraries, laws : dict
        Versions of the libraries that computed the blocks, and the records of their joint laws.
    n_fits : int
        Number of replicates.
    left_out : dict
        Learner and importance -> why its cells are left out, where more than the allowed share
        of it failed.
    """

    settings: pd.DataFrame
    results: pd.DataFrame
    scores: pa.Table
    failed: pa.Table
    blocks: pd.DataFrame
    libraries: dict[str, str]
    laws: dict[str, Any]
    n_fits: int
    left_out: dict[str, str]


def collect(plan: StudyPlan) -> Collection:
    """Read the requested blocks, and nothing else.

    Raises
    ------
    StudyError
        If a file is missing, damaged, or of another recipe, or if the share of failed fits is
        above the configuration's ``max_failed_share``.
    """
    study = plan.study
    results, scores, failed = [], [], []
    lines: list[dict[str, Any]] = []
    libraries: dict[str, str] = {}
    laws: dict[str, Any] = {}
    by_setting: dict[str, pa.Table] = {}
    for tables in _by_slice(plan, lines, libraries, laws):
        by_setting |= _in_grid_order(study, pa.concat_tables(tables))
    for setting in plan.settings:
        rows = by_setting.pop(setting.identifier)
        # Split before anything is moved: score vectors are most of the bytes.
        is_scores = pc.equal(rows["metric"], SCORES)
        is_failed = pc.not_equal(rows["status"], "ok")
        results.append(_compact(rows.select(RESULT_COLUMNS).filter(pc.invert(is_scores))))
        scores.append(_compact(rows.select(SCORE_COLUMNS).filter(pc.and_not(is_scores, is_failed))))
        failed.append(rows.select(FAILURE_COLUMNS).filter(is_failed))
    all_failed = pa.concat_tables(failed)
    check_fits(plan, all_failed)
    frame = pa.concat_tables(results).unify_dictionaries().to_pandas()
    frame, left_out = without_failing(frame, all_failed, plan.max_failed_share)
    return Collection(
        settings_frame(study), frame, pa.concat_tables(scores), all_failed, pd.DataFrame(lines),
        libraries, laws, plan.n_fits, left_out,
    )  # fmt: skip


def _by_slice(
    plan: StudyPlan, lines: list[dict[str, Any]], libraries: dict[str, str], laws: dict[str, Any]
) -> Iterator[list[pa.Table]]:
    """Yield the tables of each slice's blocks; note what they are of."""
    problems = []
    for _, blocks in groupby(plan.blocks.values(), key=lambda block: block.slice.name):
        tables = []
        for block in blocks:
            try:
                file = load_block(block)
            except StudyError as error:
                problems.append(error)
                continue
            tables.append(file.table)
            lines += _lines(file)
            libraries |= file.footer["libraries"]
            laws |= file.footer["laws"]
        if not problems:
            yield tables
    if problems:
        paths = " ".join(str(error).partition(": ")[0] for error in problems)
        shown = "".join(f"\n  {error}" for error in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise StudyError(
            f"study {plan.study.name!r}: {len(problems)} blocks cannot be used:{shown}{more}\n"
            f"remove them, and the same command computes them again:\n  rm {paths}"
        )


def load_block(block: Block) -> BlockFile:
    """Read a block's file that is whole and of the recipe that is asked for.

    If ``.snakemake`` is lost, Snakemake cannot see that the recipe was another one.

    Raises
    ------
    StudyError
        As :func:`losaw.study.block_file.read_block`, or if the recipe is another one.
    """
    file = read_block(block.path)
    asked = json.loads(json.dumps(block.recipe))
    changed = difference(file.footer["recipe"], asked)
    if changed:
        raise StudyError(f"{block.path}: is of another recipe: {changed}")
    return file


def _lines(file: BlockFile) -> Iterator[dict[str, Any]]:
    for (setting, learner), rows in fits_of(file.table):
        seeds = rows["seed"].to_pylist()
        yield {
            "setting": setting,
            "learner": learner,
            "first_seed": seeds[0],
            "last_seed": seeds[-1],
            "rows_sha256": digest_of(rows, {}),
        }


def _in_grid_order(study: Study, rows: pa.Table) -> dict[str, pa.Table]:
    """Return rows by setting in the order of the study file, whatever the cut into blocks."""
    ranks = {
        "setting_id": [setting.identifier for setting in study.settings],
        "learner": list(study.learners),
        "importance": ["", *study.importances],
        "metric": ["", *study.metrics],
    }
    keys = {
        name: pc.index_in(rows[name], value_set=pa.array(order)) for name, order in ranks.items()
    }
    order = pc.sort_indices(
        pa.table({**keys, "seed": rows["seed"]}),
        sort_keys=[(name, "ascending") for name in (*keys, "seed")],
    )
    rows = rows.take(order)
    settings = rows["setting_id"].to_numpy()
    starts = np.flatnonzero(np.r_[True, settings[1:] != settings[:-1]])
    stops = [*starts[1:], len(settings)]
    return {settings[i]: rows.slice(i, j - i) for i, j in zip(starts, stops, strict=True)}


def _compact(rows: pa.Table) -> pa.Table:
    """Store each text once: most of the millions of rows repeat a few names."""
    for index, field in enumerate(rows.schema):
        if pa.types.is_string(field.type):
            rows = rows.set_column(index, field.name, rows[field.name].dictionary_encode())
    return rows


def settings_frame(study: Study) -> pd.DataFrame:
    """The settings table: identifier and axes of every setting."""
    return pd.DataFrame([{"setting_id": s.identifier, **s.axes} for s in study.settings])
