"""Importing losaw, and looking at a study, load nothing heavy."""

import json
import subprocess
import sys

HEAVY = {"cvxpy", "jax", "xgboost", "matplotlib", "snakemake", "optax", "shap", "polars"}


def loaded_after(script: str) -> set[str]:
    """Heavy libraries that a fresh interpreter has loaded after running ``script``."""
    report = f"\nimport json, sys\nprint(json.dumps(sorted({HEAVY!r} & set(sys.modules))))"
    run = subprocess.run(
        [sys.executable, "-c", script + report], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_losaw_loads_nothing_heavy():
    script = "import losaw, sys\nassert not {'sklearn', 'pandas', 'numba'} & set(sys.modules)"
    assert loaded_after(script) == set()


def test_naming_every_registered_thing_loads_nothing_heavy():
    assert loaded_after("from losaw.study.registry import entries\nprint(entries())") == set()


def test_looking_at_a_study_loads_nothing_heavy():
    script = """
from losaw.study.report.figures import check_figures
from pathlib import Path

from losaw.study.session import Session

for study in Session(Path("config/config.yaml")).studies:
    check_figures(study)
"""
    assert loaded_after(script) <= {"matplotlib"}
