"""The study as jobs of a real Slurm: the same bytes as on one machine. Run by make test-slurm."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from losaw.study.execute import execute
from losaw.study.outputs import write_outputs

sys.path.insert(0, str(Path(__file__).parent))
import one_node

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = ("noise_variance=0.5",)

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


def command(project, *words):
    return [
        str(Path(sys.executable).parent / "snakemake"),
        "--snakefile", str(REPOSITORY / "Snakefile"),
        "--directory", str(project.folder),
        "--workflow-profile", str(REPOSITORY / "profiles" / "slurm"),
        "--slurm-status-command", "squeue",
        "--slurm-init-seconds-before-status-checks", "5",
        "--jobs", "8",
        *words,
        "--config", *PARTS,
        "--", f"{project.results}/tiny/comparison.csv",
    ]  # fmt: skip


def run_locally(project, folder):
    session = project.session(
        overrides={"results": str(folder)}, selection={"noise_variance": ("0.5",)}
    )
    execute(session, jobs=2)
    write_outputs(session, session.studies[0])


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in ("tiny/blocks/**/*.parquet", "tiny/*.parquet", "tiny/*.csv")
        for path in sorted(folder.glob(pattern))
    }


def records(project):
    return [json.loads(path.read_text()) for path in project.results.glob("tiny/runs/**/*.json")]


def jobs(fields):
    """One line per job that Slurm has seen."""
    words = ["squeue", "--noheader", "--states", "all", "--format", fields]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def test_every_block_is_a_job_and_the_bytes_are_those_of_a_local_run(project, tmp_path):
    done = subprocess.run(command(project), capture_output=True, text=True, timeout=540)
    assert done.returncode == 0, done.stdout + done.stderr
    identifiers = [record["slurm_job_id"] for record in records(project)]
    assert len(identifiers) == 8 and len(set(identifiers)) == 8
    assert all(identifier.isdigit() for identifier in identifiers)
    run_locally(project, tmp_path / "local")
    assert digests(project.results) == digests(tmp_path / "local")
    asked = dict(line.split("|", 1) for line in jobs("%i|%m|%l|%C"))
    for identifier in identifiers:
        assert asked[identifier] == "1500M|10:00|1"


def test_a_cancelled_job_is_tried_again_with_more_memory_and_time(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 8.0")
    process = subprocess.Popen(
        command(project), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    deadline = time.monotonic() + 120
    marks = []
    while not marks:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.2)
        marks = list(project.results.glob("tiny/runs/*/jittered/*.running"))
    cancelled = json.loads(marks[0].read_text())["slurm_job_id"]
    subprocess.run(["scancel", cancelled], check=True)
    text, _ = process.communicate(timeout=540)
    assert process.returncode == 0, text
    record = json.loads(marks[0].with_suffix(".json").read_text())
    assert record["slurm_job_id"].isdigit() and record["slurm_job_id"] != cancelled
    asked = dict(line.split("|", 1) for line in jobs("%i|%m|%l"))
    assert asked[cancelled] == "1500M|10:00"
    assert asked[record["slurm_job_id"]] == "3000M|20:00"
