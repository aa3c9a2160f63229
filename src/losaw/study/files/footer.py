"""Where a number came from: the footer of its block, and the record of the run."""

import datetime
import importlib.metadata
import os
import platform
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import losaw
from losaw.study.design.blocks import Block
from losaw.study.design.grid import Method, Setting, Study
from losaw.study.files.block_file import block_identity

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def footer(
    study: Study, block: Block, setting: Setting, learner: Method, version: str, law: Any = None
) -> dict[str, Any]:
    """What decided the numbers of a block; the same wherever and whenever it runs."""
    return {
        "losaw": losaw.__version__,
        "results_version": version,
        "block": block_identity(block),
        "experiment": study.experiment,
        "generator": {"name": study.generator.entry.name, "parameters": dict(setting.parameters)},
        "learner": {
            "name": learner.entry.name,
            "target": learner.entry.target,
            "parameters": {**learner.entry.parameters, **learner.parameters_for(setting)},
        },
        "importances": {
            label: {
                "name": study.importances[label].entry.name,
                "parameters": study.importances[label].parameters_for(setting),
            }
            for label in learner.importances
        },
        "metrics": list(study.metrics),
        "joint_law": law,
        "libraries": library_versions(),
    }


@cache
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers may depend on."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        versions[name] = importlib.metadata.version(name)
    return versions


@cache
def commit() -> str:
    """The checkout's commit, with ``+changes`` if tracked files differ; empty outside git."""
    folder = Path(losaw.__file__).parent

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    return head + "+changes" if head and git("status", "--porcelain", "-uno") else head


def threads() -> dict[str, str]:
    """The variables that limit threads, as they are set here."""
    return {name: os.environ.get(name, "") for name in THREAD_VARIABLES}


def run_record(
    started: datetime.datetime,
    seconds: list[float],
    n_failed: int,
    n_taken_over: int,
    peak_megabytes: float,
) -> dict[str, Any]:
    """How a block was run: this differs between runs and therefore stands beside the block.

    Parameters
    ----------
    started : datetime
    seconds : list of float
        By seed, also of those that were taken over from another file.
    n_failed, n_taken_over : int
        Numbers of seeds.
    peak_megabytes : float
        Peak memory of the process that computed the seeds.
    """
    return {
        "host": platform.node(),
        "started": started.isoformat(timespec="seconds"),
        "wall_seconds": round((datetime.datetime.now(datetime.UTC) - started).total_seconds(), 2),
        "seconds": [round(value, 4) for value in seconds],
        "failed_seeds": n_failed,
        "taken_over_seeds": n_taken_over,
        "peak_megabytes": round(peak_megabytes, 1),
        "command": shlex.join(sys.argv),
        "commit": commit(),
        "threads": threads(),
        "slurm_job_id": os.environ.get("SLURM_JOB_ID", ""),
    }
