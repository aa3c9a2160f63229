"""The results version changes with what decides a block's numbers, and with nothing else."""

import importlib.metadata
from pathlib import Path

import pytest

from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.files.footer import footer_of


def versions(project, learner="jittered"):
    session = project.session()
    return {b.name: b.series.version for b in session.all_blocks if b.name.learner == learner}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jitter: 0.3", "jitter: 0.4"),
        ("metrics: [r2_test, pr_auc]", "metrics: [r2_test, pr_auc, auc]"),
        ("title: A study", "experiment: other\ntitle: A study"),
    ],
)
def test_it_changes_with_what_decides_the_numbers(project, old, new):
    before = versions(project)
    project.replace(project.study_file, old, new)
    after = versions(project)
    assert before.keys() == after.keys()
    assert all(before[key] != after[key] for key in before)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: A study", "title: Another"),
        ("caption: a tiny table", "caption: a small table"),
        ("desk: 10", "desk: 11"),
        ("plain: {learner: marginal-slopes}", "plain: {learner: marginal-slopes, jitter: 9.0}"),
    ],
)
def test_it_does_not_change_with_anything_else(project, old, new):
    before = versions(project)
    project.replace(project.study_file, old, new)
    assert versions(project) == before


def test_it_changes_with_a_plugins_code_but_not_with_its_comments(project):
    """Within one process, too: who edits a plugin in a notebook and runs again gets new blocks."""
    plugin = project.folder / "plugin.py"
    before = versions(project)
    project.replace(plugin, "        return self\n", "        # a comment\n        return self\n")
    assert versions(project) == before
    project.replace(plugin, "X @ self.slopes_", "X @ self.slopes_ + 1")
    after = versions(project)
    assert all(before[key] != after[key] for key in before)


def test_an_edited_plugin_is_what_runs(project):
    from losaw.registry import get

    project.session()
    first = get("learner", "marginal-slopes").load()
    project.replace(project.folder / "plugin.py", "X @ self.slopes_", "X @ self.slopes_ + 1")
    project.session()
    assert get("learner", "marginal-slopes").load() is not first


def test_a_footer_names_the_libraries_that_the_methods_of_its_block_import():
    config = Path(__file__).parents[3] / "config" / "config.yaml"
    names = ["treeinner_figure1", "losaw_network", "losaw_forest"]
    session = Session(Request(config, {"studies": names, "scale": "smoke"}), trusted=True)
    libraries = {}
    for block in session.all_blocks:
        libraries.setdefault(block.name.study, footer_of(block, None)["libraries"])
    import xgboost

    version = importlib.metadata.version
    assert libraries["treeinner_figure1"]["xgboost"] == xgboost.__version__
    network = libraries["losaw_network"]
    assert [network[n] for n in ("cvxpy", "jax", "optax")] == [
        version(n) for n in ("cvxpy", "jax", "optax")
    ]
    assert not {"xgboost", "jax", "cvxpy"} & libraries["losaw_forest"].keys()
