"""The files of a study: collected rows, summary, comparison with published values, manifest.

The manifest says how the study was run: versions, request, counts and seconds.
"""

import json
import os
import platform
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

import losaw
from losaw.study.block.rows import BLOCK_SCHEMA
from losaw.study.block.spent import learner_of, own_parts, read_cost
from losaw.study.block.writing import write_csv, write_rows, write_text
from losaw.study.request.published import read_published
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, Collection, collect
from losaw.study.results.compare import compare
from losaw.study.results.summary import every_value, paired_differences, summarise
from losaw.study.session import StudyPlan
from losaw.support.sources import digest_of

FILES = (
    "settings.csv",
    "blocks.csv",
    "results.parquet",
    "scores.parquet",
    "summary.csv",
    "differences.csv",
    "comparison.csv",
    "manifest.json",
)
# What pages and a kept run are made of: an edit, or a line that is lost, would show nowhere else.
DIGESTED = ("blocks.csv", "summary.csv", "differences.csv", "comparison.csv")


def write_outputs(plan: StudyPlan) -> None:
    """Collect a study's blocks and write everything that is made of them.

    Leaves :data:`FILES` in the plan's folder. All but the manifest are the same bytes for any
    number of cores and any order of blocks.
    """
    study, folder = plan.study, plan.folder
    collection = collect(plan)
    write_csv(folder / "blocks.csv", collection.blocks)
    write_csv(folder / "settings.csv", collection.settings)
    for name, rows, columns in (
        ("results", collection.results, RESULT_COLUMNS),
        ("scores", collection.scores, SCORE_COLUMNS),
    ):
        schema = pa.schema([BLOCK_SCHEMA.field(column) for column in columns])
        write_rows(folder / f"{name}.parquet", rows, schema)
    summary = summarise(study, collection)
    write_csv(folder / "summary.csv", summary)
    write_csv(folder / "differences.csv", paired_differences(study, collection))
    published = read_published(study, plan.published)
    comparison = compare(study, summary, published)
    write_csv(folder / "comparison.csv", comparison)
    about = manifest(plan, collection)
    about["sha256"] = {name: digest_of([folder / name]) for name in DIGESTED}
    write_text(folder / "manifest.json", json.dumps(about, indent=1) + "\n")


def manifest(plan: StudyPlan, collection: Collection) -> dict[str, Any]:
    """A description of a run."""
    study = plan.study
    failed = collection.results[collection.results["status"] != "ok"]
    return {
        "study": study.name,
        "title": study.file.title,
        "losaw": losaw.__version__,
        "commit": commit(),
        "study_file_sha256": digest_of(plan.written),
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
    """What the rows of the blocks cost; nothing, rather than a part, if one did not note it.

    ``seconds`` are those of a data set, by part.
    """
    seconds: Counter[str] = Counter()
    n_sets: Counter[str] = Counter()
    for block in plan.blocks.values():
        cost = read_cost(block.path)
        if cost is None:
            return {"core_seconds": None, "seconds": {}}
        recipe = block.recipe
        is_own = own_parts(recipe)
        seconds.update({k: v for k, v in cost["seconds"].items() if k in is_own})
        for setting, learner in recipe.pairs():
            n_sets[learner] += len(recipe.seeds_of(setting, learner))
    means = {k: v / n_sets[learner_of(k)] for k, v in seconds.items() if n_sets[learner_of(k)]}
    rounded = {name: round(mean, 4) for name, mean in means.items()}
    return {"core_seconds": round(seconds.total(), 1), "seconds": rounded}


def machine() -> str:
    """Return processor, number of cores and Python, on which the seconds depend."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def commit() -> str:
    """Return the checkout's commit, ``+changes`` if tracked files differ; empty outside git.

    Stored evidence does not count: no computation reads it, and verifying writes to it.
    """
    folder = Path(losaw.__file__).parent

    def git(*words: str) -> str:
        # Without a lock of the index, which a run that is killed, or a full disk, would leave.
        command = ["git", "--no-optional-locks", "-C", str(folder), *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:  # no git here, as in the image
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    of_code = (":(top)", ":(top,exclude)reference")
    is_changed = head and git("status", "--porcelain", "-uno", "--", *of_code)
    return head + "+changes" if is_changed else head
