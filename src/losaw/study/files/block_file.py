"""The file of a block: its rows, with the footer that says what decided them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from losaw.study.design.blocks import Block, BlockName
from losaw.study.errors import StudyError
from losaw.study.files.footer import identity
from losaw.study.files.rows import BLOCK_SCHEMA, Row, table_of
from losaw.study.files.run_record import read_run_record
from losaw.study.files.writing import write_table

FOOTER_KEY = b"losaw"
READERS = 8
FILES_AHEAD = 64
DIGEST = "rows_and_footer_sha256"


def write_block(block: Block, rows: Iterable[Row], footer: Mapping[str, Any]) -> None:
    """Write a block's file atomically: equal rows and footers give equal bytes.

    The footer gets the digest of itself and of the rows.
    """
    table = table_of(block.name.study, block.name.setting, block.name.learner, rows)
    guarded = {**footer, DIGEST: digest_of(table, footer)}
    metadata = {FOOTER_KEY: json.dumps(guarded, sort_keys=True)}
    write_table(block.path, table.replace_schema_metadata(metadata))


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
        If the file is missing, empty, truncated, has other columns or no footer of ours, or does
        not hold what was written.
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
    except (OSError, pa.ArrowException, UnicodeDecodeError, OverflowError) as error:
        raise StudyError(f"{path}: is damaged or truncated ({_first_line(error)})") from None
    except (TypeError, KeyError, ValueError):
        raise StudyError(
            f"{path}: is a Parquet file, but not a block: it has no footer of ours"
        ) from None
    table = table.replace_schema_metadata(None)
    if not table.schema.equals(BLOCK_SCHEMA):
        raise StudyError(f"{path}: its columns are not those of a block of this version")
    written = footer.pop(DIGEST, None) if isinstance(footer, dict) else None
    if written != digest_of(table, footer):
        raise StudyError(f"{path}: does not hold the rows that were written: their digest differs")
    return BlockFile(table, footer, hashlib.sha256(content).hexdigest())


def read_footer(path: Path) -> dict[str, Any]:
    """The footer of a block's file, which says what decided its rows; the rows are not read.

    Raises
    ------
    StudyError
        If the file is missing, truncated or has no footer of ours.
    """
    try:
        footer: dict[str, Any] = json.loads(pq.read_schema(path).metadata[FOOTER_KEY])
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    except (pa.ArrowException, TypeError, KeyError, ValueError):
        raise StudyError(f"{path}: is damaged, or no block: it has no footer of ours") from None
    return footer


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:120]


def load_named(path: Path, name: BlockName) -> BlockFile:
    """Read a block's file that is whole and holds what its name says, by whatever version.

    Raises
    ------
    StudyError
        As :func:`read_block`, or if the file holds another block or other seeds.
    """
    file = read_block(path)
    written = file.footer.get("block", {})
    if written != identity(name):
        raise StudyError(
            f"{path}: holds {written.get('setting')}/{written.get('learner')} seeds "
            f"{written.get('seeds')}, not what its name says"
        )
    if set(file.table["seed"].unique().to_pylist()) != set(name.seeds):
        raise StudyError(f"{path}: does not hold the seeds that its name says")
    return file


def load_block(block: Block) -> BlockFile:
    """Read a block's file that is whole, in its place and up to date.

    Raises
    ------
    StudyError
        As :func:`load_named`, or if the file holds the results of another version.
    """
    file = load_named(block.path, block.name)
    made_by, now = file.footer.get("results_version"), block.series.version
    if made_by != now:
        raise StudyError(f"{block.path}: was made by results version {made_by}, now it is {now}")
    return file


def load_blocks(blocks: Sequence[Block]) -> Iterator[BlockFile | StudyError | None]:
    """For every block its file, what is wrong with it, or None if it is not there."""

    def load(block: Block) -> BlockFile | StudyError | None:
        try:
            return load_block(block) if block.path.exists() else None
        except StudyError as error:
            return error

    # Many small files: threads wait for the file system at the same time, but not far ahead of
    # who takes what they have read.
    with ThreadPoolExecutor(READERS) as pool:
        for start in range(0, len(blocks), FILES_AHEAD):
            yield from pool.map(load, blocks[start : start + FILES_AHEAD])


def problem_of(block: Block) -> str | None:
    """Return the problem of a block's file, or None if it is whole, in its place and up to date."""
    try:
        load_block(block)
    except StudyError as error:
        return str(error).partition(": ")[2]
    return None


def stored_digests(blocks: Iterable[Block]) -> dict[Block, str]:
    """The blocks that a run does not compute, with the SHA-256 of their files.

    Their file is whole and up to date, and so is the record of how it was run.
    """

    def digest(block: Block) -> str | None:
        if not block.path.exists() or read_run_record(block.record_path) is None:
            return None
        try:
            return load_block(block).sha256
        except StudyError:
            return None

    blocks = list(blocks)
    with ThreadPoolExecutor(READERS) as pool:
        digests = zip(blocks, pool.map(digest, blocks), strict=True)
        return {block: text for block, text in digests if text is not None}


def blocks_to_do(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that a run computes: those that are not stored whole and up to date.

    Every command that counts blocks asks this, so that a plan says what a run will do.
    """
    blocks = list(blocks)
    stored = stored_digests(blocks)
    return [block for block in blocks if block not in stored]


def digest_of(table: pa.Table, footer: Mapping[str, Any]) -> str:
    """SHA-256 of a footer and of all rows, column by column.

    It does not depend on how Parquet or Arrow store them: the same rows have it whatever wrote
    them, and other rows, a missing value in the place of a number, or another NaN do not.
    """
    digest = hashlib.sha256(json.dumps(footer, sort_keys=True).encode())
    for name in table.column_names:
        digest.update(name.encode())
        for part in _parts(_one_array(table[name])):
            digest.update(part)
    return digest.hexdigest()


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _parts(column: pa.Array) -> list[bytes]:
    """Return a column as bytes: which values are missing, their lengths, and the values."""
    there = np.asarray(column.is_valid()).tobytes()
    kept = column.drop_null()
    if pa.types.is_list(column.type):
        lengths = np.asarray(pc.list_value_length(kept), dtype="<i8").tobytes()
        return [there, lengths, *_parts(kept.flatten())]
    if pa.types.is_string(column.type):
        lengths = np.asarray(pc.binary_length(kept), dtype="<i8").tobytes()
        # As bytes: a damaged file may hold what is no text.
        return [there, lengths, *kept.cast(pa.binary()).to_pylist()]
    values = np.asarray(kept)
    return [there, values.astype(values.dtype.newbyteorder("<")).tobytes()]
