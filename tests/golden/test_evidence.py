"""Stored evidence is computed again: the rows of a study and a learner are those of reference/.

``evidence.csv`` has a block for each study and learner that is cheap and the same on all
processors with AVX-512, with the first digits of the digest of its rows, as
``reference/<study>/blocks.csv`` keeps them.

    python -m pytest -m long -s tests/golden/test_evidence.py

prints each line with its seconds.
"""

import csv
import functools
import time
from pathlib import Path

import pytest

from losaw.study.block.block_file import digest_of
from losaw.study.datasets import is_there
from losaw.study.request.grid import Study
from losaw.study.session import Session
from losaw.study.verify import Line, compute_line
from reference.repository import CONFIGURATION

with Path(__file__).with_name("evidence.csv").open(newline="", encoding="utf-8") as file:
    LINES = list(csv.DictReader(file))

pytestmark = pytest.mark.long


@functools.cache
def study_of(name: str) -> Study:
    asked = {"scale": "reference", "studies": [name]}
    return Session(CONFIGURATION, asked).study(name)


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['study']} {line['learner']}")
def test_the_rows_are_those_of_the_evidence(line):
    missing = [name for name in line["real_data"].split() if not is_there(name)]
    if missing:
        pytest.skip(f"set LOSAW_DATA to the folder of the real data; missing: {missing}")
    started = time.process_time()
    seeds = range(int(line["first"]), int(line["last"]) + 1)
    asked = Line(Path(line["study"]), line["setting"], line["learner"], seeds[0], seeds[-1], "")
    rows = compute_line(study_of(line["study"]), asked)
    is_equal = digest_of(rows, {}).startswith(line["rows_sha256"])
    block = f"{line['study']}/{line['setting']}/{line['learner']}, seeds {seeds[0]} to {seeds[-1]}"
    seconds = time.process_time() - started
    print(f"\n{'equal' if is_equal else 'DIFFERS'}, {seconds:.1f} s: {block}", end="", flush=True)
    assert is_equal, f"the rows of {block} differ from those of the evidence"
