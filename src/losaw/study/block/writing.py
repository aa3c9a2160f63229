"""Atomic writing of results files; an error names the remedy."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from losaw.study.errors import StudyError
from losaw.support.whole_files import write_atomically

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 500_000
ADVICE = (
    "finished results are untouched: free space, or name another folder (--config results=FOLDER), "
    "and run it again"
)


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file, or leave it untouched and raise a StudyError."""
    write_atomically(path, write, StudyError, ADVICE)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_file(path, lambda place: place.write_text(text, encoding="utf-8"))


def write_rows(path: Path, rows: "pd.DataFrame | pa.Table", schema: pa.Schema) -> None:
    """Write a Parquet file atomically, some rows at a time; texts as plain strings."""

    def write(place: Path) -> None:
        with pq.ParquetWriter(place, schema, compression="zstd") as writer:
            for start in range(0, len(rows), ROWS_AT_ONCE):
                part = rows[start : start + ROWS_AT_ONCE]
                if not isinstance(part, pa.Table):
                    part = pa.Table.from_pandas(part, preserve_index=False)
                writer.write_table(part.cast(schema))

    write_file(path, write)


def write_csv(path: Path, frame: "pd.DataFrame", form: str | None = None) -> None:
    """Write a data frame atomically, floats in a form or with full precision, Unix line ends."""
    write_text(path, frame.to_csv(index=False, lineterminator="\n", float_format=form))
