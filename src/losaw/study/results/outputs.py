"""The files of a study: collected rows, summary, comparison with print, manifest."""

import json
import shlex
import sys
from pathlib import Path

import pandas as pd

import losaw
from losaw.study.design.grid import Study
from losaw.study.design.session import Session
from losaw.study.files.block_file import write_text
from losaw.study.files.footer import commit, library_versions, threads
from losaw.study.results.collect import (
    Collection,
    blocks_frame,
    collect,
    settings_frame,
    timings,
    write_collection,
)
from losaw.study.results.compare import agreement_table, compare, read_published
from losaw.study.results.summary import paired_differences, summarise
from losaw.study.running.runner import law_path, load_law


def write_outputs(session: Session, study: Study) -> Path:
    """Collect a study's blocks and write everything that is made of them.

    Leaves in ``<results>/<study>/``: ``settings.csv``, ``blocks.csv``, ``results.parquet``,
    ``scores.parquet``, ``summary.csv``, ``comparison.csv``, ``agreement.csv``,
    ``differences.csv`` and ``manifest.json``. All but the manifest, and the list of the blocks'
    own files, are the same bytes for any number of cores and any cut or order of blocks.

    Returns
    -------
    Path
        The comparison.
    """
    folder = session.results / study.name
    found = collect(session, study)
    write_collection(session, study, found)
    summary = summarise(study, found)
    comparison = compare(study, summary, read_published(study, session.published_folder))
    by = [*study.axes[:1], "method", "metric"]
    write_csv(folder / "settings.csv", settings_frame(study))
    write_csv(folder / "blocks.csv", blocks_frame(found))
    write_csv(folder / "summary.csv", summary)
    write_csv(folder / "agreement.csv", agreement_table(comparison, by))
    write_csv(folder / "differences.csv", differences(study, found))
    write_text(
        folder / "manifest.json", json.dumps(manifest(session, study, found), indent=1) + "\n"
    )
    path = folder / "comparison.csv"
    write_csv(path, comparison)
    return path


def differences(study: Study, found: Collection) -> pd.DataFrame:
    """Paired differences of every later learner to the first one."""
    first, *others = study.learners
    frames = []
    for other in others:
        frame = paired_differences(study, found, first, other)
        frame.insert(0, "learner", other)
        frame.insert(1, "minus", first)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def manifest(session: Session, study: Study, found: Collection) -> dict:
    """What a person wants to know of a run: versions, request, counts, machines, seconds."""
    spent = timings(session, study)
    settings = session.settings(study)
    failed = found.results[found.results["status"] != "ok"]
    return {
        "study": study.name,
        "title": study.file.title,
        "losaw": losaw.__version__,
        "commit": commit(),
        "libraries": library_versions(),
        "scale": session.scale,
        "request": session.request.arguments(),
        "command": shlex.join(sys.argv),
        "configuration": session.configuration.model_dump(mode="json"),
        "seeds": sorted({session.n_seeds(study, setting) for setting in settings}),
        "threads": threads(),
        "joint_laws": joint_laws(session, study),
        "blocks": len(session.blocks(study)),
        "left_out": study.left_out,
        "missing_blocks": [str(block.relative_path) for block in found.missing],
        "fits": sum(len(block.seeds) for block in session.blocks(study)),
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


def joint_laws(session: Session, study: Study) -> list[dict]:
    """The joint laws that the study draws from: the solver, what it said, what was attained."""
    found: dict[Path, dict] = {}
    for setting in session.settings(study):
        generator = study.generator.entry.create(**setting.parameters)
        path = law_path(generator, session.laws_folder)
        if path is not None and path.exists() and path not in found:
            found[path] = load_law(generator, session.laws_folder).record()
    return list(found.values())


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a data frame atomically, with full precision and Unix line ends."""
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
