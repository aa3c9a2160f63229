"""A first fit compiles only what it needs and announces it."""

import os
import subprocess
import sys

import pytest

CAP = "from losaw.weighting import cap_weights; cap_weights([1.0, 2.0], 0.5)"
FIT = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__module__)
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
import numpy as np
from losaw import LosawRandomForestRegressor
X = np.random.default_rng(0).standard_normal((60, 4))
X[:, 1] += X[:, 0]
LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
print(*sorted(set(compiled)))
"""


def run(code, folder):
    """Standard output and error of a fresh interpreter whose cache of loops is in ``folder``."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_the_first_compiling_is_announced_in_one_line(tmp_path):
    _, first = run(CAP, tmp_path)
    assert len(first.splitlines()) == 1
    assert "compiling loops for this machine, once" in first
    _, second = run(CAP, tmp_path)
    assert second == ""


@pytest.mark.long
def test_a_numeric_regression_compiles_no_levels_or_logits(tmp_path):
    output, _ = run(FIT, tmp_path)
    modules = {name.removeprefix("losaw.") for name in output.split() if name.startswith("losaw.")}
    assert "forest.growing.growth" in modules
    unused = ("discrete", "logit", "kernels.trees")
    assert [name for name in modules if any(part in name for part in unused)] == []
