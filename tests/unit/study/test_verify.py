"""Stored lines computed again: what cannot be is named, and the last line says how many are equal.

Of study.verify.
"""

import shutil
import subprocess

import pandas as pd
import pytest

from losaw.study.results.outputs import commit, write_outputs
from losaw.study.verify import EVIDENCE, read_evidence, verify
from losaw.support.errors import LosawError


@pytest.fixture
def evidence(computed, tmp_path):
    """Lines of the tiny study; those of one learner are of a study file that is gone."""
    (plan,) = computed.session().plans
    write_outputs(plan)
    folder = tmp_path / "reference" / "tiny"
    folder.mkdir(parents=True)
    shutil.copy(plan.folder / "summary.csv", folder)
    blocks = pd.read_csv(plan.folder / "blocks.csv")
    blocks["learner"] = blocks["learner"].replace("plain", "gone")
    blocks.to_csv(folder / "blocks.csv", index=False)
    (folder.parent / "runs.csv").write_text("study,scale\ntiny,smoke\n")
    return folder


def test_lines_that_cannot_be_computed_are_named_and_the_others_counted(computed, evidence, capsys):
    lines = read_evidence(evidence.parent)
    n_there = sum(line.learner != "gone" for line in lines)
    assert verify(lines, computed.configuration, len(lines)) == 1  # fewer than there are
    said = capsys.readouterr().out
    assert said.count("cannot be computed here: unknown learner 'gone'") == len(lines) - n_there
    assert said.endswith(f"{n_there} of {len(lines)} equal\n")
    # Another is drawn in the place of one that is gone.
    assert verify(lines, computed.configuration, 1, seed=-1) == 0
    assert capsys.readouterr().out.endswith("1 of 1 equal\n")
    computed.edit("jitter: 0.3", "fail_share: 1.0")  # as where code of ours is broken
    assert verify(lines, computed.configuration, 1) == 1
    assert "differs; ArithmeticError: this fit fails" in capsys.readouterr().out


def test_rows_that_differ_are_told_with_the_size_of_the_difference(computed, evidence, capsys):
    text = (evidence / "blocks.csv").read_text()
    digest = pd.read_csv(evidence / "blocks.csv").query("learner != 'gone'")["rows_sha256"].iloc[0]
    (evidence / "blocks.csv").write_text(text.replace(digest, "0" * len(digest)))
    lines = [line for line in read_evidence(evidence.parent) if line.learner != "gone"]
    assert verify(lines, computed.configuration, len(lines)) == 1
    said = capsys.readouterr().out
    assert said.count("differs in last bits: its means are the stored ones") == 1
    assert said.endswith(f"{len(lines) - 1} of {len(lines)} equal\n")
    verify(lines, computed.configuration, len(lines), record=True)
    (run,) = pd.read_csv(evidence.parent / "runs.csv").to_dict("records")
    assert run["lines_equal"] == f"{len(lines) - 1} of {len(lines)}"
    assert run["scale"] == "smoke" and run["verified_at"] == commit()
    with pytest.raises(LosawError, match=r"unknown study 'tinny'.*did you mean 'tiny'"):
        read_evidence(evidence.parent, ["tinny"])
    for damaged in ("", "setting\na\n", ",".join(EVIDENCE)):
        (evidence / "blocks.csv").write_text(damaged)
        with pytest.raises(LosawError, match=r"blocks\.csv"):
            read_evidence(evidence.parent)
    constant = pd.read_csv(evidence / "summary.csv").assign(mean=9.0, sd=0.0)
    constant.to_csv(evidence / "summary.csv", index=False)
    verify(lines, computed.configuration, len(lines))
    assert ", the stored one 9\n" in capsys.readouterr().out
    # As many runs more: the mean of a part of them has an error of its own.
    constant.assign(n_seeds=10).to_csv(evidence / "summary.csv", index=False)
    verify(lines, computed.configuration, len(lines))
    assert "is inf standard errors from that of all seeds" in capsys.readouterr().out
    (evidence.parent / "runs.csv").write_text("study,scale\nother,smoke\n")
    with pytest.raises(LosawError, match=r"runs.csv: a line of study 'tiny' must say the scale"):
        verify(lines, computed.configuration, 1)


def test_a_commit_has_changes_where_code_differs_not_where_evidence_does(tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=b", *words])

    for name in ("src/code.py", "reference/runs.csv"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    monkeypatch.setattr("losaw.__file__", str(tmp_path / "src/code.py"))
    (tmp_path / "reference/runs.csv").write_text("study")
    assert commit().isalnum()
    (tmp_path / "src/code.py").write_text("1")
    assert commit().endswith("+changes")
