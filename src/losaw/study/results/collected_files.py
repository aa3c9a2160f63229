"""The collected tables as files: settings, blocks, measured values, score vectors."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_csv, write_rows
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, Collection


def write_collection(folder: Path, collection: Collection) -> None:
    """Write ``settings.csv``, ``blocks.csv``, ``results.parquet`` and ``scores.parquet``."""
    blocks = blocks_frame(collection)
    write_csv(folder / "blocks.csv", blocks)
    write_csv(folder / "settings.csv", collection.settings)
    for name, rows, columns in (
        ("results", collection.results, RESULT_COLUMNS),
        ("scores", collection.scores, SCORE_COLUMNS),
    ):
        schema = pa.schema([BLOCK_SCHEMA.field(column) for column in columns])
        write_rows(folder / f"{name}.parquet", rows, schema)


def blocks_frame(collection: Collection) -> pd.DataFrame:
    """One row per block that was collected: what it holds, and exactly which file it was."""
    return pd.DataFrame(
        [
            {
                "setting_id": block.name.setting,
                "learner": block.name.learner,
                "first_seed": block.name.first,
                "last_seed": block.name.last,
                "results_version": version,
                "sha256": sha256,
                "file": str(block.name),
            }
            for block, (version, sha256) in collection.files.items()
        ]
    )
