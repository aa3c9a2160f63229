"""A job finds the programs that JAX compiled for another one."""

import json
import os
import sys

import pytest

from losaw.study.block import jax_programs
from reference.fresh_python import fresh_python

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


def test_a_user_without_a_home_has_a_folder_too(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(jax_programs.Path, "home", home)
    assert str(os.getuid()) in str(jax_programs.programs_folder())


def test_a_folder_of_the_users_own_stands(monkeypatch, tmp_path):
    monkeypatch.setitem(os.environ, "JAX_COMPILATION_CACHE_DIR", str(tmp_path))
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    jax_programs.keep_jax_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path)
    monkeypatch.delitem(os.environ, "JAX_COMPILATION_CACHE_DIR")
    jax_programs.keep_jax_programs()
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(jax_programs.programs_folder())
