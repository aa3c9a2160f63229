"""The study as jobs of a real Slurm: the same bytes as on one machine. Run by make test-slurm."""

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from losaw.study.results.outputs import write_outputs
from reference.in_process import execute

sys.path.insert(0, str(Path(__file__).parent))
import one_node

REPOSITORY = Path(__file__).resolve().parents[2]
# Every block a job of its own.
PARTS = ("noise_variance=0.5", "job_seconds=0.1")
JOB = "tiny.N60-noise_variance0.5-jittered.4"

STUCK = """

@register("learner", "stuck-slopes")
class StuckSlopes(MarginalSlopes):
    def fit(self, X, y):
        import pathlib
        while len(X) == 60 and pathlib.Path(__file__).with_name("stuck").exists():
            time.sleep(0.1)
        return super().fit(X, y)
"""

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


def command(project, *words, parts=PARTS):
    return [
        str(Path(sys.executable).parent / "snakemake"),
        "--snakefile", str(REPOSITORY / "Snakefile"),
        "--directory", str(project.folder),
        "--workflow-profile", str(REPOSITORY / "profiles" / "slurm"),
        "--slurm-status-command", "squeue",
        "--slurm-init-seconds-before-status-checks", "5",
        "--jobs", "8",
        *words,
        "--config", *parts,
        "--", f"{project.results}/tiny/comparison.csv",
    ]  # fmt: skip


def run_locally(project, folder):
    session = project.session(
        overrides={"results": str(folder)}, selection={"noise_variance": ("0.5",)}
    )
    execute(session.all_blocks, jobs=2)
    write_outputs(session.plans[0])


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


def next_attempt(project, process, earlier):
    """The number of the stuck block's job, once it is none of the earlier ones."""
    deadline = time.monotonic() + 480
    while True:
        assert time.monotonic() < deadline and process.poll() is None
        for mark in project.results.glob("tiny/runs/60_*/jittered/*.running"):
            with contextlib.suppress(ValueError, OSError):  # it is being written, or gone
                number = json.loads(mark.read_text())["slurm_job_id"]
                if number not in earlier:
                    return number
        time.sleep(0.2)


def test_a_block_lost_by_time_cancellation_and_kill_is_counted_and_later_computed(
    project, tmp_path
):
    plugin = project.folder / "plugin.py"
    plugin.write_text(plugin.read_text() + STUCK)
    project.replace(
        project.study_file, "{learner: marginal-slopes, jitter", "{learner: stuck-slopes, jitter"
    )
    project.replace(project.study_file, "boundaries: [2, 5]", "boundaries: [5]")
    run_locally(project, tmp_path / "local")

    (project.folder / "stuck").touch()
    options = {"parts": (*PARTS, "max_failed_share=0.3")}
    process = subprocess.Popen(
        command(project, "--set-resources", f"{JOB}:runtime=2", **options),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    attempts = [next_attempt(project, process, [])]  # ended by Slurm after its two minutes
    attempts.append(next_attempt(project, process, attempts))
    subprocess.run(["scancel", attempts[1]], check=True)
    attempts.append(next_attempt(project, process, attempts))
    (mark,) = project.results.glob("tiny/runs/60_*/jittered/*.running")
    os.kill(json.loads(mark.read_text())["pid"], signal.SIGKILL)  # as a kernel out of memory does
    text, _ = process.communicate(timeout=540)
    states = dict(line.split("|") for line in jobs("%i|%T"))
    assert [states[number] for number in attempts] == ["TIMEOUT", "CANCELLED", "FAILED"], text
    assert process.returncode != 0 and "1 of 4 blocks failed" in text, text
    manifest = json.loads((project.results / "tiny" / "manifest.json").read_text())
    assert re.fullmatch(r"tiny/blocks/60_\S+/jittered/\S+.parquet", *manifest["missing_blocks"])

    (project.folder / "stuck").unlink()
    before = len(jobs("%i"))
    done = subprocess.run(command(project, **options), capture_output=True, text=True, timeout=540)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(jobs("%i")) == before + 2  # the block and its collection
    assert digests(project.results) == digests(tmp_path / "local")
