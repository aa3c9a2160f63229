"""JAX waits until it is needed, and then takes one thread."""

import json
import subprocess
import sys

import pytest

PROBE = """
import json, os, sys
{body}
found = {{"jax": "jax" in sys.modules, "NPROC": os.environ.get("NPROC"), {more}}}
print(json.dumps(found))
"""


def probe(body, *names):
    """What a fresh Python has after ``body``, with the values of some names."""
    more = ", ".join(f"{name!r}: {name}" for name in names)
    answer = subprocess.run(
        [sys.executable, "-c", PROBE.format(body=body, more=more)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout.splitlines()[-1])


def test_mini_batches_do_not_load_jax():
    body = """
import numpy as np
from losaw import LosawMiniBatches
X = np.random.default_rng(0).integers(-1, 2, (300, 6)).astype(float)
LosawMiniBatches(X, batch_size=20, random_state=0).draw(np.ones(6))
"""
    assert probe(body)["jax"] is False


def test_regressors_are_imported_without_jax():
    body = "from losaw import LosawNetworkRegressor, NetworkRegressor; NetworkRegressor()"
    assert probe(body)["jax"] is False


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize(("asked", "expected"), [(None, 1), ("3", 3)])
def test_the_pool_has_one_thread_unless_more_are_asked_for(asked, expected, monkeypatch):
    monkeypatch.delenv("NPROC", raising=False)
    if asked is not None:
        monkeypatch.setenv("NPROC", asked)
    body = """
from pathlib import Path
import jax
from losaw.network import backend
jax = backend.load()
x = jax.numpy.ones((500, 500))
jax.jit(lambda a: a @ a)(x).block_until_ready()
names = [path.read_text() for path in Path("/proc/self/task").glob("*/comm")]
pool = sum("XLAEigen" in name for name in names)
"""
    assert probe(body, "pool") == {"jax": True, "NPROC": asked, "pool": expected}
