"""Which joint laws a run fits, and how.

Of workflow.rules, study.running.joint_laws.
"""

import shlex
from pathlib import Path

import pytest
import yaml

from losaw.cli import main
from losaw.support.checkout import CONFIGURATION, checkout
from losaw.workflow.rules import Workflow

pytest.importorskip("cvxpy")


def planned(folder: Path, *studies: str) -> Workflow:
    file = checkout() / CONFIGURATION
    config = yaml.safe_load(file.read_text()) | {"studies": list(studies), "scale": "smoke"}
    return Workflow(config | {"results": str(folder)}, file)


def test_mixtures_of_one_law_are_fitted_together_and_only_those_that_are_missing(tmp_path):
    def names() -> list[list[str]]:
        run = planned(tmp_path, "losaw_discrete_laws", "losaw_discrete_osqp")
        return sorted(sorted(Path(law).stem for law in laws) for laws in run.laws_to_fit.values())

    exact, mixture = "6-features-maximum-entropy-87f27d82", "6-features-maximum-entropy-w0.02"
    (mixed, (osqp,)) = names()
    assert mixed[0] == exact and mixed[1].startswith(mixture) and len(mixed) == 2
    assert osqp.startswith("6-features-none-osqp")
    # A study that the configuration does not name has laws of its own.
    run = planned(tmp_path, "losaw_discrete_osqp")
    ((law,),) = run.laws_to_fit.values()
    assert main(["fit-law", law, *shlex.split(run.arguments)]) == 0
    assert Path(law).exists() and names() == [mixed]


def test_a_law_of_no_block_is_refused(tmp_path, capsys):
    run = planned(tmp_path, "losaw_discrete_osqp")
    other = str(tmp_path / "laws" / "other.json")
    assert main(["fit-law", other, *shlex.split(run.arguments)]) == 2
    assert "no block draws from this joint law" in capsys.readouterr().err
