"""The joint laws that a run fits.

Of workflow.rules, study.running.joint_laws.
"""

import shlex
from pathlib import Path

import pytest
import yaml

from losaw.cli import main
from losaw.workflow.rules import Workflow

pytest.importorskip("cvxpy")


def planned(folder: Path, *studies: str) -> Workflow:
    file = Path(__file__).parents[3] / "config" / "config.yaml"
    config = yaml.safe_load(file.read_text()) | {"studies": list(studies), "scale": "smoke"}
    return Workflow(config | {"results": str(folder)}, file)


def test_a_law_is_fitted_by_its_own_command_and_jobs_wait_for_the_laws_of_their_blocks(tmp_path):
    run = planned(tmp_path, "losaw_discrete_draws")
    (law,) = {law for job in run.jobs for law in run.inputs_of(job.blocks)}
    assert Path(law).parent == Path(run.laws_folder) and law in run.everything
    assert main(["internal", "laws", law, *shlex.split(run.arguments)]) == 0
    assert Path(law).exists()


def test_a_law_of_no_block_is_refused(tmp_path, capsys):
    run = planned(tmp_path, "losaw_discrete_draws")
    other = str(tmp_path / "laws" / "other.json")
    assert main(["internal", "laws", other, *shlex.split(run.arguments)]) == 2
    assert "no block draws from this joint law" in capsys.readouterr().err
