"""Importing losaw, and looking at a study, load nothing heavy."""

import json
import pickle

from losaw.study.session import Session
from reference.fresh_python import fresh_python
from reference.in_process import execute

HEAVY = {"cvxpy", "jax", "xgboost", "matplotlib", "snakemake", "optax", "shap", "polars"}


def loaded_after(script: str) -> set[str]:
    """Heavy libraries that a fresh interpreter has loaded after running ``script``."""
    report = f"\nimport json, sys\nprint(json.dumps(sorted({HEAVY!r} & set(sys.modules))))"
    return set(json.loads(fresh_python(script + report).stdout.splitlines()[-1]))


def test_importing_losaw_and_naming_every_registered_thing_load_nothing_heavy():
    script = "import losaw, sys\nassert not {'sklearn', 'pandas', 'numba'} & set(sys.modules)"
    script += "\nfrom losaw.study.registry import entries\nprint(entries())"
    assert loaded_after(script) == set()


def test_looking_at_a_study_loads_nothing_heavy():
    script = """
from losaw.study.report.figures import check_figures
from pathlib import Path

from losaw.study.session import Session

for study in Session(Path("config/config.yaml")).studies:
    check_figures(study)
"""
    assert loaded_after(script) <= {"matplotlib"}


FORESTS = """
study: forests
title: Two forests
generator: {name: losaw, n_samples: 60, n_features: 6, phi: 0.1, function: f3}
settings: {data_type: [continuous, discrete]}
learners:
  RF: {learner: random-forest, n_estimators: 2}
  losawRF: {learner: losaw-forest, n_estimators: 2}
importances: [mdi]
metrics: [r2_test, pr_auc]
seeds: {smoke: 1, desk: 1, paper: 1}
"""


def test_computing_blocks_of_forests_loads_nothing_heavy(tmp_path):
    config = tmp_path / "config" / "config.yaml"
    (config.parent / "studies").mkdir(parents=True)
    config.write_text(f"studies: [forests]\nscale: smoke\nresults: {tmp_path / 'results'}\n")
    (config.parent / "studies" / "forests.yaml").write_text(FORESTS)
    session = Session(config, {})
    execute(session)  # which also fits the joint law of the discrete features, by cvxpy
    again = tmp_path / "again.pickle"
    blocks = [
        (
            block.recipe,
            tmp_path / block.path.name,
            [session.results / "laws" / f"{n}.json" for n in block.slice.laws],
        )
        for block in session.plans[0].blocks.values()
    ]
    again.write_bytes(pickle.dumps(blocks))
    script = f"""
import pickle
from losaw.study.block.compute import compute
for block in pickle.load(open({str(again)!r}, "rb")):
    compute(*block)
"""
    assert loaded_after(script) == set()
