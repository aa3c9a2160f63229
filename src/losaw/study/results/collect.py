"""All blocks of a study in two tables: one row per measured value, one per score vector."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.design.blocks import Block
from losaw.study.design.grid import Study
from losaw.study.design.plan import StudyPlan, blocks_by_setting
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BlockFile, load_blocks
from losaw.study.files.rows import SCORES
from losaw.study.files.run_record import check_run_record
from losaw.study.results.failing import check_fits, without_failing

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
    """All rows of the study's stored blocks, requested or not.

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
    missing : list of Block
        Blocks that were asked for and have no file.
    files : dict
        Block -> (results version, SHA-256 of its file), of the blocks that are there.
    n_fits : int
        Replicates that are there or missing.
    left_out : dict
        Learner and importance -> why its cells are left out, where more than the allowed share
        of it failed.
    """

    settings: pd.DataFrame
    results: pd.DataFrame
    scores: pa.Table
    failed: pa.Table
    missing: list[Block]
    files: dict[Block, tuple[str, str]]
    n_fits: int
    left_out: dict[str, str]


def collect(plan: StudyPlan) -> Collection:
    """Read all requested blocks, and the study's other files.

    A quick look at a few settings therefore adds to what a long run has left, and never takes the
    place of it. Files that were not asked for count if they are whole and up to date; a seed that
    two files hold counts once.

    Raises
    ------
    StudyError
        If a file that was asked for is damaged, misplaced or stale, if nothing is there, or if the
        share of failed and missing fits is above the configuration's ``max_failed_share``.
    """
    results, scores, failed = [], [], []
    missing: list[Block] = []
    files: dict[Block, tuple[str, str]] = {}
    problems: list[str] = []
    n_fits = 0
    study, asked = plan.study, set(plan.blocks)
    blocks = blocks_by_setting(plan)
    files_read = zip(blocks, load_blocks(blocks), strict=True)
    # Setting by setting, as the grid orders them: what is sorted and copied at once stays small.
    for _, of_setting in groupby(files_read, key=lambda pair: pair[0].name.setting):
        tables = []
        seen: dict[str, set[int]] = defaultdict(set)
        for block, file in of_setting:
            of_learner = seen[block.name.learner]
            new = set(block.seeds) - of_learner
            if isinstance(file, BlockFile) and new:
                files[block] = (file.footer["results_version"], file.sha256)
                problems += _record_problem(block)
                whole = len(new) == len(block.seeds)
                tables.append(file.table if whole else _of_seeds(file.table, new))
            elif file is None and block in asked:
                missing.append(block)
            elif isinstance(file, StudyError) and block in asked:
                problems.append(str(file))
            else:
                continue
            of_learner |= new
            n_fits += len(new)
        if tables:
            rows = _in_grid_order(study, pa.concat_tables(tables))
            # Split before anything is moved: score vectors are most of the bytes.
            is_scores = pc.equal(rows["metric"], SCORES)
            is_failed = pc.not_equal(rows["status"], "ok")
            results.append(_compact(rows.select(RESULT_COLUMNS).filter(pc.invert(is_scores))))
            scores.append(
                _compact(rows.select(SCORE_COLUMNS).filter(pc.and_not(is_scores, is_failed)))
            )
            failed.append(rows.select(FAILURE_COLUMNS).filter(is_failed))
    if problems:
        raise StudyError(
            f"study {study.name!r}: {len(problems)} files of blocks are unusable:\n  "
            + "\n  ".join(problems[:_SHOWN])
            + ("\n  …" if len(problems) > _SHOWN else "")
            + "\n`losaw run` and `snakemake` make them again, and compute only these blocks."
        )
    if not files:
        raise StudyError(f"study {study.name!r}: none of its {len(asked)} blocks is there yet")
    all_failed = pa.concat_tables(failed)
    check_fits(plan, all_failed, missing, n_fits)
    frame = pa.concat_tables(results).unify_dictionaries().to_pandas()
    frame, left_out = without_failing(frame, all_failed, plan.max_failed_share)
    return Collection(
        settings_frame(study), frame, pa.concat_tables(scores), all_failed, missing, files, n_fits,
        left_out,
    )  # fmt: skip


def _record_problem(block: Block) -> list[str]:
    """Return the problem of a run record, or None."""
    try:
        check_run_record(block.record_path)
    except StudyError as error:
        return [str(error)]
    return []


def _of_seeds(rows: pa.Table, seeds: Iterable[int]) -> pa.Table:
    return rows.filter(pc.is_in(rows["seed"], value_set=pa.array(sorted(seeds), pa.int32())))


def _in_grid_order(study: Study, rows: pa.Table) -> pa.Table:
    """Return rows in the order of the study file, whatever the size and order of blocks."""
    ranks = {
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
    return rows.take(order)


def _compact(rows: pa.Table) -> pa.Table:
    """Store each text once: most of the millions of rows repeat a few names."""
    for index, field in enumerate(rows.schema):
        if pa.types.is_string(field.type):
            rows = rows.set_column(index, field.name, rows[field.name].dictionary_encode())
    return rows


def settings_frame(study: Study) -> pd.DataFrame:
    """The settings table: identifier and axes of every setting."""
    return pd.DataFrame([{"setting_id": s.identifier, **s.axes} for s in study.settings])
