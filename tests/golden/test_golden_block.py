"""The smoke study's numbers are those that were stored: nothing moves unnoticed.

The reference is made by ``PYTHONPATH=tests python tests/golden/test_golden_block.py``; a commit
that changes it says why.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.study.results.collect import collect
from losaw.study.session import Session
from reference.in_process import execute
from reference.repository import CONFIGURATION

REFERENCE = Path(__file__).with_name("losaw_forest_smoke.parquet")
KEYS = ["setting_id", "learner", "importance", "seed", "metric"]


def compute(folder: Path) -> pd.DataFrame:
    overrides = {"scale": "smoke", "studies": ["losaw_forest"], "results": str(folder)}
    session = Session(CONFIGURATION, overrides)
    execute(session)
    return collect(session.plans[0]).results[[*KEYS, "value"]]


@pytest.fixture(scope="module")
def frames(tmp_path_factory) -> tuple[pd.DataFrame, pd.DataFrame]:
    return compute(tmp_path_factory.mktemp("golden")), pd.read_parquet(REFERENCE)


def test_the_smoke_study_has_the_stored_rows(frames):
    found, stored = frames
    assert found[KEYS].to_dict("records") == stored[KEYS].to_dict("records")


# Two features may part a small node alike: the forest takes the one drawn first unless the other is
# better by 1e-9, far above rounding (1e-13). For rounding to turn any other split two decreases
# must come within 1e-12 of that margin: with some 1e6 comparisons in this study, a chance of 1e-6.
@pytest.mark.parametrize("learner", ["RF", "losawRF"])
def test_the_smoke_study_has_the_stored_numbers(frames, learner):
    found, stored = (frame[frame.learner == learner]["value"].to_numpy() for frame in frames)
    assert np.allclose(found, stored, rtol=0, atol=1e-9)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        compute(Path(scratch)).to_parquet(REFERENCE, index=False)
    print(f"wrote {REFERENCE}")
