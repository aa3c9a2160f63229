"""The smoke study's numbers are those that were stored: nothing moves unnoticed.

The reference is made by ``python tests/golden/test_golden_block.py``; a commit that changes it
says why.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.study.collect import collect
from losaw.study.execute import execute
from losaw.study.request import Request
from losaw.study.session import Session

REPOSITORY = Path(__file__).resolve().parents[2]
REFERENCE = Path(__file__).with_name("losaw_forest_smoke.parquet")
KEYS = ["setting_id", "learner", "importance", "seed", "metric"]


def compute(folder: Path) -> pd.DataFrame:
    overrides = {"scale": "smoke", "studies": ["losaw_forest"], "results": str(folder)}
    session = Session(Request(REPOSITORY / "config" / "config.yaml", overrides))
    execute(session, 1)
    return collect(session, session.studies[0]).results[[*KEYS, "value"]]


@pytest.fixture(scope="module")
def frames(tmp_path_factory) -> tuple[pd.DataFrame, pd.DataFrame]:
    return compute(tmp_path_factory.mktemp("golden")), pd.read_parquet(REFERENCE)


def test_the_smoke_study_has_the_stored_rows(frames):
    found, stored = frames
    assert found[KEYS].to_dict("records") == stored[KEYS].to_dict("records")


# scikit-learn's forest is the same everywhere. In ours a processor that adds in another order may
# turn a nearly tied split, which moves a value by some 1e-4; a changed method moves far more.
@pytest.mark.parametrize(("learner", "tolerance"), [("RF", 1e-9), ("losawRF", 2e-3)])
def test_the_smoke_study_has_the_stored_numbers(frames, learner, tolerance):
    found, stored = (frame[frame.learner == learner]["value"].to_numpy() for frame in frames)
    assert np.allclose(found, stored, rtol=0, atol=tolerance)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        compute(Path(scratch)).to_parquet(REFERENCE, index=False)
    print(f"wrote {REFERENCE}")
