"""Files of a study: what is written, removed and recorded, and which blocks belong to a plan.

Of study.design.plan, study.files.footer, study.files.healing, study.files.run_record,
study.files.writing.
"""

import subprocess

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from losaw.study.design.plan import other_blocks
from losaw.study.files import run_record
from losaw.study.files.footer import footer_of, of_the_fit
from losaw.study.files.healing import Finding, heal
from losaw.study.files.writing import write_csv, write_rows
from losaw.study.running.runner import run_block


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


def test_a_table_is_written_with_its_columns_and_no_more(tmp_path):
    write_csv(tmp_path / "a.csv", pd.DataFrame({"a": [1, 2], "b": [0.1, 1 / 3]}))
    assert (tmp_path / "a.csv").read_bytes() == b"a,b\n1,0.1\n2,0.3333333333333333\n"


def test_other_blocks_are_those_that_are_not_asked_for(project):
    block = project.session(selection={"n_samples": ("30",)}).plan("tiny").blocks[0]
    run_block(block)
    assert other_blocks(project.session().plan("tiny")) == []
    assert other_blocks(project.session(selection={"n_samples": ("60",)}).plan("tiny")) == [block]


@pytest.mark.parametrize(
    ("key", "is_of_the_fit"),
    [("metrics", False), ("results_version", False), ("learner", True), ("joint_law", True)],
)
def test_files_of_the_same_fits_may_differ_in_metrics_and_seeds_alone(project, key, is_of_the_fit):
    footer = footer_of(project.session().all_blocks[0], None)
    changed = {"name": "changed", "parameters": {}} if key == "learner" else "changed"
    other = {**footer, key: changed}
    assert (of_the_fit(footer) != of_the_fit(other)) == is_of_the_fit
    elsewhere = {**footer, "block": {**footer["block"], "seeds": [100, 119]}}
    assert of_the_fit(elsewhere) == of_the_fit(footer)
    elsewhere["block"] = {**footer["block"], "setting": "another"}
    assert of_the_fit(elsewhere) != of_the_fit(footer)
