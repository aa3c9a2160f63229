"""Studies without what they need: named before they start, with the extra that brings it."""

import subprocess
import sys

import numpy as np
import pytest

from losaw.cli import main
from losaw.study.generators.joint_law.fit import fit_joint_law
from losaw.study.generators.joint_law.law import JointLawSpecification
from losaw.study.registry import entries, get
from losaw.study.registry.catalogue import EXTRAS
from losaw.support.extras import LIBRARIES
from reference.without_a_library import take_out


@pytest.mark.parametrize(
    ("do", "library", "name"),
    [
        (lambda: get("learner", "xgboost").create().fit([[0.0]], [0.0]), "xgboost", "xgboost"),
        (lambda: fit_joint_law(JointLawSpecification(np.eye(2))), "cvxpy", "study"),
    ],
)
def test_a_part_of_a_study_whose_extra_is_absent_says_which(do, library, name, monkeypatch):
    take_out(library, monkeypatch)
    with pytest.raises(ImportError, match=rf"{library!r} is not installed; .* extra {name!r}"):
        do()


def test_a_command_on_studies_without_their_extra_says_so_and_ends(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['pyarrow'] = None\n")
    run = losaw(tmp_path, "plan")
    assert (run.returncode, run.stdout) == (2, "")
    assert (
        run.stderr.startswith("losaw: 'pyarrow' is not installed") and run.stderr.count("\n") == 1
    )


STUDY_FILE = """
study: mine
title: Trees
generator: {name: normal-linear, correlation: identity}
settings: {n_samples: [50]}
learners:
  forest: {learner: random-forest, importances: [mdi, CPI]}
  boosted: {learner: xgboost, importances: [mdi]}
importances: {mdi: {importance: reported}, CPI: {importance: cpi-conditional, sampler: deep}}
metrics: [pr_auc]
seeds: {smoke: 1, desk: 1, paper: 1}
"""


@pytest.mark.parametrize(
    ("absent", "place", "selection"),
    [
        ("xgboost", "mine.yaml: line 8: learners.boosted: learner 'xgboost'", []),
        ("jax", "mine.yaml: line 9: importances.CPI: knockoff 'deep'", ["learner=forest"]),
    ],
)
def test_a_study_that_needs_an_absent_extra_is_refused_before_it_starts(
    absent, place, selection, tmp_path, monkeypatch, capsys
):
    (tmp_path / "config" / "studies").mkdir(parents=True)
    (tmp_path / "config" / "config.yaml").write_text("studies: [mine]\nscale: smoke\n")
    (tmp_path / "config" / "studies" / "mine.yaml").write_text(STUDY_FILE)
    take_out(absent, monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert main(["plan", *(["--config", *selection] if selection else [])]) == 2
    said, extra_name = capsys.readouterr().err, {"jax": "network"}.get(absent, absent)
    assert said.count("\n") == 1 and place in said
    assert f"it comes with the extra '{extra_name}'" in said
    assert not (tmp_path / "results").exists()


def test_the_catalogue_knows_which_importances_and_learners_need_an_extra():
    of_xgboost = {
        entry.name
        for entry in entries("importance")
        if getattr(entry.load(), "example_learner", "") == "xgboost"
    }
    of_losaw = {
        entry.name
        for entry in entries("learner")
        if entry.target.startswith(("losaw.network", "losaw.study.learners.xgboost"))
    }
    others = {"cpi-deep", "shap-pearson", "shap-spearman"}
    assert {name for kind, name in EXTRAS if kind == "importance"} == of_xgboost | others
    assert {name for kind, name in EXTRAS if kind == "learner"} == of_losaw
    assert set(EXTRAS.values()) == set(LIBRARIES)


def test_names_are_listed_without_what_studies_need(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['yaml'] = None\n")
    run = losaw(tmp_path, "list")
    assert run.returncode == 0 and "cpi-sequential" in run.stdout
    assert run.stdout.endswith("pip install '.[study]' in losaw's folder\n")


def losaw(folder, *words):
    """The command line in a Python whose sitecustomize.py lies in ``folder``."""
    script = (
        "import sys; sys.path.insert(0, '.'); import importlib.util;"
        "exec(open('sitecustomize.py').read());"
        "from losaw.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words], cwd=folder, capture_output=True, text=True
    )
