"""The picture of a replication: equal bytes, all outcomes told apart, whatever there is to show."""

from io import BytesIO

import pandas as pd
import pytest

from losaw.study.claims.weighing import CLAIM_VERDICTS
from losaw.study.report import replication
from losaw.study.report.replication import draw_replication
from losaw.study.results.compare import OUTCOMES

Image = pytest.importorskip("PIL.Image")
pytest.importorskip("matplotlib")

CELLS = pd.DataFrame(
    {"family": family, "label": family, "row": row, "outcome": outcome,
     "published": 0.5, "reproduced": 0.5 + distance, "margin": margin}
    for family, row, margin in (("auc", "Table 1", 0.03), ("risk", "Table 2", float("nan")))
    for distance, outcome in enumerate(OUTCOMES)
)  # fmt: skip
CLAIMS = {"one": CLAIM_VERDICTS, "other": ["supported"]}


@pytest.mark.parametrize(
    ("cells", "claims", "is_narrow"),
    [
        (CELLS, CLAIMS, False),
        (CELLS, CLAIMS, True),
        (CELLS, {}, False),
        (CELLS.iloc[:0], CLAIMS, False),
        (CELLS.iloc[:1], {"one": ["undecided"]}, False),
    ],
)
def test_equal_rows_give_equal_bytes_whatever_there_is(cells, claims, is_narrow):
    first, again = (draw_replication(cells, claims, is_narrow) for _ in range(2))
    assert first == again
    assert Image.open(BytesIO(first)).size[0] == (700 if is_narrow else 1400)


def test_every_outcome_and_verdict_is_told_apart_without_colour():
    looks = replication._LOOKS
    assert set(looks) == set(OUTCOMES) and set(replication._BARS) == set(CLAIM_VERDICTS)
    assert len({(marker, is_filled) for marker, _, is_filled, _ in looks.values()}) == len(OUTCOMES)
    light = {"white"}
    bars = [(hatch, colour in light) for colour, hatch in replication._BARS.values()]
    assert len(set(bars)) >= len(bars) - 1  # two shades of blue
