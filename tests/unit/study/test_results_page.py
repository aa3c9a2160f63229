"""docs/results.md: every column of every output, and five questions that pandas answers."""

import contextlib
import json
import re
from pathlib import Path

import numpy as np
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
    """Results of a study that is called losaw_forest, as on the page; some of its fits fail."""
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
    project.published.write_text(words.replace(",0.5,3,", ",2.5,3,"))
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


QUESTIONS = re.findall(r"^### (\d)\. (.+?)$(.*?)(?=^### |\Z)", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def by_pandas(folder):
    """Question -> answer, by the page's own lines, run where the page says they run."""
    start = re.findall(r"## Five questions\n.*?```python\n(.*?)```", PAGE, re.S)[0]
    names, found = {}, {}
    exec(start, names)
    with contextlib.chdir(folder.parents[2]):
        for number, _, text in QUESTIONS:
            (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
            exec(compile(code, f"docs/results.md, question {number}", "exec"), names)
            found[number] = names["answer"].reset_index(drop=True)
    assert list(found) == list("12345")
    return found


def test_the_answers_are_right(folder, by_pandas):
    summary = pd.read_csv(folder / "summary.csv")
    ranking = summary[summary["metric"] == "pr_auc"]
    best = by_pandas["1"]
    assert best["mean"].is_monotonic_decreasing and set(best["method"]) == {"RF", "losawRF"}
    assert best.set_index("method").loc["RF", "mean"] == pytest.approx(
        ranking[ranking["learner"] == "RF"]["mean"].mean()
    )

    cells = pd.read_csv(folder / "comparison.csv")
    assert len(by_pandas["2"]) == cells["verdict"].isin(["differs", "deviates"]).sum() > 0

    differences = pd.read_csv(folder / "differences.csv").set_index("setting_id")
    differences = differences[differences["metric"] == "r2_test"]
    for row in by_pandas["3"].itertuples():
        ours = differences.loc[row.setting_id]
        assert row.count == ours["n_seeds"]
        assert (row.mean, row.sem) == pytest.approx((ours["difference"], ours["mc_se"]))

    scores = pd.read_parquet(folder / "scores.parquet")
    hits = [
        np.argmax(s) in list(k) for s, k in zip(scores["scores"], scores["signal"], strict=True)
    ]
    shares = scores.assign(hit=hits).groupby("learner", observed=True)["hit"].mean()
    assert dict(zip(by_pandas["4"]["learner"], by_pandas["4"]["hit"], strict=True)) == (
        pytest.approx(dict(shares))
    )

    (failure,) = by_pandas["5"].itertuples()
    assert failure.learner == "RF" and "on purpose" in failure.message
    manifest = json.loads((folder / "manifest.json").read_text())
    assert failure.size == sum(manifest["failures"].values())
    # a failed fit is one row, and lacks a value for each of two metrics
    assert summary["n_failed"].sum() == manifest["failed_rows"] == 2 * failure.size
