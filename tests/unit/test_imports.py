"""Importing losaw, and looking at a study, load nothing heavy."""

import json
import subprocess
import sys

import pytest

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


FOREST_BLOCK = """
import sys
from losaw.study.generators.joint_law.fit import use_law
from losaw.study.generators.joint_law.law import JointLaw
from losaw.study.registry import get
from losaw.study import compute
from losaw.study.replicate import Ingredients, run_replicate

generator = get("generator", "losaw").create(
    data_type={data_type!r}, n_samples=60, n_features=6, phi=0.1, function="f3"
)
use_law(JointLaw.load({law!r}))
for learner in ("random-forest", "losaw-forest"):
    rows = run_replicate(
        Ingredients(
            experiment="architecture",
            setting="s",
            learner=learner,
            draw=generator.sample,
            make_learner=lambda: get("learner", learner).create(n_estimators=2),
            importances={{"mdi": get("importance", "mdi").create()}},
            metrics={{name: get("metric", name).create() for name in ("r2_test", "pr_auc")}},
        ),
        0,
    )
    assert len(rows) == 3 and all(row.status == "ok" for row in rows), rows
"""


def test_looking_at_a_study_loads_nothing_heavy():
    script = """
from losaw.study.report.figures import check_figures
from pathlib import Path

from losaw.study.session import Session

for study in Session(Path("config/config.yaml")).studies:
    check_figures(study)
"""
    assert loaded_after(script) <= {"matplotlib"}


@pytest.mark.parametrize("data_type", ["continuous", "discrete"])
def test_a_forest_block_loads_no_heavy_library(tmp_path, data_type):
    from losaw.study.generators.joint_law.fit import fit_joint_law
    from losaw.study.generators.losaw import LosawGenerator

    law = tmp_path / "law.json"
    fit_joint_law(LosawGenerator(**LosawGenerator.examples[1]).joint_law()).save(law)
    assert loaded_after(FOREST_BLOCK.format(data_type=data_type, law=str(law))) == set()
