"""Stored evidence is computed again: the rows of a study and a learner are those of reference/.

``evidence.csv`` has a block for each study and learner that is cheap and the same on all
processors, with the digest of its rows as ``reference/<study>/blocks.csv`` has it.

    python -m pytest -m long -s tests/golden/test_evidence.py

prints each line with its seconds.
"""

import csv
import functools
import time
from pathlib import Path

import pyarrow as pa
import pytest

from losaw.datasets import is_there
from losaw.study.design.blocks import BlockName
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.files.block_file import digest_of
from losaw.study.files.rows import table_of
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.recipe import build_recipe
from losaw.study.running.replicate import run_replicate

REPOSITORY = Path(__file__).resolve().parents[2]
with Path(__file__).with_name("evidence.csv").open(newline="", encoding="utf-8") as file:
    LINES = list(csv.DictReader(file))

pytestmark = pytest.mark.long


def rows_of(study: str, setting: str, learner: str, seeds: range, folder: Path) -> pa.Table:
    """The rows of some seeds of a learner in a setting, as a block's file has them.

    All that this file knows of the engine is here.
    """
    block = session(study, folder).block(BlockName(study, setting, learner, seeds[0], seeds[-1]))
    fit_laws([block])
    recipe, _ = build_recipe(block.series, block.law_path)
    return table_of(
        study, setting, learner, (row for seed in seeds for row in run_replicate(recipe, seed))
    )


@functools.cache
def session(study: str, folder: Path) -> Session:
    asked = {"scale": "reference", "studies": [study], "results": str(folder)}
    return Session(Request(REPOSITORY / "config" / "config.yaml", asked))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where joint laws are kept."""
    return tmp_path_factory.mktemp("evidence")


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['study']} {line['learner']}")
def test_the_rows_are_those_of_the_evidence(line, folder):
    missing = [name for name in line["real_data"].split() if not is_there(name)]
    if missing:
        pytest.skip(f"set LOSAW_DATA to the folder of the real data; missing: {missing}")
    started = time.process_time()
    seeds = range(int(line["first"]), int(line["last"]) + 1)
    rows = rows_of(line["study"], line["setting"], line["learner"], seeds, folder)
    is_equal = digest_of(rows, {}) == line["rows_sha256"]
    block = f"{line['study']}/{line['setting']}/{line['learner']}, seeds {seeds[0]} to {seeds[-1]}"
    seconds = time.process_time() - started
    print(f"\n{'equal' if is_equal else 'DIFFERS'}, {seconds:.1f} s: {block}", end="", flush=True)
    assert is_equal, f"the rows of {block} differ from those of the evidence"
