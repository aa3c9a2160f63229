"""The record of a block's run, in a file of its own, because it differs between runs."""

import datetime
import hashlib
import json
import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import losaw
from losaw.study.errors import StudyError
from losaw.study.files.writing import write_text

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NPROC",
)


# Key of the SHA-256 of all others.
DIGEST = "sha256"


@dataclass(frozen=True)
class RunRecord:
    """How a block was run.

    Attributes
    ----------
    host : str
    started : str
        ISO 8601, UTC.
    wall_seconds : float
    seconds : list of float
        CPU time by seed, also of those that were taken over from another file; without compiling.
    failed_seeds, taken_over_seeds : int
    peak_megabytes : float
        Peak memory of the process that computed the seeds.
    command, commit, slurm_job_id : str
    threads : dict
        The variables that limit threads.
    """

    host: str
    started: str
    wall_seconds: float
    seconds: list[float]
    failed_seeds: int = 0
    taken_over_seeds: int = 0
    peak_megabytes: float = 0.0
    command: str = ""
    commit: str = ""
    threads: Mapping[str, str] = field(default_factory=dict)
    slurm_job_id: str = ""

    @property
    def core_seconds(self) -> float:
        """Seconds of all seeds."""
        return sum(self.seconds)


def write_run_record(
    path: Path,
    started: datetime.datetime,
    seconds: list[float],
    n_failed: int,
    n_taken_over: int,
    peak_megabytes: float,
) -> None:
    """Write the record of a run that ends now, in this process; see :class:`RunRecord`."""
    wall = (datetime.datetime.now(datetime.UTC) - started).total_seconds()
    record = RunRecord(
        host=platform.node(),
        started=started.isoformat(timespec="seconds"),
        wall_seconds=round(wall, 2),
        seconds=[round(value, 4) for value in seconds],
        failed_seeds=n_failed,
        taken_over_seeds=n_taken_over,
        peak_megabytes=round(peak_megabytes, 1),
        command=shlex.join(sys.argv),
        commit=commit(),
        threads=threads(),
        slurm_job_id=os.environ.get("SLURM_JOB_ID", ""),
    )
    written = asdict(record)
    write_text(path, json.dumps({**written, DIGEST: _digest(written)}, indent=1) + "\n")


def _digest(written: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()


def read_run_record(path: Path) -> RunRecord | None:
    """The record of a run; None if there is none, or none that can be read."""
    try:
        return check_run_record(path)
    except StudyError:
        return None


def check_run_record(path: Path) -> RunRecord | None:
    """The record of a run; None if there is none.

    Raises
    ------
    StudyError
        If it is damaged.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        digest = written.pop(DIGEST, None)  # records of earlier versions have none
        record = RunRecord(**written)
        numbers = (record.wall_seconds, record.peak_megabytes, *record.seconds)
        texts = (record.host, record.started, record.command, record.commit, record.slurm_job_id)
        is_whole = (
            math.isfinite(sum(numbers) + record.failed_seeds + record.taken_over_seeds)
            and all(isinstance(text, str) for text in texts)
            and isinstance(record.threads, dict)
            and digest in (None, _digest(written))
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError):
        is_whole = False
    if not is_whole:
        raise StudyError(f"{path}: is damaged: how the block was run is not known")
    return record


@cache
def commit() -> str:
    """The checkout's commit, with ``+changes`` if tracked files differ; empty outside git."""
    folder = Path(losaw.__file__).parent

    def git(*words: str) -> str:
        # Without a lock of the index, which a run that is killed, or a full disk, would leave.
        command = ["git", "--no-optional-locks", "-C", str(folder), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    return head + "+changes" if head and git("status", "--porcelain", "-uno") else head


def threads() -> dict[str, str]:
    """The variables that limit threads, as they are set here."""
    return {name: os.environ.get(name, "") for name in THREAD_VARIABLES}
