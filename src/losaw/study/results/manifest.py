"""The record of how a study was run: versions, request, counts, machines and seconds."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable

import losaw
from losaw.generators.joint_law.law import JointLaw
from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.files.footer import library_versions
from losaw.study.files.run_record import commit, read_run_record, threads
from losaw.study.results.collect import Collection


def manifest(plan: StudyPlan, collection: Collection) -> dict:
    """A description of a run: versions, request, counts, machines, seconds."""
    study = plan.study
    failed = collection.results[collection.results["status"] != "ok"]
    return {
        "study": study.name,
        "title": study.file.title,
        "losaw": losaw.__version__,
        "commit": commit(),
        "libraries": library_versions(),
        "scale": plan.scale,
        "request": plan.request,
        "command": shlex.join(sys.argv),
        "configuration": dict(plan.configuration),
        "seeds": _seed_counts(collection),
        "threads": threads(),
        "joint_laws": joint_laws(collection.files),
        "blocks": len(collection.files) + len(collection.missing),
        "left_out": {**study.left_out, **collection.left_out},
        "missing_blocks": [str(block.name) for block in collection.missing],
        "fits": collection.n_fits,
        "failed_rows": len(failed),
        "failures": failed["message"].astype(str).value_counts().head(20).to_dict(),
        **_spent(collection.files),
    }


def _spent(blocks: Iterable[Block]) -> dict:
    """The machines that ran the blocks, and the costs, from the run records."""
    found = [(block.name.learner, read_run_record(block.record_path)) for block in blocks]
    runs = [(learner, record) for learner, record in found if record is not None]
    seconds: dict[str, float] = {}
    for learner, record in runs:
        seconds[learner] = seconds.get(learner, 0.0) + record.core_seconds
    return {
        "hosts": sorted({record.host for _, record in runs}),
        "core_seconds": round(sum(seconds.values()), 1),
        "core_seconds_by_learner": {name: round(seconds[name], 1) for name in sorted(seconds)},
        "peak_megabytes": max((record.peak_megabytes for _, record in runs), default=None),
    }


def _seed_counts(collection: Collection) -> list[int]:
    """The numbers of seeds of settings and learners, each once."""
    counts: Counter[tuple[str, str]] = Counter()
    for block in collection.files:
        counts[block.name.setting, block.name.learner] += len(block.seeds)
    return sorted(set(counts.values()))


def joint_laws(blocks: Iterable[Block]) -> list[dict]:
    """The joint laws that blocks draw from: the solver, its status, the attained correlations."""
    paths = dict.fromkeys(block.law_path for block in blocks)
    return [JointLaw.load(path).record() for path in paths if path is not None and path.exists()]
