"""JAX waits until it is needed, and then takes one thread."""

import json
import subprocess
import sys

PROBE = """
import json, os, sys
{body}
print(json.dumps({{"jax": "jax" in sys.modules, "NPROC": os.environ.get("NPROC")}}))
"""


def probe(body):
    answer = subprocess.run(
        [sys.executable, "-c", PROBE.format(body=body)], capture_output=True, text=True, check=True
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


def test_the_computation_uses_one_core():
    body = """
import time
from losaw.network import backend
jax = backend.load()
x = jax.numpy.ones((1500, 1500))
product = jax.jit(lambda a: a @ a)
product(x).block_until_ready()
start, used = time.perf_counter(), time.process_time()
for _ in range(5):
    x = product(x) / 1500
x.block_until_ready()
cores = (time.process_time() - used) / (time.perf_counter() - start)
if cores > 1.2:
    raise SystemExit(f"{cores} cores")
"""
    assert probe(body) == {"jax": True, "NPROC": None}
