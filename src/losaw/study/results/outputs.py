"""The files of a study: collected rows, summary, comparison with print, manifest."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

import losaw
from losaw.generators.joint_law.law import JointLaw
from losaw.study.design.blocks import Block
from losaw.study.design.grid import Study
from losaw.study.design.plan import StudyPlan
from losaw.study.design.published import read_published
from losaw.study.files.footer import library_versions
from losaw.study.files.made import DRAWS, collected_files, forget, note_path, write_note
from losaw.study.files.run_record import commit, threads
from losaw.study.files.writing import write_csv, write_text
from losaw.study.results.collect import (
    Collection,
    blocks_frame,
    collect,
    settings_frame,
    timings,
    write_collection,
)
from losaw.study.results.compare import compare
from losaw.study.results.draws import measure_draws, read_draws
from losaw.study.results.summary import paired_differences, summarise
from losaw.study.results.tally import agreement_table, sign_table


def write_outputs(plan: StudyPlan) -> Path:
    """Collect a study's blocks and write everything that is made of them.

    Leaves in ``<results>/<study>/``: ``settings.csv``, ``blocks.csv``, ``results.parquet``,
    ``scores.parquet``, ``summary.csv``, ``comparison.csv``, ``agreement.csv``, ``signs.csv``,
    ``differences.csv``, ``manifest.json`` and, where runs share draws of X, ``draws.csv``. All but
    the manifest, and the list of the blocks' own files, are the same bytes for any number of cores
    and any cut or order of blocks.

    Returns
    -------
    Path
        The comparison.
    """
    study, folder = plan.study, plan.folder
    collection = collect(plan)
    note = note_path(plan.results, "collected", study.name)
    forget(note)
    for what, reason in collection.left_out.items():
        words = f"losaw: study {study.name!r}: {what}: {reason}. It is left out of the summary; the"
        print(words, "others are there.", file=sys.stderr, flush=True)
    write_collection(folder, collection)
    summary = summarise(study, collection)
    comparison = compare(
        study, summary, read_published(study, plan.published), read_draws(study, plan.results)
    )
    by = [*study.axes[:1], "method", "metric"]
    write_csv(folder / "settings.csv", settings_frame(study))
    write_csv(folder / "blocks.csv", blocks_frame(collection))
    write_csv(folder / "summary.csv", summary)
    write_csv(folder / "agreement.csv", agreement_table(comparison, by))
    if study.file.draws is not None:
        write_csv(folder / DRAWS, measure_draws(study, collection))
    write_csv(folder / "signs.csv", sign_table(study, comparison))
    write_csv(folder / "differences.csv", differences(study, collection))
    write_text(folder / "manifest.json", json.dumps(manifest(plan, collection), indent=1) + "\n")
    path = folder / "comparison.csv"
    write_csv(path, comparison)
    write_note(note, collected_files(plan))
    return path


def measuring_first(plans: Iterable[StudyPlan]) -> list[StudyPlan]:
    """The plans, those whose study measures what others read (shared draws of X) first."""
    return sorted(plans, key=lambda plan: plan.study.file.draws is None)


def differences(study: Study, collection: Collection) -> pd.DataFrame:
    """Paired differences of every later learner to the first one."""
    first, *others = study.learners
    frames = []
    for other in others:
        frame = paired_differences(study, collection, first, other)
        frame.insert(0, "learner", other)
        frame.insert(1, "minus", first)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def manifest(plan: StudyPlan, collection: Collection) -> dict:
    """What a person wants to know of a run: versions, request, counts, machines, seconds."""
    study = plan.study
    spent = timings(collection.files)
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
        "failures": failed["message"].value_counts().head(20).to_dict(),
        "hosts": sorted(set(spent["host"])),
        "core_seconds": round(float(spent["seconds"].sum()), 1),
        "core_seconds_by_learner": {
            str(learner): round(float(seconds), 1)
            for learner, seconds in spent.groupby("learner")["seconds"].sum().items()
        },
        "peak_megabytes": float(spent["peak_megabytes"].max()) if len(spent) else None,
    }


def _seed_counts(collection: Collection) -> list[int]:
    """The numbers of seeds of settings and learners, each once."""
    counts: Counter[tuple[str, str]] = Counter()
    for block in collection.files:
        counts[block.name.setting, block.name.learner] += len(block.seeds)
    return sorted(set(counts.values()))


def joint_laws(blocks: Iterable[Block]) -> list[dict]:
    """The joint laws that blocks draw from: the solver, what it said, what was attained."""
    paths = dict.fromkeys(block.law_path for block in blocks)
    return [JointLaw.load(path).record() for path in paths if path is not None and path.exists()]
