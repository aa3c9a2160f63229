"""The collected tables as files: settings, blocks, measured values, score vectors."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import load_named
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


def lists_the_blocks(written: Path, made: Path, results: Path) -> bool:
    """Return whether a list of blocks names files as they are now, which hold the same seeds.

    A run of other seeds or settings lists the same files in another order, and may take a seed
    that two files hold from the other one.
    """
    if not written.is_file() or written.read_bytes() == made.read_bytes():
        return True
    try:
        lines, others = (_lines(path) for path in (written, made))
        for line in lines:
            name = BlockName.from_path(Path(line["file"]))
            file = load_named(results / name.relative_path, name)
            now = block_line(name, file.footer["results_version"], file.sha256)
            if line != {key: str(value) for key, value in now.items()}:
                return False
    except (StudyError, ValueError, KeyError):
        return False
    return _seeds(lines) == _seeds(others)


def _lines(path: Path) -> list[dict[Hashable, str]]:
    return pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")


def _seeds(lines: list[dict[Hashable, str]]) -> set[tuple[str, str, int]]:
    return {
        (line["setting_id"], line["learner"], seed)
        for line in lines
        for seed in range(int(line["first_seed"]), int(line["last_seed"]) + 1)
    }
