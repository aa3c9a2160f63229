"""A stored block is read as it was written, or refused: flipped bits."""

import os
import random

import numpy as np
import pyarrow.parquet as pq
import pytest

from losaw.study.block.block_file import digest_of, read_block, write_block
from losaw.study.block.rows import BLOCK_SCHEMA, Row, table_of
from losaw.study.errors import StudyError
from losaw.support.whole_files import write_atomically

FOOTER = {"recipe": {"study": "tiny"}, "libraries": {"numpy": "2"}}


def rows():
    rng = np.random.default_rng(0)
    found = []
    for seed in range(2):
        for metric in ("r2_test", "pr_auc"):
            found.append(Row(seed, "mdi", metric, float(rng.random())))
        found.append(
            Row(
                seed,
                "mdi",
                "scores",
                None,
                features=("X1", "X2", "X3"),
                scores=[float(value) for value in rng.random(3)],
                signal=[0],
            )
        )
    return found


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "block.parquet"
    write(path, rows())
    return path


def write(path, lines):
    write_block(path, table_of("tiny", "abc", "plain", lines), FOOTER)


def said(path):
    """Return the content that a reader gets, or None if the file is refused."""
    try:
        found = read_block(path)
    except StudyError:
        return None
    return repr(found.table.to_pylist()), repr(found.footer)


def flips(content, n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        place = rng.randrange(8 * len(content))
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        yield bytes(changed)


@pytest.mark.parametrize("n_flips", [600, pytest.param(10_000, marks=pytest.mark.long)])
def test_no_flipped_bit_of_a_block_gives_other_rows(stored, n_flips):
    original, content = said(stored), stored.read_bytes()
    found = []
    for changed in flips(content, n_flips, 1):
        stored.write_bytes(changed)
        found.append(said(stored))
    assert set(found) == {original, None}
    # What is read all the same does no harm: padding, statistics, the names of encodings.
    assert found.count(None) > n_flips / 5


def test_the_digest_does_not_depend_on_how_the_rows_are_cut(stored):
    table = pq.ParquetFile(stored).read().replace_schema_metadata(None)
    halves = type(table).from_batches(table.to_batches(max_chunksize=2), schema=BLOCK_SCHEMA)
    assert digest_of(halves, FOOTER) == digest_of(table, FOOTER)
    pq.write_table(pq.ParquetFile(stored).read(), stored, compression="none", row_group_size=1)
    assert said(stored) is not None


def test_a_file_is_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    """Without the sync a power cut may leave the name and an empty file."""
    calls = []
    fsync, rename = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (calls.append("sync"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (calls.append("rename"), rename(*paths)))
    write_atomically(tmp_path / "a.txt", lambda place: place.write_text("x"))
    assert calls == ["sync", "rename"]
