"""The collected tables as files: settings, blocks, measured values, score vectors."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from losaw.study.design.blocks import BlockName
from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_csv, write_rows
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, Collection


def write_collection(folder: Path, collection: Collection) -> None:
    """Write ``settings.csv``, ``blocks.csv``, ``results.parquet`` and ``scores.parquet``."""
    blocks = [
        block_line(block.name, version, sha256)
        for block, (version, sha256) in collection.files.items()
    ]
    write_csv(folder / "blocks.csv", pd.DataFrame(blocks))
    write_csv(folder / "settings.csv", collection.settings)
    for name, rows, columns in (
        ("results", collection.results, RESULT_COLUMNS),
        ("scores", collection.scores, SCORE_COLUMNS),
    ):
        schema = pa.schema([BLOCK_SCHEMA.field(column) for column in columns])
        write_rows(folder / f"{name}.parquet", rows, schema)


def block_line(name: BlockName, version: str, sha256: str) -> dict[str, Any]:
    """Return the row of ``blocks.csv`` on a block: its seeds, and exactly which file it was."""
    return {
        "setting_id": name.setting,
        "learner": name.learner,
        "first_seed": name.first,
        "last_seed": name.last,
        "results_version": version,
        "sha256": sha256,
        "file": str(name),
    }
