"""The files of a study: collected rows, summary, comparison with published values, manifest."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa

from losaw.study.design.plan import StudyPlan
from losaw.study.design.published import read_published
from losaw.study.files.output_digests import (
    DRAWS,
    collected_files,
    made_from,
    remove_sums,
    write_sums,
)
from losaw.study.files.rows import BLOCK_SCHEMA
from losaw.study.files.writing import write_csv, write_rows, write_text
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, collect
from losaw.study.results.compare import compare
from losaw.study.results.draws import measure_draws, read_draws
from losaw.study.results.manifest import manifest
from losaw.study.results.summary import differences, summarise
from losaw.study.results.tally import agreement_table, sign_table


def write_outputs(plan: StudyPlan) -> Path:
    """Collect a study's blocks and write everything that is made of them.

    Leaves in ``<results>/<study>/``: ``settings.csv``, ``blocks.csv``, ``results.parquet``,
    ``scores.parquet``, ``summary.csv``, ``comparison.csv``, ``agreement.csv``, ``signs.csv``,
    ``differences.csv``, ``manifest.json``, and where runs share draws of X ``draws.csv``. All but
    the manifest, and the list of the blocks' own files, are the same bytes for any number of cores
    and any cut or order of blocks.

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
    measured = None if study.file.draws is None else measure_draws(study, collection)
    between_draws = read_draws(study, plan.results)
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
    if measured is not None:
        write_csv(folder / DRAWS, measured)
    published = read_published(study, plan.published)
    comparison = compare(study, summary, published, between_draws)
    by = [*study.axes[:1], "method", "metric"]
    write_csv(folder / "agreement.csv", agreement_table(comparison, by))
    write_csv(folder / "signs.csv", sign_table(study, comparison))
    about = json.dumps(manifest(plan, collection), indent=1)
    write_text(folder / "manifest.json", about + "\n")
    write_csv(folder / "comparison.csv", comparison)
    sums = {str(block.name): sha256 for block, (_, sha256) in collection.files.items()}
    write_sums(plan.results, study.name, made_from(plan, sums), collected_files(plan))
    return folder / "comparison.csv"


def measuring_first(plans: Iterable[StudyPlan]) -> list[StudyPlan]:
    """The plans, those whose study measures what others read (shared draws of X) first."""
    return sorted(plans, key=lambda plan: plan.study.file.draws is None)
