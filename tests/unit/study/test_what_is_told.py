"""The messages of a run about files, blocks and its commit, with the right counts.

Of study.files.healing, study.files.run_record, study.files.writing,
study.inspecting.verify, study.inspecting.status, study.results.manifest.
"""

import json
import subprocess

import pandas as pd
import pyarrow as pa
import pytest

from losaw.study.files import run_record
from losaw.study.files.healing import Finding, heal
from losaw.study.files.writing import write_rows
from losaw.study.inspecting.status import StudyStatus
from losaw.study.inspecting.verify import verify
from losaw.study.results.outputs import write_outputs


@pytest.mark.parametrize(("n_damaged", "told"), [(5, ""), (6, "… and 1 more"), (7, "… and 2 more")])
def test_five_damaged_files_are_named_and_the_others_counted(tmp_path, capsys, n_damaged, told):
    heal(Finding(tmp_path / f"file_{i}", "is gone") for i in range(n_damaged))
    text = capsys.readouterr().err
    assert f"{n_damaged} missing or damaged files" in text
    assert text.count("is gone") == 5
    assert ("more" in text) == bool(told) and told in text


def test_nothing_is_told_of_files_that_are_whole(capsys):
    heal([])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("head", "changed", "told"),
    [
        ("abc", "", "abc"),
        ("abc", " M file", "abc+changes"),
        (None, "", ""),
    ],
)
def test_a_commit_is_told_with_its_changes(monkeypatch, head, changed, told):
    def git(command, **_):
        out = head if "rev-parse" in command else changed
        return subprocess.CompletedProcess(command, 0 if out is not None else 128, out or "")

    monkeypatch.setattr(run_record.subprocess, "run", git)
    assert run_record.commit.__wrapped__() == told


def test_the_index_of_a_frame_is_no_column(tmp_path):
    schema = pa.schema([("seed", pa.int64())])
    write_rows(tmp_path / "rows.parquet", pd.DataFrame({"seed": [1, 2]}, index=[7, 9]), schema)
    assert pa.parquet.read_table(tmp_path / "rows.parquet").column_names == ["seed"]


def test_whole_blocks_that_are_not_asked_for_are_counted(computed):
    n_blocks = len(computed.session().all_blocks)
    few = computed.session(seeds=2)
    verification = verify(few.plans)
    assert verification.findings == []
    assert verification.n_others == n_blocks - verification.n_good > 0


def test_the_manifest_of_a_run_without_failures_counts_none(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    manifest = json.loads((plan.folder / "manifest.json").read_text())
    assert (manifest["failed_rows"], manifest["missing_blocks"]) == (0, [])
    assert manifest["fits"] == sum(len(block.seeds) for block in plan.blocks)


def test_differences_begin_with_who_and_from_whom(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    assert list(pd.read_csv(plan.folder / "differences.csv").columns[:2]) == ["learner", "minus"]


def test_further_blocks_are_told_of_only_where_there_are_some():
    assert not any("further" in line for line in StudyStatus("s").remarks())
    assert any("3 further blocks" in line for line in StudyStatus("s", n_others=3).remarks())
