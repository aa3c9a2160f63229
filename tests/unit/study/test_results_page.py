"""docs/results.md: every column of every output."""

import json
import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from losaw.study.columns import RESERVED
from losaw.study.report.tables import write_tables
from losaw.study.results.outputs import FILES, write_outputs
from reference.in_process import execute

PAGE = (Path(__file__).parents[3] / "docs" / "results.md").read_text(encoding="utf-8")
AXES = ["n_samples", "noise_variance"]


@pytest.fixture(scope="module")
def folder(shared_project):
    """Results of a study, some of whose fits fail."""
    project = shared_project
    text = project.study_file.read_text()
    for old, new in (
        ("study: tiny", "study: losaw_forest"),
        ("plain: {learner: marginal-slopes}", "RF: {learner: marginal-slopes, fail_share: 0.2}"),
        ("jittered:", "losawRF:"),
    ):
        assert old in text
        text = text.replace(old, new)
    project.study_file.with_name("losaw_forest.yaml").write_text(text)
    words = project.published.read_text().replace("plain", "RF").replace("jittered", "losawRF")
    project.published.write_text(words)
    session = project.session(studies=["losaw_forest"], scale="desk", max_failed_share=0.5)
    execute(session)
    plan = session.plan("losaw_forest")
    write_outputs(plan)
    comparison = pd.read_csv(plan.folder / "comparison.csv")
    write_tables(plan.study, comparison, plan.folder / "tables")
    return plan.folder


def documented(heading):
    """List the columns that stand below a heading, our own names in full."""
    (text,) = re.findall(rf"^### `{re.escape(heading)}`\n(.*?)(?=^##)", PAGE, re.M | re.S)
    (listed,) = re.findall(r"^(?:Columns|Keys): (.*?)\n\n", text, re.M | re.S)
    found = []
    for cell in re.findall(r"\*.+?\*|`.+?`", listed):
        if cell == "*axes*":
            found += AXES
        elif cell == "*rows and columns*":
            found += ["noise_variance", "metric", "n_samples", "method"]
        elif cell == "*the others*":
            found += [name for name in documented("comparison.csv") if name not in found]
        else:
            found.append(cell.strip("`"))
    return found


KEYS = {
    ".csv": lambda path: list(pd.read_csv(path)),
    ".parquet": lambda path: pq.read_schema(path).names,
    ".json": lambda path: list(json.loads(path.read_text())),
}


@pytest.mark.parametrize("name", FILES)
def test_the_columns_or_keys_of_a_file_are_those_on_the_page(folder, name):
    path = folder / name
    assert KEYS[path.suffix](path) == documented(name)


def test_the_columns_of_tables_are_those_on_the_page(folder):
    assert list(pd.read_csv(folder / "tables" / "table_1.csv")) == documented("tables/<table>.csv")


def test_no_axis_can_have_the_name_of_a_column_beside_it(folder):
    for name in {*FILES} - {"blocks.csv", "manifest.json"}:
        assert {*KEYS[Path(name).suffix](folder / name)} - {*AXES} <= RESERVED
    assert {*pd.read_csv(folder / "tables" / "table_1.csv")} - {*AXES} <= RESERVED


def test_the_columns_of_blocks_are_those_on_the_page(folder):
    names = pq.read_schema(next(folder.glob("blocks/*/*.parquet"))).names
    assert set(names) == {*documented("results.parquet"), *documented("scores.parquet")}


def test_every_file_that_is_collected_is_on_the_page(folder):
    headings = set(re.findall(r"^### `(.+?)`$", PAGE, re.M))
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files == set(FILES) <= headings
