"""Asking for more: only what is new is computed, nothing old moves."""

import shutil

import pytest

from losaw.study.block import compute as module
from losaw.study.block.block_file import read_block
from reference.in_process import execute
from reference.repository import REPOSITORY

COUNTING = """

from pathlib import Path as _Path

from losaw.scoring.result import ImportanceResult as _Result


class _Slopes:
    name = ""

    def explain(self, model, data, rng):
        with _Path(__file__).with_name("explained").open("a") as file:
            file.write(self.name + " ")
        return _Result(np.abs(model.slopes_), tuple(data.feature_names))


@register("importance", "first-slopes")
class FirstSlopes(_Slopes):
    name = "first"


@register("importance", "second-slopes")
class SecondSlopes(_Slopes):
    name = "second"
"""


def contents(paths):
    return {path.name: path.read_bytes() for path in paths}


@pytest.fixture
def small(project):
    """One setting, with importances that count their calls."""
    project.narrow()
    project.edit("[0.5, 1.0]", "[0.5]")
    project.edit("[reported]", "[first-slopes]")
    project.edit("smoke: 5", "smoke: 2")
    project.extend_plugin(COUNTING)
    return project


def explained(project):
    file = project.folder / "explained"
    words = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return words


def test_one_more_importance_computes_itself_alone(small, tmp_path):
    before = contents(execute(small.session()))
    assert explained(small) == ["first"] * 4
    small.edit("[first-slopes]", "[first-slopes, second-slopes]")
    (path,) = execute(small.session())
    assert explained(small) == ["second"] * 4
    assert contents([path]) != before
    fresh = execute(small.session(results=str(tmp_path / "fresh")))
    assert contents(fresh) == contents([path])


def test_a_strangers_file_and_two_lines_compute_the_rows_of_that_method_alone(small):
    small.edit("  jittered:", "  #")
    small.edit("marginal-slopes}", "marginal-slopes, importances: [first-slopes]}")
    (before,) = execute(small.session())
    rows = read_block(before).table.to_pylist()
    assert explained(small) == ["first"] * 2
    shutil.copy(REPOSITORY / "examples" / "importance.py", small.folder / "stranger.py")
    small.edit("title:", "plugins: [../../stranger.py]\ntitle:")
    small.edit("importances: [first-slopes]}", "importances: [first-slopes, shuffled-loss]}")
    (path,) = execute(small.session())
    found = read_block(path).table.to_pylist()
    added = [row for row in found if row["importance"] == "shuffled-loss"]
    assert explained(small) == [] and {row["status"] for row in added} == {"ok"} and len(added) == 4
    assert str([row for row in found if row not in added]) == str(rows)


@pytest.mark.parametrize("missing", ["losaw_no_such_module", ""])
def test_an_optional_learner_whose_importance_cannot_run_is_left_out_by_name(small, missing):
    says = f'\n    unavailable = staticmethod(lambda: "{missing}")\n'
    small.extend_plugin(says.replace("\n    u", "\nSecondSlopes.u"))
    small.edit("jitter: 0.3", "jitter: 0.3, optional: true, importances: [second-slopes]")
    session = small.session()
    learners = ["plain"] if missing else ["plain", "jittered"]
    assert session.learners(session.studies[0]) == learners
    assert session.studies[0].left_out == ({"jittered": missing} if missing else {})


def test_without_reuse_all_is_computed_to_the_same_bytes(small, capfd):
    small.edit("jitter: 0.3", "jitter: 0.6")
    execute(small.session())
    explained(small)
    small.edit("jitter: 0.6", "jitter: 0.3")
    (path,) = execute(small.session())
    assert explained(small) == ["first"] * 2
    said = "losaw: rows of 1 of 2 methods taken from kept/: plain first-slopes\n"
    assert capfd.readouterr().out == said
    content = path.read_bytes()
    execute(small.session(), reuse=False)
    assert explained(small) == ["first"] * 4 and path.read_bytes() == content
    assert capfd.readouterr().out == ""


def test_what_is_stored_is_not_computed_again_if_a_learner_is_left_out_for_a_time(small):
    (path,) = execute(small.session())
    content = path.read_bytes()
    explained(small)
    for old, new in (("  jittered:", "  #"), ("  #", "  jittered:")):
        small.edit(old, new)
        path.unlink()  # as Snakemake does before a job
        execute(small.session())
    assert explained(small) == [] and path.read_bytes() == content


def test_rows_of_other_libraries_are_computed_again(small, monkeypatch):
    execute(small.session())
    explained(small)
    real = module.footer_of
    other = lambda *a: {**real(*a), "libraries": {"numpy": "1"}}  # noqa: E731
    monkeypatch.setattr(module, "footer_of", other)
    execute(small.session())
    assert explained(small) == ["first"] * 4


def test_a_damaged_kept_file_is_not_used(small):
    (path,) = execute(small.session())
    content = path.read_bytes()
    explained(small)
    module.kept_path(path).write_bytes(content[:-100])
    execute(small.session())
    assert explained(small) == ["first"] * 4 and path.read_bytes() == content


def test_failed_fits_are_tried_again(small):
    small.edit("jitter: 0.3", "fail_share: 1.0")
    execute(small.session())
    assert explained(small) == ["first"] * 2
    execute(small.session())
    assert explained(small) == []  # the fits that went well are taken, the others fail again
