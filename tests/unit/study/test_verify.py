"""Stored lines computed again: what cannot be is named, and the last line says how many are equal.

Of study.verify.
"""

import re
import shutil
import subprocess

import pandas as pd
import pytest

from losaw.cli import main
from losaw.study.results.outputs import commit, write_outputs
from losaw.study.verify import EVIDENCE, read_evidence, verify
from losaw.support.errors import LosawError


@pytest.fixture
def evidence(computed, tmp_path, monkeypatch):
    """Lines of two seeds of the tiny study; those of a learner are of a study file that is gone."""
    monkeypatch.setattr("losaw.study.results.collect._SEEDS", 2)
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
    assert verify(lines, computed.configuration, 1, seed=1) == 0
    assert capsys.readouterr().out.endswith("1 of 1 equal\n")
    computed.edit("jitter: 0.3", "fail_share: 1.0")  # as where code of ours is broken
    assert verify(lines, computed.configuration, 1) == 1
    assert "learner\n  ArithmeticError: this fit fails" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "in last bits: the means of all seeds are the stored ones"),
        ({"mean": 1 + 1e-7}, "in last bits: the means of all seeds are the stored ones"),
        ({"mean": 1 + 1e-5}, "the mean of pr_auc reported over 5 seeds is"),
        ({"n_seeds": 2}, ".* over 5 seeds is .*, the stored one over 10 is"),
    ],
)
def test_last_bits_and_an_error_are_told_by_the_means_of_the_same_seeds(
    computed, evidence, capsys, changed, said
):
    blocks = pd.read_csv(evidence / "blocks.csv").query("learner != 'gone'")
    assert (blocks["last_seed"] - blocks["first_seed"]).max() == 1
    blocks.loc[blocks.index[4], "rows_sha256"] = "0" * 12
    blocks.to_csv(evidence / "blocks.csv", index=False)
    summary = pd.read_csv(evidence / "summary.csv")
    is_changed = summary["metric"] == "pr_auc"
    for column, factor in changed.items():
        summary.loc[is_changed, column] *= factor
    summary.to_csv(evidence / "summary.csv", index=False)
    lines = read_evidence(evidence.parent)
    assert verify(lines, computed.configuration, len(lines)) == 1
    printed = capsys.readouterr().out
    assert re.search(f"seeds 2 to 3: differs; computing 2 more lines .*\n  {said}", printed), (
        printed
    )
    assert printed.endswith(f"{len(lines) - 1} of {len(lines)} equal\n")


def test_what_was_verified_is_recorded_and_damaged_evidence_is_named(computed, evidence):
    lines = [line for line in read_evidence(evidence.parent) if line.learner != "gone"][:2]
    verify(lines, computed.configuration, len(lines), record=True)
    (run,) = pd.read_csv(evidence.parent / "runs.csv").to_dict("records")
    assert run["lines_equal"] == "2 of 2"
    assert run["scale"] == "smoke" and run["verified_at"] == commit()
    with pytest.raises(LosawError, match=r"unknown study 'tinny'.*did you mean 'tiny'"):
        read_evidence(evidence.parent, ["tinny"])
    whole = pd.read_csv(evidence / "blocks.csv")
    for digest in ("", "0", lines[0].rows_sha256[:11]):  # of which little or nothing can differ
        whole.assign(rows_sha256=digest).to_csv(evidence / "blocks.csv", index=False)
        with pytest.raises(LosawError, match=r"blocks\.csv, line 2: rows_sha256 is '.*git"):
            read_evidence(evidence.parent)
    for damaged in ("", "setting\na\n", ",".join(EVIDENCE)):
        (evidence / "blocks.csv").write_text(damaged)
        with pytest.raises(LosawError, match=r"blocks\.csv"):
            read_evidence(evidence.parent)
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
    monkeypatch.setenv("PATH", str(tmp_path))  # an image, or a node, without git
    assert commit() == ""


def test_rows_of_which_no_mean_is_stored_are_not_said_to_differ_in_last_bits(
    computed, evidence, capsys
):
    computed.edit("[r2_test, pr_auc]", "{pr_auc: {summary: median}}")
    blocks = pd.read_csv(evidence / "blocks.csv").assign(rows_sha256="0" * 12)
    blocks.query("learner != 'gone'").to_csv(evidence / "blocks.csv", index=False)
    lines = read_evidence(evidence.parent, ["tiny", "tiny"])
    assert len({*lines}) == len(lines)
    verify(lines, computed.configuration, 1)
    said = capsys.readouterr().out
    assert "no mean is stored to compare with" in said and "last bits" not in said


@pytest.mark.parametrize("words", ["--seed -3", "--seed=-1", "--seed x", "--sample 0"])
def test_a_seed_or_a_sample_that_is_no_count_is_refused(words, capsys):
    with pytest.raises(SystemExit):
        main(["verify", "reference", *words.split()])
    assert "is not allowed; ask for a whole number" in capsys.readouterr().err
