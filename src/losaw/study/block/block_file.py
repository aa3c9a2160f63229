"""The file of a block: its rows, with the footer that says what decided them."""

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import losaw
from losaw.study.block.rows import BLOCK_SCHEMA
from losaw.study.block.writing import ADVICE, write_rows
from losaw.study.errors import StudyError

FOOTER_KEY = b"losaw"
DIGEST = "rows_and_footer_sha256"


def write_block(path: Path, table: pa.Table, footer: Mapping[str, Any]) -> None:
    """Write a block's file atomically: equal rows and footers give equal bytes.

    The footer gets the digest of itself and of the rows.
    """
    guarded = {**footer, DIGEST: digest_of(table, footer)}
    metadata = {FOOTER_KEY: json.dumps(guarded, sort_keys=True)}
    write_rows(path, table, table.schema.with_metadata(metadata))


def keep_block(path: Path, kept: Path) -> None:
    """Give a block's file a second name: Snakemake removes the first before it computes again."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # a file system without hard links keeps nothing
        os.link(path, kept)


def kept_path(path: Path) -> Path:
    """Return the place of the last whole file of a block, which Snakemake does not remove."""
    return path.parents[2] / "kept" / path.parent.name / path.name


def begun_path(path: Path) -> Path:
    """Return the place of what says that a block was begun and did not end."""
    return kept_path(path).with_suffix(".begun")


def mark_begun(path: Path) -> None:
    """Note that a block is to be computed: until it ends, what is kept of it stays."""
    begun = begun_path(path)
    try:
        begun.parent.mkdir(parents=True, exist_ok=True)
        begun.touch()
    except OSError as error:
        raise StudyError(f"{begun}: cannot be written: {error.strerror}; {ADVICE}") from None


@dataclass(frozen=True)
class BlockFile:
    """A block's file as it was read: its rows and its footer."""

    table: pa.Table
    footer: dict[str, Any]


def read_block(path: Path) -> BlockFile:
    """Read a block's file, or raise a StudyError if it does not hold what was written."""
    try:
        table = pq.ParquetFile(pa.BufferReader(path.read_bytes())).read(use_threads=False)
        footer = dict(json.loads(table.schema.metadata[FOOTER_KEY]))
    except (OSError, pa.ArrowException, OverflowError, TypeError, KeyError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0][:120]
        raise StudyError(
            f"{path}: is missing, or no block, or is damaged or truncated ({reason})"
        ) from None
    table = table.replace_schema_metadata(None)
    if not table.schema.equals(BLOCK_SCHEMA):
        raise StudyError(f"{path}: its columns are not those of a block of this version")
    written = footer.pop(DIGEST, None)
    if written != digest_of(table, footer):
        raise StudyError(f"{path}: does not hold the rows that were written: their digest differs")
    return BlockFile(table, footer)


def fits_of(table: pa.Table) -> Iterator[tuple[tuple[str, str], pa.Table]]:
    """Cut a block's rows by setting and learner: those of each are together."""
    columns = [table[name].to_pylist() for name in ("setting_id", "learner")]
    keys = list(zip(*columns, strict=True))
    starts = [i for i in range(len(keys)) if i == 0 or keys[i] != keys[i - 1]]
    for start, stop in zip(starts, [*starts[1:], len(keys)], strict=True):
        yield keys[start], table.slice(start, stop - start)


def digest_of(table: pa.Table, footer: Mapping[str, Any]) -> str:
    """SHA-256 of a footer and of all rows, column by column.

    It does not depend on how Parquet or Arrow store them: the same rows have it whatever wrote
    them, and other rows, a missing value in the place of a number, or another NaN do not.
    """
    digest = hashlib.sha256(json.dumps(footer, sort_keys=True).encode())
    for name in table.column_names:
        digest.update(name.encode())
        for part in _parts(table[name].combine_chunks()):
            digest.update(part)
    return digest.hexdigest()


def _parts(column: pa.Array) -> list[bytes]:
    """Return a column as bytes: which values are missing, their lengths, and the values."""
    there = np.asarray(column.is_valid()).tobytes()
    kept = column.drop_null()
    if pa.types.is_list(column.type):
        lengths = np.asarray(pc.list_value_length(kept), dtype="<i8").tobytes()
        return [there, lengths, *_parts(kept.flatten())]
    if pa.types.is_string(column.type):
        lengths = np.asarray(pc.binary_length(kept), dtype="<i8").tobytes()
        # As bytes: a damaged file may hold what is not text.
        return [there, lengths, *kept.cast(pa.binary()).to_pylist()]
    values = np.asarray(kept)
    return [there, values.astype(values.dtype.newbyteorder("<")).tobytes()]


# What numbers may depend on, as far as it is installed.
LIBRARIES = (
    *("numpy", "scipy", "scikit-learn", "numba", "pyarrow"),
    *("cvxpy", "clarabel", "jax", "optax", "shap", "xgboost"),
    *("hidimstat", "sage-importance", "Boruta", "fdfi"),
)


def footer_of(recipe: Mapping[str, Any], laws: Mapping[str, Any]) -> dict[str, Any]:
    """Return the footer of a block: what decided its rows."""
    own = {"losaw": losaw.__version__, "recipe": recipe, "libraries": library_versions()}
    return as_stored({**own, "laws": {name: law.record() for name, law in laws.items()}})


def as_stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a footer, or its recipe, as JSON gives it back."""
    return dict(json.loads(json.dumps(values)))


def stored_recipe(path: Path) -> dict[str, Any] | None:
    """Return the recipe in the footer of a block's file; None if there is no whole file."""
    try:
        footer = json.loads(pq.read_schema(path).metadata[FOOTER_KEY])
        return dict(footer["recipe"])
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError):
        return None


@cache
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers may depend on."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions
