"""Files that are whole or absent: written beside their place, synced, renamed."""

import contextlib
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.running.replicate import Row

FOOTER_KEY = b"losaw"
TEMPORARY = ".unfinished"

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

    Its name holds host and process, so that two processes that write the same file do not meet,
    and never ends in the suffix that readers look for. What a killed process of this host has
    left there is removed.

    Raises
    ------
    StudyError
        If the folder is read-only or full: names the path and the remedy; ``path`` is untouched.
    """
    temporary = path.with_name(f"{path.name}.{platform.node()}.{os.getpid()}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f"{path.name}.{platform.node()}.*{TEMPORARY}"):
            if not _is_running(left.name.split(".")[-2]):
                left.unlink(missing_ok=True)
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


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True


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


def rows_of(table: pa.Table) -> dict[int, list[Row]]:
    """The rows of a block's table by seed, in their order."""
    names = [field.name for field in fields(Row)]
    found: dict[int, list[Row]] = {}
    for line in table.select(names).to_pylist():
        features = line.pop("features")
        row = Row(**line, features=None if features is None else tuple(features))
        found.setdefault(row.seed, []).append(row)
    return found


@dataclass(frozen=True)
class BlockFile:
    """A block's file as it was read: its rows, its footer and the digest of its bytes."""

    table: pa.Table
    footer: dict[str, Any]
    sha256: str


def read_block(path: Path) -> BlockFile:
    """Read a block's file.

    Raises
    ------
    StudyError
        If the file is missing, empty, truncated, has other columns or no footer of ours.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    if not content:
        raise StudyError(f"{path}: is empty")
    try:
        # One thread: files are small, and threads must not be there when a child is forked.
        table = pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
        footer = json.loads(table.schema.metadata[FOOTER_KEY])
    except (OSError, pa.ArrowException) as error:
        raise StudyError(f"{path}: is damaged or truncated ({_first_line(error)})") from None
    except (TypeError, KeyError, ValueError):
        raise StudyError(
            f"{path}: is a Parquet file, but not a block: it has no footer of ours"
        ) from None
    table = table.replace_schema_metadata(None)
    if not table.schema.equals(BLOCK_SCHEMA):
        raise StudyError(f"{path}: its columns are not those of a block of this version")
    return BlockFile(table, footer, hashlib.sha256(content).hexdigest())


def read_footer(path: Path) -> dict[str, Any]:
    """The provenance in a block's footer, without its rows.

    Raises
    ------
    StudyError
        If the file is missing, empty, truncated, or has no footer of ours.
    """
    try:
        return json.loads((pq.read_schema(path).metadata or {})[FOOTER_KEY])
    except (OSError, pa.ArrowException, KeyError, ValueError):
        return read_block(path).footer


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:120]


def load_block(path: Path, block: Block, version: str | None) -> BlockFile:
    """Read a block's file that is whole, in its place and up to date.

    Parameters
    ----------
    version : str or None
        The results version that it must carry; None takes any.

    Raises
    ------
    StudyError
        As :func:`read_block`, or if the file holds another block, other seeds, or the results of
        another version.
    """
    found = read_block(path)
    written = found.footer.get("block", {})
    if written != block_identity(block):
        raise StudyError(
            f"{path}: holds {written.get('setting')}/{written.get('learner')} seeds "
            f"{written.get('seeds')}, not what its name says"
        )
    if set(found.table["seed"].unique().to_pylist()) != set(block.seeds):
        raise StudyError(f"{path}: does not hold the seeds that its name says")
    made_by = found.footer.get("results_version")
    if version is not None and made_by != version:
        raise StudyError(f"{path}: was made by results version {made_by}, now it is {version}")
    return found


def check_block(path: Path, block: Block, version: str) -> str | None:
    """What is wrong with a block's file, or None if it is whole, in its place and up to date."""
    try:
        load_block(path, block, version)
    except StudyError as error:
        return str(error).partition(": ")[2]
    return None


def block_identity(block: Block) -> dict[str, Any]:
    """What a footer says of the block it belongs to."""
    return {
        "study": block.study,
        "setting": block.setting,
        "learner": block.learner,
        "seeds": [block.first, block.last],
    }
