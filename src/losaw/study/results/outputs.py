"""The files of a study: collected rows, summary, comparison with published values, manifest."""

import json
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa

from losaw.study.design.plan import StudyPlan
from losaw.study.design.published import read_published
from losaw.study.files.output_digests import (
    collected_files,
    made_from,
    remove_sums,
    write_sums,
)
from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_csv, write_rows, write_text
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, collect
from losaw.study.results.compare import compare
from losaw.study.results.manifest import manifest
from losaw.study.results.summary import differences, summarise


def write_outputs(plan: StudyPlan) -> Path:
    """Collect a study's blocks and write everything that is made of them.

    Leaves in ``<results>/<study>/``: ``settings.csv``, ``blocks.csv``, ``results.parquet``,
    ``scores.parquet``, ``summary.csv``, ``comparison.csv``, ``differences.csv`` and
    ``manifest.json``. All but the manifest, and the list of the blocks' own files, are the same
    bytes for any number of cores and any cut or order of blocks.

    Returns
    -------
    Path
        The comparison.
    """
    study, folder = plan.study, plan.folder
    collection = collect(plan)
    for what, reason in collection.left_out.items():
        words = f"losaw: study {study.name!r}: {what}: {reason}. It is left out of the summary; the"
        print(words, "others are there.", file=sys.stderr, flush=True)
    # Until all files are written, nothing vouches for any of them.
    remove_sums(plan.results, study.name)
    blocks = [
        {
            "setting_id": block.name.setting,
            "learner": block.name.learner,
            "first_seed": block.name.first,
            "last_seed": block.name.last,
            "results_version": version,
            "sha256": sha256,
            "file": str(block.name),
        }
        for block, (version, sha256) in collection.files.items()
    ]
    write_csv(folder / "blocks.csv", pd.DataFrame(blocks))
    write_csv(folder / "settings.csv", collection.settings)
    for name, rows, columns in (
        ("results", collection.results, RESULT_COLUMNS),
        ("scores", collection.scores, SCORE_COLUMNS),
    ):
        schema = pa.schema([BLOCK_SCHEMA.field(column) for column in columns])
        write_rows(folder / f"{name}.parquet", rows, schema)
    summary = summarise(study, collection)
    write_csv(folder / "summary.csv", summary)
    write_csv(folder / "differences.csv", differences(study, collection))
    published = read_published(study, plan.published)
    comparison = compare(study, summary, published)
    about = json.dumps(manifest(plan, collection), indent=1)
    write_text(folder / "manifest.json", about + "\n")
    write_csv(folder / "comparison.csv", comparison)
    sums = {str(block.name): sha256 for block, (_, sha256) in collection.files.items()}
    write_sums(plan.results, study.name, made_from(plan, sums), collected_files(plan))
    return folder / "comparison.csv"
