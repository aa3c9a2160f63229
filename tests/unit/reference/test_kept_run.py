"""The run that the repository keeps: a block of it comes out again.

Of reference.stored, reference.recompute.
"""

from pathlib import Path

from losaw.reference.recompute import EQUAL, EQUAL_ROWS, recompute
from losaw.reference.stored import Reference
from losaw.study.design.request import Request
from losaw.study.design.session import Session

ROOT = Path(__file__).parents[3]
STUDY = "ufi_figure1"  # its blocks take seconds, and no data file


def test_a_small_block_comes_out_again():
    session = Session(Request(ROOT / "config" / "config.yaml", {"studies": [STUDY]}), trusted=True)
    blocks = Reference(ROOT / "reference").studies[STUDY].kept_blocks
    (again,) = recompute(session, blocks, 1, seed=0)
    # Another version here: the sources of the study have changed, and it has to be run again
    # (losaw run --scale reference --study ufi_figure1, then losaw reference keep and pages).
    assert again.verdict in (EQUAL, EQUAL_ROWS)


def test_every_figure_is_small_and_the_whole_below_ten_megabytes():
    files = [path for path in (ROOT / "reference").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 10e6
    assert max(path.stat().st_size for path in files if path.suffix == ".png") < 2e5
