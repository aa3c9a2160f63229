"""The overview's counts are those of the comparisons, counted again with nothing of losaw."""

import re

import pandas as pd
import pytest
import yaml

from reference.repository import REPOSITORY

REFERENCE, CONFIG = REPOSITORY / "reference", REPOSITORY / "config"
TEXT = (REFERENCE / "overview.md").read_text("utf-8")
OTHERS = {  # columns that do not say which cell it is
    *("table", "published_sd", "reproduced_sd", "reproduced", "mc_se", "n_seeds", "z", "low"),
    *("high", "margin", "verdict", "runs_to_decide", "explained", "noted"),
}
MARKS = ["agrees", "differs", "deviates", "undecided", "cannot", "no error at hand"]


def plain(value):
    return float(value) if re.fullmatch(r"-?[\d.]+", str(value)) else str(value)


def cells_of(study):
    """The counted cells of a study, each printed value of a setting once."""
    rule = yaml.safe_load((CONFIG / "studies" / f"{study}.yaml").read_text()).get("counted", True)
    cells = pd.read_csv(REFERENCE / study / "comparison.csv", keep_default_na=False, dtype=str)
    cells = cells[~cells["verdict"].isin(["not run", "not printed", "no value"])]
    cells = cells.drop_duplicates([name for name in cells if name not in OTHERS])
    wheres = rule if isinstance(rule, list) else [{}] * rule
    listed = [{k: v if isinstance(v, list) else [v] for k, v in one.items()} for one in wheres]
    is_counted = [
        any(all(plain(row[k]) in map(plain, v) for k, v in one.items()) for one in listed)
        for row in cells.to_dict("records")
    ]
    return cells[pd.Series(is_counted, index=cells.index, dtype=bool)].assign(study=study)


@pytest.fixture(scope="module")
def cells():
    papers = {path.stem: yaml.safe_load(path.read_text()) for path in CONFIG.glob("claims/*.yaml")}
    paper = {study: name for name, one in papers.items() for study in one["studies"]}
    studies = sorted(path.parent.name for path in REFERENCE.glob("*/comparison.csv"))
    cells = pd.concat(map(cells_of, studies), ignore_index=True)
    mark = cells["verdict"].replace("undecidable", "undecided")
    mark = mark.mask(cells["runs_to_decide"] == "never", "cannot")
    return cells.assign(paper=cells["study"].map(paper).fillna(cells["study"]), mark=mark)


def table_after(head):
    """The rows of a table by their first cell, without the link."""
    lines = TEXT.split(head, 1)[1].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return {re.sub(r"\[(\w+)\].*", r"\1", row[0]): row[1:] for row in rows}


def test_the_cells_of_each_paper_have_the_verdicts_that_the_overview_counts(cells):
    shown = table_after("| paper | cells |")
    assert len(shown) == cells["paper"].nunique() + 1
    for paper, (n, *numbers) in shown.items():
        own = cells if paper == "all" else cells[cells["paper"] == paper]
        assert int(n.replace(",", "")) == len(own)
        counts = [int(number.replace(",", "")) for number in numbers[: len(MARKS)]]
        assert counts == [(own["mark"] == mark).sum() for mark in MARKS]


def test_what_explains_the_cells_that_differ_or_deviate_is_counted(cells):
    beyond = cells[cells["verdict"].isin(["differs", "deviates"])]
    for paper, (n, *numbers) in table_after("| paper | differ or deviate |").items():
        own = beyond if paper == "all" else beyond[beyond["paper"] == paper]
        *known, chance, n_open, unknown = map(int, numbers)
        kinds = ["misprint", "unstated", "inference", "open"]
        assert int(n) == len(own)
        assert [*known, n_open] == [(own["explained"] == kind).sum() for kind in kinds]
        assert chance + unknown == (own["explained"] == "").sum()
    lines = pd.read_csv(REFERENCE / "undecided.csv")
    n_open = cells["mark"].isin(MARKS[3:]).sum()
    assert n_open == lines["claim"].isna().sum()


def test_the_root_mean_square_of_z_leaves_out_what_is_equal_in_every_run(cells):
    numbers = cells[["reproduced", "published", "mc_se", "z"]].apply(pd.to_numeric)
    equal = (numbers["mc_se"] == 0) & ((numbers["reproduced"] - numbers["published"]).abs() < 1e-9)
    shown = float(re.search(r"- ([\d.]+) root mean square of z", TEXT)[1])
    assert (numbers.loc[~equal, "z"] ** 2).mean() ** 0.5 == pytest.approx(shown, abs=0.005)
