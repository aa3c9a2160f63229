"""Every file in examples/ keeps its contract and runs, and `losaw check` says what is wrong."""

import re
import shutil
import signal
from pathlib import Path

import pytest
import yaml

from losaw.cli import main
from losaw.study.contracts import check_file
from losaw.study.registry.plugins import PluginError
from losaw.study.report import figures
from losaw.study.report.results import StudyResults
from losaw.study.report.tables import write_tables
from losaw.study.session import Session
from reference.in_process import run

pytestmark = pytest.mark.usefixtures("plugins_forgotten")

ROOT = Path(__file__).parents[2]
KINDS = {
    "importance": "importance shuffled-loss",
    "learner": "learner bagged-ridge",
    "generator": "generator autoregressive",
    "metric": "metric share_of_top",
    "sampler": "knockoff shuffled",
    "drawing": "drawing bars-by-learner",
}


def test_there_is_an_example_of_every_kind():
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_keeps_its_contract(kind, capsys):
    assert main(["check", str(ROOT / "examples" / f"{kind}.py")]) == 0
    checked = capsys.readouterr().out.splitlines()
    assert {one.partition(": ")[0] for one in checked} == {f"ok     {KINDS[kind]}"}


def test_the_example_of_a_study_runs_with_its_plugin(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples" / "study")
    asked = {"scale": "smoke", "n_samples": 200, "correlation": "heterogeneous"}
    session = Session(Path("config/config.yaml"), asked)
    folder, (plan,) = run(session), session.plans
    results = StudyResults(folder, plan.study)
    write_tables(plan.study, results.comparison, folder / "tables")
    table = (folder / "tables" / "my_table.md").read_text(encoding="utf-8")
    assert "RF shuffled-loss" in table
    figures.write_figures(plan.study, results, plan.figures)
    assert list(plan.figures.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_the_line_of_a_study_that_an_example_shows_is_accepted(kind, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples" / "study")
    shown = re.search(r"in a study\s`(.*?)`", Path(f"../{kind}.py").read_text("utf-8"))
    file = Path("config/studies/my_study.yaml")
    study = yaml.safe_load(file.read_text("utf-8"))
    for own in ("tables", "figures", "labels"):  # of the methods that are replaced
        del study[own]
    if kind == "generator":
        study["settings"] = {"n_samples": [200]}
    file.write_text(yaml.safe_dump(study | yaml.safe_load(shown[1])), "utf-8")
    plugins = [f"../{kind}.py", "../importance.py"]
    Path("config/config.yaml").write_text(f"studies: [my_study]\nplugins: {plugins}\n", "utf-8")
    (plan,) = Session(Path("config/config.yaml"), {"scale": "smoke"}).plans
    assert plan.study.settings


BROKEN = """
import numpy as np
from losaw.study.registry import register


@register("importance", "my-broken-one")
class Broken:
    def explain(self, model, data, rng):
        {body}
"""


def checked(tmp_path, capsys, text, *options):
    """What `losaw check` says of a file, and of a good one after it."""
    file = tmp_path / "mine.py"
    file.write_text(text)
    code = main(["check", *options, str(file), str(ROOT / "examples" / "metric.py")])
    said = capsys.readouterr().out.splitlines()
    assert any(line.startswith("ok     metric share_of_top") for line in said)
    assert code == 1
    return next(line for line in said if line.startswith("FAILED"))


def test_an_error_is_shown_with_its_line(tmp_path, capsys):
    text = BROKEN.format(body="return np.linalg.inv(np.zeros((2, 2)))")
    said = checked(tmp_path, capsys, text)
    assert said.endswith("LinAlgError: Singular matrix (mine.py:9)")


def test_an_endless_method_ends_at_its_limit(tmp_path, capsys):
    text = BROKEN.format(body="\n        while True:\n            pass")
    said = checked(tmp_path, capsys, text, "--seconds", "1")
    assert "no result within 1 s" in said and "(--seconds)" in said
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_file_that_registers_nothing_is_told_what_to_write(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(PluginError, match=r"registers nothing; put @register.*examples/"):
        check_file(tmp_path / "mine.py")
