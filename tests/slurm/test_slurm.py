"""The study as jobs of a real Slurm: the same bytes as on one machine. Run by make test-slurm."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reference import snakemake_runs
from reference.in_process import run
from reference.snakemake_runs import NARROW, digests

sys.path.insert(0, str(Path(__file__).parent))
import one_node

FIELDS = "%i|%k|%m|%l|%C|%T"  # number, comment, memory, time, cores, state

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        os.environ.get("LOSAW_TEST_SLURM") != "1", reason="starts daemons: run by make test-slurm"
    ),
    pytest.mark.skipif(bool(one_node.why_not()), reason=one_node.why_not()),
]


@pytest.fixture(scope="module", autouse=True)
def slurm(tmp_path_factory):
    with one_node.one_node_slurm(tmp_path_factory.mktemp("slurm")):
        yield


def command(project):
    status = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5")
    config = (*NARROW, "n_samples=60")
    return snakemake_runs.command(
        project, *status, "--jobs", "8", profile="slurm", cores=None, config=config
    )


def whole(project, folder):
    """The digests of the same request, computed in this process."""
    selection = {"noise_variance": ("0.5",), "n_samples": ("60",)}
    run(project.session(results=str(folder), **selection))
    return digests(folder)


def blocks_in_the_queue():
    """The jobs of blocks that Slurm has seen."""
    words = ["squeue", "--noheader", "--states", "all", "--format", FIELDS]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split("|") for line in lines if "rule_block" in line]


def test_every_block_is_a_job_and_the_bytes_are_those_of_a_local_run(project, tmp_path):
    done = subprocess.run(command(project), capture_output=True, text=True, timeout=540)
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = blocks_in_the_queue()
    assert len(jobs) == 3
    assert {tuple(job[2:5]) for job in jobs} == {("1500M", "1:00:00", "1")}
    assert whole(project, tmp_path / "local").items() <= digests(project.results).items()


def test_a_cancelled_job_is_tried_again_with_more_memory_and_time(project, tmp_path):
    project.edit("jitter: 0.3", "jitter: 0.3, pause: 8.0")
    process = subprocess.Popen(
        command(project), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    deadline = time.monotonic() + 240
    running = []
    while not running:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.5)
        running = [job for job in blocks_in_the_queue() if job[5] == "RUNNING"]
    subprocess.run(["scancel", running[0][0]], check=True)
    text, _ = process.communicate(timeout=540)
    assert process.returncode == 0, text
    jobs = blocks_in_the_queue()
    more = "3000M", "3:00:00"  # twice the memory, and the time of each of two learners besides
    assert any(tuple(job[2:4]) == more for job in jobs), jobs
    assert whole(project, tmp_path / "local").items() <= digests(project.results).items()
