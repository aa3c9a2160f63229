"""Verifying stored results as a user does: by the command line. Of study.inspecting.verify."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from losaw.cli import main
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.files.block_file import read_block, write_block
from losaw.study.files.rows import Row, rows_by_seed, table_of
from losaw.study.inspecting.comparison import compare_rows
from losaw.study.inspecting.verify import verify
from losaw.study.results.outputs import write_outputs
from losaw.study.running.joint_laws import laws_of
from losaw.study.running.runner import execute


@pytest.fixture
def done(computed):
    """The tiny project with all blocks computed and collected."""
    write_outputs(computed.session().plans[0])
    return computed


def losaw(project, capsys, *words):
    code = main([words[0], "--config", str(project.configuration), *map(str, words[1:])])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def swap(first, second):
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def test_verify_finds_damage_and_remove_leaves_only_these_blocks_to_do(done, capsys):
    code, text = losaw(done, capsys, "verify")
    assert code == 0 and "16 blocks are whole" in text
    session = done.session()
    paths = [block.path for block in session.all_blocks]
    before = [path.read_bytes() for path in paths]
    paths[0].write_bytes(b"")
    paths[3].write_bytes(before[3][:-150])
    paths[6].write_bytes(before[6][:40] + bytes([before[6][40] ^ 255]) + before[6][41:])
    swap(paths[8], paths[12])
    (paths[1].parent / f"{paths[1].name}.elsewhere.1.unfinished").write_bytes(b"half")
    code, text = losaw(done, capsys, "verify")
    assert code == 1
    assert "is empty" in text and "damaged or truncated" in text and "not what its name" in text
    assert "left by a killed process" in text
    assert "11 blocks are whole" in text and "7 findings" in text
    assert "comparison.csv: cannot be made of its blocks again" in text
    code, text = losaw(done, capsys, "verify", "--remove")
    assert code == 0 and "removed 7 files" in text
    absent = [block for block in session.all_blocks if not block.path.exists()]
    assert [paths.index(block.path) for block in absent] == [0, 3, 6, 8, 12]
    assert not any(block.record_path.exists() for block in absent)
    assert execute(done.session().all_blocks, 1) == 5
    assert [path.read_bytes() for path in paths] == before


def test_verify_finds_blocks_with_failed_fits_when_asked(project, capsys):
    project.replace(project.study_file, "jitter: 0.3", "fail_share: 0.4")
    execute(project.session().all_blocks, 1)
    code, text = losaw(project, capsys, "verify")
    assert code == 0 and re.search(r"\([1-8] of them with failed fits\)", text)
    code, text = losaw(project, capsys, "verify", "--failed", "--remove")
    n_removed = int(re.search(r"removed (\d+) files", text)[1])
    assert execute(project.session().all_blocks, 1) == n_removed > 0


def test_recomputing_finds_a_number_that_was_changed_in_a_whole_file(done, capsys):
    code, text = losaw(done, capsys, "verify", "--recompute", "16")
    assert code == 0 and text.count("same bytes") == 16
    session = done.session()
    block = session.all_blocks[5]
    file = read_block(block.path)
    rows = [row for rows in rows_by_seed(file.table).values() for row in rows]
    # With a digest of its own, as if somebody had changed results with our functions.
    rows[0] = replace(rows[0], value=rows[0].value + 0.01)
    write_block(block, rows, file.footer)
    assert losaw(done, capsys, "verify")[0] == 1  # the summary is of the rows before
    write_outputs(done.session().plans[0])
    assert losaw(done, capsys, "verify")[0] == 0
    code, text = losaw(done, capsys, "verify", "--recompute", "16")
    assert code == 1 and "15 of 16 blocks computed again have equal numbers" in text
    assert text.count("same bytes") == 15 and text.count("DIFFERS, most in") == 1


def test_the_sample_of_blocks_is_decided_by_its_seed(done, capsys):
    def sample(*words):
        text = losaw(done, capsys, "verify", *words)[1]
        return set(re.findall(r"^tiny/\S+", text, re.MULTILINE))

    first = sample("--recompute", "5")
    assert len(first) == 5 and first == sample("--recompute", "5", "--jobs", "2", "--sample", "0")
    assert first != sample("--recompute", "5", "--sample", "1")


def rows(values, status="ok"):
    return table_of(
        "study", "setting", "learner",
        [Row(seed, "", "r2", value, status) for seed, value in enumerate(values)],
    )  # fmt: skip


def test_differences_are_measured_by_seed_in_standard_deviations_of_a_run():
    rng = np.random.default_rng(0)
    old = rng.normal(size=50)
    shift = 0.2 + 0.01 * rng.normal(size=50)
    found = compare_rows(rows(old), rows(old + shift))
    assert found.largest == pytest.approx(shift.mean() / old.std(ddof=1))
    assert found.largest_error == pytest.approx(shift.std(ddof=1) / 50**0.5 / old.std(ddof=1))
    assert not found.is_equal and compare_rows(rows(old), rows(old)).is_equal


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rows([1.0]), rows([1.1])),
        (rows([1.0, 1.0]), rows([1.0, 1.1])),
        (rows([1.0, 2.0]), rows([1.0, 2.0, 3.0])),
        (rows([1.0, 2.0]), rows([1.0, float("nan")])),
        (rows([1.0, 2.0]), rows([1.0, 2.0], status="failed")),
    ],
)
def test_what_cannot_be_measured_differs_without_bound(old, new):
    assert compare_rows(old, new).largest == np.inf


def test_verify_finds_a_damaged_joint_law(tmp_path, capsys):
    configuration = Path(__file__).parents[3] / "config" / "config.yaml"
    words = ["verify", "--config", str(configuration), "--study", "losaw_forest"]
    words += ["--scale", "smoke", "--output", str(tmp_path)]
    assert main(words) == 0
    session = Session(
        Request(configuration, {"studies": ["losaw_forest"], "scale": "smoke", "results": tmp_path})
    )
    (law,) = laws_of(session.all_blocks)
    law.parent.mkdir(parents=True)
    law.write_text('{"specification"')
    assert main(words) == 1
    assert str(law) in capsys.readouterr().out
    assert main([*words, "--remove"]) == 0 and not law.exists()


def test_status_counts_done_running_and_failed_blocks(project, capsys):
    project.replace(project.study_file, "jitter: 0.3", "fail_share: 0.4")
    text = losaw(project, capsys, "status")[1]
    assert re.search(r"^tiny +16 +0 +0 +0 +0 ", text, re.MULTILINE)
    assert "nothing is running" in text
    session = project.session(selection={"n_samples": ("30",)})
    execute(session.all_blocks, 1)
    text = losaw(project, capsys, "status", "--jobs", "4")[1]
    assert re.search(r"^tiny +16 +8 +0 +20 +[1-9]", text, re.MULTILINE)
    assert "s a fit over 10 fits" in text and "failed fits in tiny/blocks/" in text
    assert "left with 4 blocks at the same time" in text
    execute(project.session().all_blocks, 1)
    assert "all blocks are done" in losaw(project, capsys, "status")[1]


def test_status_tells_a_running_block_from_an_interrupted_one(project, capsys):
    from losaw.study.running.running_marks import RunningMark, mark_path, remove_mark

    session = project.session()
    RunningMark(session.all_blocks[0])
    text = losaw(project, capsys, "status")[1]
    assert re.search(r"^tiny +16 +0 +1 ", text, re.MULTILINE) and "running since" in text
    path = mark_path(session.all_blocks[0])
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "pid": 2**22 + 1}))
    text = losaw(project, capsys, "status")[1]
    assert re.search(r"^tiny +16 +0 +0 ", text, re.MULTILINE) and "interrupted since" in text
    remove_mark(session.all_blocks[0])
    assert not path.exists()


@pytest.mark.parametrize(
    ("slurm", "job", "words"),
    [
        ("", "", ": tiny/"),
        ("4711", "", ", Slurm job 4711: tiny/"),
        ("", "tiny.N30.1", ", tiny.N30.1: tiny/"),
    ],
)
def test_status_names_the_job_of_a_block(project, capsys, monkeypatch, slurm, job, words):
    from losaw.study.running.running_marks import JOB_VARIABLE, RunningMark, remove_mark

    monkeypatch.setenv("SLURM_JOB_ID", slurm)
    monkeypatch.setenv(JOB_VARIABLE, job)
    block = project.session().all_blocks[0]
    RunningMark(block)
    (line,) = (x for x in losaw(project, capsys, "status")[1].splitlines() if "since" in x)
    remove_mark(block)
    assert re.search(r"running since .* on [^,:]+" + words, line)


def test_whole_blocks_that_are_not_asked_for_are_counted(computed):
    n_blocks = len(computed.session().all_blocks)
    few = computed.session(seeds=2)
    verification = verify(few.plans)
    assert verification.findings == []
    assert verification.n_others == n_blocks - verification.n_good > 0
