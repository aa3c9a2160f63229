"""Kill -9 at random moments, of the main process and of single workers: resumed, equal bytes."""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ROUNDS = [range(8), range(8, 16), range(16, 24)]

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc"),
]


def snakemake(project, results, *words):
    return [
        str(Path(sys.executable).parent / "snakemake"),
        "--snakefile", str(REPOSITORY / "Snakefile"),
        "--directory", str(project.folder),
        "--workflow-profile", str(REPOSITORY / "profiles" / "default"),
        "--cores", "2", "--quiet", "all",
        *words,
        # Jobs of several blocks, and several of them.
        "--config", "noise_variance=0.5", "job_seconds=5", f"results={results}",
        "--", f"{results}/tiny/comparison.csv",
    ]  # fmt: skip


def losaw(project, results, *words):
    command = [sys.executable, "-m", "losaw", *words, "--config", str(project.configuration)]
    return [*command, "--output", str(results), "--set", "noise_variance=0.5"]


def digests(results):
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in ("tiny/blocks/**/*.parquet", "tiny/*.parquet", "tiny/*.csv")
        for path in sorted(results.glob(pattern))
    }


def workers(results):
    """Processes that compute blocks of a results folder: supervisors and their children."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes().decode(errors="replace")
                if str(results) in words and ("\0blocks\0" in words or "\0run\0" in words):
                    found.append(int(folder.name))
    return found


def run_until_killed(command, results, rng):
    """Start a run and kill its main process, or one to three workers, at random moments.

    Returns what was killed.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    victim = rng.choice(["main", "main", "worker", "workers"])
    deadline = time.monotonic() + 60
    # Any moment from the first block on, or from the start.
    while rng.random() < 0.97 and not workers(results) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    killed = []
    for _ in range({"main": 1, "worker": 1, "workers": 3}[victim]):
        time.sleep(rng.uniform(0.0, 2.0))
        targets = [process.pid] if victim == "main" else workers(results)
        if targets and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(targets), signal.SIGKILL)
                killed.append(victim)
    if victim != "main":
        process.wait(600)
    else:
        process.wait(60)
    return killed


@pytest.fixture
def slow(project, tmp_path):
    """The tiny project, slow enough to be killed at work, and what it gives when left alone."""
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 0.15")
    whole = tmp_path / "whole"
    subprocess.run(losaw(project, whole, "run", "--jobs", "2"), check=True, capture_output=True)
    return project, digests(whole)


@pytest.mark.parametrize("seeds", ROUNDS, ids=str)
def test_killed_workflows_resume_to_the_same_bytes(slow, tmp_path, seeds):
    project, whole = slow
    killed = []
    for seed in seeds:
        rng = random.Random(seed)
        results = tmp_path / f"round_{seed}"
        killed += run_until_killed(snakemake(project, results), results, rng)
        if rng.random() < 0.25:
            subprocess.run(["rm", "-rf", str(project.folder / ".snakemake")], check=True)
        else:
            subprocess.run(snakemake(project, results, "--unlock"), check=True, capture_output=True)
        done = subprocess.run(snakemake(project, results), capture_output=True, text=True)
        assert done.returncode == 0, (seed, done.stdout + done.stderr)
        assert digests(results) == whole, seed
    print(f"{len(seeds)} rounds, {len(killed)} kills: {sorted(killed)}")
    assert len(killed) >= 5


@pytest.mark.parametrize("seeds", ROUNDS, ids=str)
def test_killed_runs_without_snakemake_resume_to_the_same_bytes(slow, tmp_path, seeds):
    project, whole = slow
    killed = []
    for seed in seeds:
        rng = random.Random(1000 + seed)
        results = tmp_path / f"round_{seed}"
        command = losaw(project, results, "run", "--jobs", "2")
        killed += run_until_killed(command, results, rng)
        subprocess.run(command, check=True, capture_output=True)
        assert digests(results) == whole, seed
    print(f"{len(seeds)} rounds, {len(killed)} kills: {sorted(killed)}")
    assert len(killed) >= 5
