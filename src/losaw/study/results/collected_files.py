"""The collected tables as files: settings, blocks, measured values, score vectors."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_csv, write_file
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, Collection

ROWS_AT_ONCE = 500_000


def write_collection(folder: Path, collection: Collection) -> None:
    """Write ``settings.csv``, ``blocks.csv``, ``results.parquet`` and ``scores.parquet``."""
    blocks = blocks_frame(collection)
    write_csv(folder / "blocks.csv", blocks)
    write_csv(folder / "settings.csv", collection.settings)
    _write_plain(folder / "results.parquet", collection.results, RESULT_COLUMNS)
    _write_plain(folder / "scores.parquet", collection.scores, SCORE_COLUMNS)


def _write_plain(path: Path, rows: pd.DataFrame | pa.Table, columns: tuple[str, ...]) -> None:
    """Write rows with their texts as plain strings, some at a time."""
    schema = pa.schema([BLOCK_SCHEMA.field(name) for name in columns])

    def write(place: Path) -> None:
        with pq.ParquetWriter(place, schema, compression="zstd") as writer:
            for start in range(0, len(rows), ROWS_AT_ONCE):
                part = rows[start : start + ROWS_AT_ONCE]
                if isinstance(part, pd.DataFrame):
                    part = pa.Table.from_pandas(part, preserve_index=False)
                writer.write_table(part.cast(schema))

    write_file(path, write)


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
