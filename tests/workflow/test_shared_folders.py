"""Two runs on one folder, files that were damaged or touched: one message, and right results."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from losaw.cli import main
from reference import snakemake_runs
from reference.snakemake_runs import run_without_snakemake


def snakemake(project, *words):
    """A run up to the summary, without drawings and report."""
    target = f"{project.results}/tiny/comparison.csv"
    return snakemake_runs.snakemake(project, *words, target=target)


def narrow(project):
    return ["--config", str(project.configuration), "--set", "noise_variance=0.5"]


def digests(project):
    return {
        str(path.relative_to(project.results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in ("tiny/blocks/**/*.parquet", "tiny/*.parquet", "tiny/*.csv")
        for path in sorted(project.results.glob(pattern))
    }


def planned(text):
    """Rules of a dry run."""
    return re.findall(r"^([\w.-]+) +\d+$", text, re.MULTILINE)


@pytest.mark.long
def test_a_second_snakemake_on_a_folder_is_refused_and_the_first_goes_on(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 1.0")
    first = subprocess.Popen(
        snakemake_runs.command(project), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    deadline = time.monotonic() + 120
    while not list(project.results.glob("tiny/runs/**/*.running")):
        assert time.monotonic() < deadline and first.poll() is None
        time.sleep(0.05)
    code, text = snakemake(project)
    assert code != 0 and "Directory cannot be locked" in text and "--unlock" in text, text
    output, _ = first.communicate()
    assert first.returncode == 0, output
    assert len([name for name in digests(project) if "/blocks/" in name]) == 8


def test_two_runs_without_snakemake_on_one_folder_leave_whole_blocks(project):
    run_without_snakemake(project, project.results)
    alone = digests(project)
    shutil.rmtree(project.results)
    run = [sys.executable, "-m", "losaw", "run", *narrow(project)]
    both = [
        subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)
    ]
    for process in both:
        _, error = process.communicate()
        assert process.returncode == 0, error
    assert digests(project) == alone
    assert not list(project.results.rglob("*.unfinished"))


@pytest.mark.parametrize(
    "remove",
    [
        pytest.param(False, id="same command"),
        pytest.param(True, id="verify --remove", marks=pytest.mark.long),
    ],
)
def test_damaged_blocks_are_refused_named_removed_and_run_again_alone(finished, capsys, remove):
    before = digests(finished)
    words = narrow(finished)
    first, second, third, *whole = sorted(finished.results.glob("tiny/blocks/**/*.parquet"))
    written = [path.stat().st_ino for path in whole]
    first.write_bytes(first.read_bytes()[:-99])
    content = second.read_bytes()
    second.write_bytes(third.read_bytes())
    third.write_bytes(content)
    assert main(["report", *words]) == 2
    error = capsys.readouterr().err
    assert "3 files of blocks are unusable" in error and "make them again" in error
    assert all(str(path) in error for path in (first, second, third)), error
    if remove:
        assert main(["verify", "--remove", *words]) == 0
        assert not any(path.exists() for path in (first, second, third))
        code, text = snakemake(finished, "--dry-run", "--quiet", "rules")
        assert code == 0 and "tiny.noise_variance0.5.1" in planned(text), text
    code, text = snakemake(finished)
    assert code == 0 and "3 of 8 blocks to compute, in 1 jobs" in text, text
    assert digests(finished) == before
    assert [path.stat().st_ino for path in whole] == written


@pytest.mark.long
@pytest.mark.parametrize("years", [-20, 20])
def test_a_clock_that_jumped_reruns_no_block_and_changes_no_result(finished, years):
    project = finished
    before = digests(project)
    when = time.time() + years * 365 * 86400
    for path in sorted(project.results.glob("tiny/blocks/**/*.parquet"))[::2]:
        os.utime(path, (when, when))
    code, text = snakemake(project, "--dry-run", "--quiet", "rules")
    assert (
        code == 0
        and "0 of 8 blocks to compute" in text
        and not [n for n in planned(text) if n.startswith("tiny.")]
    )

    code, text = snakemake(project)
    assert code == 0, text
    assert digests(project) == before
