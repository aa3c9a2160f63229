"""losaw.support.extras: what is not installed is named, with the extra that brings it."""

import subprocess
import sys

import numpy as np
import pytest

from losaw import ImportanceResult, LosawNetworkRegressor, NetworkRegressor
from losaw.cli import main
from losaw.importance import treeinner
from losaw.knockoffs import make_sampler
from losaw.study.generators.joint_law.fit import fit_joint_law
from losaw.study.generators.joint_law.law import JointLawSpecification
from losaw.study.registry import entries, get
from losaw.study.registry.catalogue import EXTRAS
from losaw.support.extras import LIBRARIES, MissingExtraError, extra, require

X = np.random.default_rng(0).standard_normal((60, 8))
y = X[:, 0]
# What a person does, the library that is absent, and the extra that brings it.
USES = {
    "a network": (lambda: NetworkRegressor(batch_size=20).fit(X, y), "jax", "network"),
    "losawGD": (lambda: LosawNetworkRegressor(batch_size=20).fit(X, y), "jax", "network"),
    "an optimiser": (lambda: NetworkRegressor(batch_size=20).fit(X, y), "optax", "network"),
    "deep knockoffs": (lambda: make_sampler("deep"), "jax", "network"),
    "a learner": (lambda: get("learner", "xgboost").create().fit(X, y), "xgboost", "xgboost"),
    "an importance": (lambda: treeinner(None, X, y), "xgboost", "xgboost"),
    "a plot": (lambda: ImportanceResult(y[:2], ("a", "b")).plot(), "matplotlib", "plot"),
    "a law": (lambda: fit_joint_law(JointLawSpecification(np.eye(2))), "cvxpy", "study"),
}


def take_out(library, monkeypatch):
    """Make a library absent, as where it is not installed."""
    for module in list(sys.modules):
        if module.partition(".")[0] == library or module.startswith("losaw.knockoffs.deep"):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)


@pytest.mark.parametrize("use", USES)
def test_a_method_whose_extra_is_absent_says_which_in_one_line(use, monkeypatch):
    do, library, name = USES[use]
    take_out(library, monkeypatch)
    with pytest.raises(ImportError) as raised:
        do()
    assert str(raised.value) == (
        f"{library!r} is not installed; it comes with the extra {name!r}: "
        f"pip install '.[{name}]' in losaw's folder"
    )


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


def test_another_mistake_inside_keeps_its_own_words():
    with pytest.raises(ImportError, match="cannot import name"), extra("plot"):
        from math import no_such_function  # noqa: F401
    with pytest.raises(MissingExtraError, match="'inner'"), extra("outer"), extra("inner"):
        import a_library_that_draws  # noqa: F401


def test_what_is_there_is_not_complained_about():
    require("study", ("json",))
    with pytest.raises(MissingExtraError, match=r"'a_library'.*'\.\[study\]'"):
        require("study", ("json", "a_library"))
