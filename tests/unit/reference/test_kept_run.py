"""The run that the repository keeps: a block of it comes out again, nothing has changed since.

Of reference.stored, reference.recompute.
"""

from pathlib import Path

import pytest

from losaw.commands.reference import MOST_MEGABYTES
from losaw.reference.recompute import EQUAL, EQUAL_ROWS, recompute
from losaw.reference.stored import Reference
from losaw.study.design.blocks import BlockName
from losaw.study.design.request import Request
from losaw.study.design.session import Session

ROOT = Path(__file__).parents[3]
STUDY = "ufi_figure1"  # its blocks take seconds, and no data file


def name_of(block):
    return BlockName.from_path(Path(block.file))


@pytest.fixture(scope="module")
def session():
    return Session(Request(ROOT / "config" / "config.yaml", {"studies": [STUDY]}), trusted=True)


@pytest.fixture(scope="module")
def blocks():
    return Reference(ROOT / "reference").studies[STUDY].kept_blocks


def test_nothing_that_decides_the_numbers_of_a_study_has_changed_since(session, blocks):
    # Another version here: the sources of the study have changed, and it has to be run again
    # (losaw run --scale reference --study ufi_figure1, then losaw reference keep and pages).
    here = {block.file: session.block(name_of(block)).series.version for block in blocks}
    assert here == {block.file: block.results_version for block in blocks} != {}


@pytest.mark.long
def test_a_small_block_comes_out_again(session, blocks):
    (again,) = recompute(session, blocks, 1, seed=0)
    assert again.verdict in (EQUAL, EQUAL_ROWS)


def test_every_figure_is_small_and_the_whole_below_its_limit():
    files = [path for path in (ROOT / "reference").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_MEGABYTES * 1e6
    assert max(path.stat().st_size for path in files if path.suffix == ".png") < 2e5
