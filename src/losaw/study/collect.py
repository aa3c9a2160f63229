"""All blocks of a study in two tables: one row per measured value, one per score vector."""

import json
from collections import Counter
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from losaw.study.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.replicate import SCORES
from losaw.study.session import Session
from losaw.study.store import load_block, write_table

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
_SHOWN = 5


@dataclass(frozen=True)
class Collection:
    """Every row of the asked blocks that are there.

    Attributes
    ----------
    results : DataFrame
        One row per (setting, learner, importance, seed, metric).
    scores : pyarrow.Table
        One row per (setting, learner, importance, seed): the raw per-feature scores.
    missing : list of Block
        Blocks that were asked for and have no file.
    """

    results: pd.DataFrame
    scores: pa.Table
    missing: list[Block]

    @property
    def n_missing_fits(self) -> int:
        return sum(len(block.seeds) for block in self.missing)


def collect(session: Session, study: Study) -> Collection:
    """Read all blocks that the session asks for, in the grid's order.

    Raises
    ------
    StudyError
        If a file is damaged, misplaced or stale, if nothing is there, or if the share of
        failed and missing fits is above the configuration's ``max_failed_share``.
    """
    tables, missing, problems = [], [], []
    blocks = session.blocks(study)
    for block in blocks:
        path = session.block_path(block)
        if not path.exists():
            missing.append(block)
            continue
        try:
            tables.append(load_block(path, block, session.version(block)).table)
        except StudyError as error:
            problems.append(str(error))
    if problems:
        raise StudyError(
            f"study {study.name!r}: {len(problems)} of {len(blocks)} block files are unusable:\n  "
            + "\n  ".join(problems[:_SHOWN])
            + ("\n  …" if len(problems) > _SHOWN else "")
            + "\nRemove them with `losaw verify --remove` and run the study again; "
            "only these blocks will be computed."
        )
    if not tables:
        raise StudyError(f"study {study.name!r}: none of its {len(blocks)} blocks is there yet")
    rows = _in_grid_order(session, study, pa.concat_tables(tables))
    is_scores = pa.compute.equal(rows["metric"], SCORES)
    kept = pa.compute.and_(is_scores, pa.compute.equal(rows["status"], "ok"))
    collection = Collection(
        rows.filter(pa.compute.invert(is_scores)).select(RESULT_COLUMNS).to_pandas(),
        rows.filter(kept).select(SCORE_COLUMNS),
        missing,
    )
    _check_failures(session, study, rows, collection)
    return collection


def _in_grid_order(session: Session, study: Study, rows: pa.Table) -> pa.Table:
    """Rows sorted by the study file's order, so that no block size or order shows."""
    ranks = {
        "setting_id": [setting.identifier for setting in study.settings],
        "learner": list(study.learners),
        "importance": ["", *study.importances],
        "metric": ["", SCORES, *study.metrics],
    }
    keys = {
        name: pa.compute.index_in(rows[name], value_set=pa.array(order))
        for name, order in ranks.items()
    }
    order = pa.compute.sort_indices(
        pa.table({**keys, "seed": rows["seed"]}),
        sort_keys=[(name, "ascending") for name in (*keys, "seed")],
    )
    return rows.take(order)


def _check_failures(session: Session, study: Study, rows: pa.Table, found: Collection) -> None:
    failed = rows.filter(pa.compute.not_equal(rows["status"], "ok"))
    fits = {
        tuple(row.values()) for row in failed.select(["setting_id", "learner", "seed"]).to_pylist()
    }
    planned = sum(len(block.seeds) for block in session.blocks(study))
    lost = len(fits) + found.n_missing_fits
    allowed = session.configuration.max_failed_share
    if lost > allowed * planned:
        reasons = Counter(failed["message"].to_pylist()).most_common(_SHOWN)
        raise StudyError(
            f"study {study.name!r}: {len(fits)} fits failed and {found.n_missing_fits} are missing "
            f"of {planned} ({lost / planned:.1%}); max_failed_share allows {allowed:.1%}.\n"
            + "".join(f"  {count} × {message}\n" for message, count in reasons)
            + "".join(f"  missing: {block.relative_path}\n" for block in found.missing[:_SHOWN])
            + "Finished blocks are kept. Mend the method, or raise max_failed_share."
        )


def write_collection(session: Session, study: Study, found: Collection) -> None:
    """Write ``results.parquet`` and ``scores.parquet`` into the study's folder."""
    folder = session.results / study.name
    results = pa.Table.from_pandas(found.results, preserve_index=False)
    write_table(folder / "results.parquet", results.replace_schema_metadata(None))
    write_table(folder / "scores.parquet", found.scores)


def settings_frame(study: Study) -> pd.DataFrame:
    """The settings table: identifier and axes of every setting."""
    return pd.DataFrame([{"setting_id": s.identifier, **s.axes} for s in study.settings])


def timings(session: Session, study: Study) -> pd.DataFrame:
    """Seconds and peak memory of every block that was run, from the run records."""
    rows = []
    for block in session.blocks(study):
        path = session.results / block.run_record_path
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            rows.append(
                {
                    "setting_id": block.setting,
                    "learner": block.learner,
                    "first": block.first,
                    "last": block.last,
                    "seconds": sum(record["seconds"]),
                    "peak_megabytes": record["peak_megabytes"],
                    "host": record["host"],
                }
            )
    columns = ["setting_id", "learner", "first", "last", "seconds", "peak_megabytes", "host"]
    return pd.DataFrame(rows, columns=columns)
