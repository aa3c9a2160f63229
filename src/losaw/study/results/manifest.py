"""The record of how a study was run: versions, request, counts and seconds."""

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import losaw
from losaw.study.results.collect import Collection
from losaw.study.results.summary import every_value
from losaw.study.session import StudyPlan


def manifest(plan: StudyPlan, collection: Collection) -> dict[str, Any]:
    """A description of a run: versions, request, counts, seconds."""
    study = plan.study
    failed = collection.results[collection.results["status"] != "ok"]
    return {
        "study": study.name,
        "title": study.file.title,
        "losaw": losaw.__version__,
        "commit": commit(),
        "libraries": collection.libraries,
        "scale": study.scale,
        "seeds": plan.n_seeds,
        "joint_laws": list(collection.laws.values()),
        "blocks": len(plan.blocks),
        "left_out": study.left_out,
        "fits": plan.n_fits,
        "failed_rows": int((every_value(study, collection)["status"] != "ok").sum()),
        "failures": failed["message"].astype(str).value_counts().head(20).to_dict(),
        "machine": machine(),
        **_spent(plan),
    }


def _spent(plan: StudyPlan) -> dict[str, Any]:
    """What the blocks cost, as far as Snakemake's benchmarks say."""
    import pandas as pd

    paths = (benchmark_path(block.path) for block in plan.blocks.values())
    lines = [pd.read_csv(path, sep="\t", na_values="-") for path in paths if path.is_file()]
    if not lines:
        return {"core_seconds": None, "peak_megabytes": None}
    costs = pd.concat(lines)
    return {
        "core_seconds": round(float(costs["cpu_time"].sum()), 1),
        "peak_megabytes": float(costs["max_rss"].max()),
    }


def benchmark_path(path: Path) -> Path:
    """Return the place of Snakemake's measurement of a block's job."""
    return (path.parents[2] / "benchmarks" / path.parent.name / path.name).with_suffix(".tsv")


def machine() -> str:
    """Return processor, number of cores and Python, on which the seconds depend."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def commit() -> str:
    """Return the checkout's commit, ``+changes`` if tracked files differ; empty outside git."""
    folder = Path(losaw.__file__).parent

    def git(*words: str) -> str:
        # Without a lock of the index, which a run that is killed, or a full disk, would leave.
        command = ["git", "--no-optional-locks", "-C", str(folder), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    return head + "+changes" if head and git("status", "--porcelain", "-uno") else head
