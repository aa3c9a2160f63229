"""What a block cost: the CPU time of the jobs that computed its rows, measured by the jobs."""

import json
import multiprocessing
import resource
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from losaw.study.block.recipe import Recipe
from losaw.study.block.writing import write_text

OTHER = ""  # what is no part's own: start, imports, writing, a fit that is needed again
Seconds = defaultdict[str, float]  # CPU time by part (:func:`part_name`)


def cpu_seconds() -> float:
    """Return the CPU time of this process so far, and of its children: ended, or a pool's."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    running = [psutil.Process(child.pid).cpu_times() for child in multiprocessing.active_children()]
    ended = sum(each.ru_utime + each.ru_stime for each in used)
    return ended + sum(each.user + each.system for each in running)


def part_name(learner: str, importance: str = "") -> str:
    """Return the name of an importance's time; without one, of fit and predictions, and of data."""
    return f"{learner}/{importance}"


def learner_of(part: str) -> str:
    """Return the learner of a part's name."""
    return part.partition("/")[0]


def own_parts(recipe: Recipe) -> set[str]:
    """Return the parts that make the rows of a recipe, and the rest."""
    methods = recipe.learners.items()
    own = {part_name(k, part) for k, one in methods for part in ("", *(one.importances or ()))}
    return own | {OTHER}


@contextmanager
def counted(seconds: Seconds | None, name: str) -> Iterator[None]:
    """Add the CPU time of the body to that of a name."""
    start = cpu_seconds()
    yield
    if seconds is not None:
        seconds[name] += cpu_seconds() - start


def cost_path(path: Path) -> Path:
    """Return the place of a block's costs, beside Snakemake's own benchmark."""
    return (path.parents[2] / "benchmarks" / path.parent.name / path.name).with_suffix(".json")


def read_cost(path: Path) -> dict[str, Any] | None:
    """Return ``seconds`` by part of a block; None if not noted."""
    try:
        return dict(json.loads(cost_path(path).read_text("utf-8")))
    except (OSError, ValueError):
        return None


def write_cost(path: Path, seconds: Mapping[str, float], taken: Collection[str]) -> None:
    """Note what a block cost: ``seconds`` by part of this job, and the rest of it.

    Parts with rows that were ``taken`` from an earlier job keep what they cost there. Where nothing
    is computed, those that are left out this time stay, as their rows do.
    """
    before = read_cost(path) or {"seconds": {}}
    parts = {part: spent for part, spent in seconds.items() if part != OTHER}
    own = {OTHER: cpu_seconds() - sum(parts.values()), **parts}
    now = {name: own[name] + before["seconds"].get(name, 0.0) * (name in taken) for name in own}
    stay = {k: v for k, v in before["seconds"].items() if k in taken or not seconds}
    cost = {"seconds": stay | now}
    write_text(cost_path(path), json.dumps(cost, indent=1) + "\n")
