"""Every starter file works as it is, and nothing is overwritten."""

import signal
import sys

import pytest
import yaml

from losaw import registry
from losaw.cli import main
from losaw.contracts import check_file, new_method, template
from losaw.registry import KINDS, RegistryError
from losaw.registry.plugins import PluginError
from losaw.study.design.schema import StudyFile


@pytest.fixture(autouse=True)
def forget_plugins():
    yield
    for name in [name for name in sys.modules if name.startswith("losaw_plugin_")]:
        del sys.modules[name]
    for key, entry in list(registry._entries.items()):
        if entry.target.startswith("losaw_plugin_"):
            del registry._entries[key]


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_file_passes_all_checks_as_it_is(tmp_path, kind):
    path = tmp_path / "my_first_method.py"
    new_method(kind, path)
    outcomes = check_file(path)
    assert {outcome.name for outcome in outcomes} == {f"{kind} my-first-method"}
    assert [outcome for outcome in outcomes if outcome.message] == []


def test_the_new_class_is_named_after_the_file(tmp_path):
    new_method("metric", tmp_path / "my_first_method.py")
    assert "class MyFirstMethod:" in (tmp_path / "my_first_method.py").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_leaves_no_mark_unfilled(kind):
    assert "$" not in template(kind)


def test_an_existing_file_is_left_as_it_is(tmp_path):
    (tmp_path / "mine.py").write_text("precious")
    with pytest.raises(PluginError, match="exists; it was left as it is"):
        new_method("metric", tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text() == "precious"


def test_an_unknown_kind_is_answered_with_the_nearest_match(tmp_path):
    with pytest.raises(RegistryError, match="unknown kind 'metrics'; did you mean 'metric'"):
        new_method("metrics", tmp_path / "mine.py")
    assert not (tmp_path / "mine.py").exists()


def test_a_file_name_that_python_cannot_import_is_refused(tmp_path):
    with pytest.raises(PluginError, match="name it like a Python module"):
        new_method("metric", tmp_path / "my-method.py")


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PluginError, match="cannot be written"):
        new_method("metric", tmp_path / "file" / "mine.py")


def test_a_file_that_registers_nothing_is_reported(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(PluginError, match="registers nothing; put @register"):
        check_file(tmp_path / "mine.py")


def test_a_broken_method_fails_with_its_name_and_what_to_implement(tmp_path):
    new_method("importance", tmp_path / "mine.py")
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(text.replace("def explain(", "def explian("))
    failed = [outcome for outcome in check_file(tmp_path / "mine.py") if outcome.message]
    assert failed[0].name == "importance mine"
    assert "implement explain(self, model, data, rng)" in failed[0].message


@pytest.mark.parametrize("kind", KINDS)
def test_a_passed_check_says_how_a_study_names_the_method(tmp_path, capsys, kind):
    path = tmp_path / "my_first_method.py"
    new_method(kind, path)
    assert main(["check", str(path)]) == 0
    said = yaml.safe_load(capsys.readouterr().out.splitlines()[-1])
    key = {"drawing": "figures", "knockoff": "importances"}.get(kind, kind)
    assert list(said) in ([key], [f"{key}s"])
    assert set(said) <= set(StudyFile.model_fields)
    assert "my-first-method" in str(said)


BROKEN = """
import numpy as np
from losaw.registry import register


@register("importance", "{name}")
class Broken:
    def explain(self, model, data, rng):
        return np.linalg.inv(np.zeros((2, 2)))
"""


def test_the_first_failure_is_shown_with_its_line_and_the_rest_in_one_line(tmp_path, capsys):
    broken, fine = tmp_path / "broken.py", tmp_path / "fine.py"
    broken.write_text(BROKEN.format(name="my-broken-one"))
    new_method("metric", fine)
    assert main(["check", str(broken), str(fine)]) == 1
    lines = capsys.readouterr().out.splitlines()
    (first,) = (line for line in lines if line.startswith("FAILED"))
    assert "LinAlgError: Singular matrix" in first and f"({broken}:9, in explain)" in first
    (rest,) = (line for line in lines if "more may follow from it" in line)
    assert int(rest.split()[0]) == rest.count(",") + 1 >= 3
    assert any(line.startswith("ok     metric") for line in lines)


ENDLESS = """
from losaw.registry import register


@register("importance", "endless-one")
class Endless:
    def explain(self, model, data, rng):
        while True:
            pass
"""


def test_an_endless_method_ends_with_the_check_named_while_others_are_checked(tmp_path, capsys):
    endless, fine = tmp_path / "endless.py", tmp_path / "fine.py"
    endless.write_text(ENDLESS)
    new_method("metric", fine)
    assert main(["check", "--seconds", "1", str(endless), str(fine)]) == 1
    printed = capsys.readouterr()
    (failed,) = (line for line in printed.out.splitlines() if line.startswith("FAILED"))
    assert failed.startswith("FAILED importance endless-one: gives one finite score")
    assert "no result within 1 s" in failed and "(--seconds)" in failed
    assert any(line.startswith("ok     metric") for line in printed.out.splitlines())
    assert "checking importance endless-one: gives one finite score" in printed.err
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
