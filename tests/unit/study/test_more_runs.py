"""Runs that are added to kept evidence give what all runs together give."""

import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
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


class Setting(int):
    """A line, as far as the loop looks at one."""

    setting = "any"


def test_a_line_that_fails_costs_no_other_its_rows(monkeypatch, capsys):
    def computed(name, line):
        if line == 2:
            raise StudyError("R is missing")
        return line, "numbers", 1.0

    kept, scope = [], more_runs.main.__globals__
    monkeypatch.setattr(sys, "argv", ["more_runs.py", "treeinner_eta"])
    monkeypatch.chdir(REPOSITORY)
    fake = {"ProcessPoolExecutor": ThreadPoolExecutor, "computed": computed}
    lines = [Setting(n) for n in range(5)]
    fake |= {"add": lambda line, *_: kept.append(int(line)), "missing_lines": lambda *_: lines}
    for name, value in fake.items():
        monkeypatch.setitem(scope, name, value)
    with pytest.raises(SystemExit, match="1 of 5 lines could not be computed"):
        more_runs.main()
    assert sorted(kept) == [0, 1, 3, 4]
    assert "2: R is missing" in capsys.readouterr().out


@pytest.mark.parametrize("script", ["more_runs", "fresh_seeds"])
def test_evidence_is_computed_with_the_settings_of_the_commands(script):
    code = f"import os, runpy; runpy.run_path('benchmarks/{script}.py'); print(*VARIABLES)"
    shown = "*map(os.environ.get, ('OMP_NUM_THREADS', 'NUMBA_NUM_THREADS', 'NPROC'))"
    code, clean = code.replace("*VARIABLES", shown), {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, env=clean, capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "1", "1"], done.stderr
