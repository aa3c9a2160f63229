"""What a block cost: the CPU time of the jobs that computed its rows, measured by the jobs."""

import json
import multiprocessing
import resource
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import psutil

from losaw.study.block.writing import write_text

OTHER = ""  # what no learner spent: start, imports, writing


def cpu_seconds() -> float:
    """Return the CPU time of this process so far, and of its children: ended, or a pool's."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    running = [psutil.Process(child.pid).cpu_times() for child in multiprocessing.active_children()]
    ended = sum(each.ru_utime + each.ru_stime for each in used)
    return ended + sum(each.user + each.system for each in running)


def peak_megabytes() -> float:
    """Return the largest memory that this process, or one of its children, has held."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(who).ru_maxrss for who in both)
    return most / (1024**2 if sys.platform == "darwin" else 1024)  # bytes there, else kilobytes


def cost_path(path: Path) -> Path:
    """Return the place of a block's costs, beside Snakemake's own benchmark."""
    return (path.parents[2] / "benchmarks" / path.parent.name / path.name).with_suffix(".json")


def read_cost(path: Path) -> dict[str, Any] | None:
    """Return ``seconds`` by learner and ``peak_megabytes`` of a block; None if not noted."""
    try:
        return dict(json.loads(cost_path(path).read_text("utf-8")))
    except (OSError, ValueError):
        return None


def write_cost(path: Path, seconds: Mapping[str, float], taken: Collection[str]) -> None:
    """Note what a block cost: ``seconds`` by learner of this job, and the rest of it.

    Learners with rows that were ``taken`` from an earlier job keep what they cost there. Those
    that are left out this time stay, as their rows do.
    """
    before = read_cost(path) or {"seconds": {}, "peak_megabytes": 0.0}
    own = {OTHER: cpu_seconds() - sum(seconds.values()), **seconds}
    now = {name: own[name] + before["seconds"].get(name, 0.0) * (name in taken) for name in own}
    peak = max(peak_megabytes(), before["peak_megabytes"] if taken else 0.0)
    cost = {"seconds": before["seconds"] | now, "peak_megabytes": peak}
    write_text(cost_path(path), json.dumps(cost, indent=1) + "\n")
