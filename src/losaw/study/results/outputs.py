"""The files of a study: collected rows, summary, comparison with published values, manifest."""

import json

import pyarrow as pa

from losaw.study.published import read_published
from losaw.study.results.collect import RESULT_COLUMNS, SCORE_COLUMNS, collect
from losaw.study.results.compare import compare
from losaw.study.results.manifest import manifest
from losaw.study.results.summary import paired_differences, summarise
from losaw.study.rows import BLOCK_SCHEMA
from losaw.study.session import StudyPlan
from losaw.study.writing import write_csv, write_rows, write_text

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
    about = json.dumps(manifest(plan, collection), indent=1)
    write_text(folder / "manifest.json", about + "\n")
    write_csv(folder / "comparison.csv", comparison)
