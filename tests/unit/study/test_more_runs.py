"""Runs that are added to kept evidence give what all runs together give."""

import runpy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from losaw.study.errors import StudyError
from losaw.study.session import Session
from reference.repository import REPOSITORY

more_runs = SimpleNamespace(**runpy.run_path(str(REPOSITORY / "benchmarks" / "more_runs.py")))


def row_of(values):
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return {"n_seeds": len(values), "mean": values.mean(), "sd": deviation}


@pytest.mark.parametrize(("n", "m"), [(100, 150), (1, 1), (2, 1), (1, 40), (0, 3)])
def test_two_parts_have_the_mean_and_deviation_of_the_whole(n, m):
    rng = np.random.default_rng(n + m)
    values = 1e3 + rng.standard_exponential(n + m)
    kept, new = values[:n], row_of(values[n:])
    row = pd.Series(row_of(kept) if n else {"n_seeds": 0, "mean": 0.0, "sd": 0.0})
    new = pd.Series({"count": m, "mean": new["mean"], "std": new["sd"]})
    pooled = more_runs.pooled(row, new)
    assert pooled == pytest.approx(row_of(values), rel=1e-10)


@pytest.mark.parametrize("name", ["others_li", "others_loecher", "ranking"])
def test_what_needs_all_runs_at_once_is_refused(name, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    session = Session(more_runs.CONFIGURATION, {"studies": name, "scale": "reference"}, True)
    with pytest.raises(StudyError, match=f"{name}: .* needs all runs at once; run the study again"):
        more_runs.missing_lines(session, session.study(name))
