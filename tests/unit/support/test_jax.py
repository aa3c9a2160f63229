"""JAX is imported lazily, takes one thread, and finds its compiled programs again."""

import json
import os
import sys

import pytest

from losaw.study.block import jax_programs
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


PROGRAMS = """
import json
from losaw.study.block.jax_programs import keep_jax_programs
keep_jax_programs()
from jax import monitoring
spent = []
monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: spent.append(seconds * event.startswith("/jax/core/compile/"))
)
import numpy as np
from losaw.knockoffs.deep import DeepKnockoffs
X = np.random.default_rng(0).standard_normal((40, 2))
sampler = DeepKnockoffs(n_epochs=2, n_layers=2, width=4).fit(X, rng=np.random.default_rng(0))
drawn = sampler.sample(np.random.default_rng(0))
print(json.dumps({"drawn": drawn.tolist(), "compiling": sum(spent)}))
"""


def deep(folder):
    done = fresh_python(PROGRAMS, JAX_COMPILATION_CACHE_DIR=str(folder))
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long
def test_kept_programs_give_the_same_numbers_and_a_damaged_one_is_compiled_again(tmp_path):
    folder = tmp_path / "programs"
    first = deep(folder)
    second = deep(folder)
    assert first["drawn"] == second["drawn"]
    assert second["compiling"] < first["compiling"]
    for entry in folder.iterdir():
        entry.write_bytes(entry.read_bytes()[:-20])
    third = deep(folder)
    assert third["drawn"] == first["drawn"]


def test_a_folder_of_the_users_own_stands(monkeypatch, tmp_path):
    monkeypatch.setitem(os.environ, "JAX_COMPILATION_CACHE_DIR", str(tmp_path))
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    jax_programs.keep_jax_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path)
    monkeypatch.delitem(os.environ, "JAX_COMPILATION_CACHE_DIR")
    jax_programs.keep_jax_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(jax_programs.programs_folder())
