"""The digest of what a block says: its rows and its footer, however they were written down."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


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
    """Which values are there, how long each is, and all of them one after the other."""
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
