"""JAX is imported lazily, and takes one thread."""

import json
import sys

import pytest

from reference.fresh_python import fresh_python

THREADS = """
import json, os, sys
import numpy as np
from losaw import LosawMiniBatches, LosawNetworkRegressor, NetworkRegressor
NetworkRegressor()
made = "jax" in sys.modules
X = np.random.default_rng(0).integers(-1, 2, (300, 6)).astype(float)
LosawMiniBatches(X, batch_size=20, random_state=0).draw(np.ones(6))
drawn = "jax" in sys.modules

from pathlib import Path
from losaw.knockoffs.deep import DeepKnockoffs
DeepKnockoffs().fit(np.ones((10, 2)), rng=np.random.default_rng(0))
import jax
x = jax.numpy.ones((500, 500))
jax.jit(lambda a: a @ a)(x).block_until_ready()
tasks = Path("/proc/self/task").glob("*/comm")
pool = sum("XLAEigen" in path.read_text() for path in tasks)
found = {"made": made, "drawn": drawn, "pool": pool, "NPROC": os.environ.get("NPROC")}
print(json.dumps(found))
"""


@pytest.fixture(scope="module", params=[None, pytest.param("3", marks=pytest.mark.long)])
def fresh(request):
    """The threads that a fresh Python finds, by the number requested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NPROC", raising=False)
        answer = fresh_python(THREADS, **({"NPROC": request.param} if request.param else {}))
    return request.param, json.loads(answer.stdout.splitlines()[-1])


def test_making_a_regressor_and_drawing_mini_batches_do_not_load_jax(fresh):
    assert fresh[1]["made"] is fresh[1]["drawn"] is False


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_the_pool_has_one_thread_unless_more_are_asked_for(fresh):
    asked, found = fresh
    assert found["NPROC"] == asked and found["pool"] == int(asked or 1)
