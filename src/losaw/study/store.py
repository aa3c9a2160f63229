"""Files that are whole or absent: written beside their place, synced, renamed."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from losaw.study.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.replicate import Row

FOOTER_KEY = b"losaw"
_TEMPORARY = ".unfinished"

_NUMBERS = pa.list_(pa.float64())
BLOCK_SCHEMA = pa.schema(
    [
        ("study", pa.string()),
        ("setting_id", pa.string()),
        ("learner", pa.string()),
        ("seed", pa.int32()),
        ("importance", pa.string()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("status", pa.string()),
        ("message", pa.string()),
        ("features", pa.list_(pa.string())),
        ("scores", _NUMBERS),
        ("std_error", _NUMBERS),
        ("p_values", _NUMBERS),
        ("signal", pa.list_(pa.int32())),
    ]
)


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file in the same folder, then rename it to ``path``.

    A temporary file left by a killed process is overwritten; its name never ends in the
    suffix that readers look for.

    Raises
    ------
    StudyError
        If the folder is read-only or full: names the path and the remedy; ``path`` is untouched.
    """
    temporary = path.with_name(f"{path.name}{_TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StudyError(
            f"{path}: cannot be written: {error.strerror or error}. Finished results are "
            "untouched; free space or choose another folder with --output, then run it again"
        ) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda place: _write_text(place, text))


def _write_text(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")


def write_table(path: Path, table: pa.Table) -> None:
    """Write a Parquet file atomically."""
    write_atomically(path, lambda place: pq.write_table(table, place, compression="zstd"))


def block_table(block: Block, rows: Iterable[Row], footer: Mapping[str, Any]) -> pa.Table:
    """The rows of a block as a table whose schema metadata holds the footer."""
    rows = list(rows)
    columns: dict[str, list[Any]] = {
        "study": [block.study] * len(rows),
        "setting_id": [block.setting] * len(rows),
        "learner": [block.learner] * len(rows),
    }
    for field in fields(Row):
        columns[field.name] = [getattr(row, field.name) for row in rows]
    table = pa.table(columns, schema=BLOCK_SCHEMA)
    return table.replace_schema_metadata({FOOTER_KEY: json.dumps(footer, sort_keys=True)})


def read_footer(path: Path) -> dict[str, Any]:
    """The provenance in a block's footer.

    Raises
    ------
    StudyError
        If the file is empty, truncated, or not one of ours.
    """
    try:
        metadata = pq.read_schema(path).metadata or {}
        return json.loads(metadata[FOOTER_KEY])
    except (OSError, pa.ArrowInvalid, KeyError, ValueError) as error:
        raise StudyError(f"{path}: {_damage(path, error)}") from None


def read_block(path: Path) -> pa.Table:
    """All rows of a block's file.

    Raises
    ------
    StudyError
        If the file is empty, truncated, or has other columns.
    """
    try:
        table = pq.read_table(path, partitioning=None)
    except (OSError, pa.ArrowInvalid) as error:
        raise StudyError(f"{path}: {_damage(path, error)}") from None
    if not table.schema.remove_metadata().equals(BLOCK_SCHEMA):
        raise StudyError(f"{path}: its columns are not those of a block of this version")
    return table


def _damage(path: Path, error: Exception) -> str:
    if not path.exists():
        return "no such file"
    if path.stat().st_size == 0:
        return "is empty"
    if isinstance(error, KeyError):
        return "is a Parquet file, but not a block: it has no footer of ours"
    return "is damaged or truncated"


def check_block(path: Path, block: Block, version: str) -> str | None:
    """What is wrong with a block's file, or None if it is whole, in its place and up to date."""
    try:
        footer = read_footer(path)
        table = read_block(path)
    except StudyError as error:
        return str(error).partition(": ")[2]
    written = footer.get("block", {})
    expected = block_identity(block)
    if written != expected:
        return f"holds {written.get('setting')}/{written.get('learner')}, not what its name says"
    if set(table["seed"].to_pylist()) != set(block.seeds):
        return "does not hold the seeds that its name says"
    if footer.get("results_version") != version:
        return f"was made by results version {footer.get('results_version')}, now it is {version}"
    return None


def block_identity(block: Block) -> dict[str, Any]:
    """What a footer says of the block it belongs to."""
    return {
        "study": block.study,
        "setting": block.setting,
        "learner": block.learner,
        "seeds": [block.first, block.last],
    }
