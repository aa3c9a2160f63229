"""The sections of one study, as plain values for the page's template."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import stdtrit  # scipy.stats takes long to import

from losaw.report.layout import MARKS, higher_is_better, in_words
from losaw.report.page.printed import PrintedDifferences
from losaw.report.typeset import number, signed
from losaw.study.design.grid import Study

DECIMALS = 3

Record = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """Coloured numbers with row heads of one or more columns."""

    title: str
    row_heads: list[str]
    header: list[str]
    rows: list[tuple[list[str], list[Record]]]


def place(study: Study, record: Record) -> str:
    """The setting of a row in words: ``continuous, N = 500, f3``."""
    return ", ".join(in_words(study.show, axis, record[axis]) for axis in study.axes)


def difference_grids(
    study: Study,
    differences: pd.DataFrame,
    published: pd.DataFrame,
    between_draws: pd.DataFrame | None = None,
) -> Iterator[Grid]:
    """Paired differences to the first learner, one grid per learner and metric.

    The last axis is across; a study with a single setting has one grid, its learners down
    and its metrics across.
    """
    if not differences.empty:
        differences = differences[differences["minus"] == next(iter(study.learners))]
    if differences.empty:
        return
    axes = study.axes
    minus = study.show(differences["minus"].iloc[0])
    printed = PrintedDifferences(study, published, differences, between_draws)
    if differences["setting_id"].nunique() == 1:
        yield _grid(study, f"minus {minus}", differences, printed, ["learner"], "metric")
        return
    for (learner, metric), part in differences.groupby(["learner", "metric"], sort=False):
        title = f"{study.show(metric)}: {study.show(learner)} − {minus}"
        yield _grid(study, title, part, printed, axes[:-1], axes[-1])


def _grid(
    study: Study,
    title: str,
    part: pd.DataFrame,
    printed: PrintedDifferences,
    down: list[str],
    across: str,
) -> Grid:
    columns = list(dict.fromkeys(part[across]))
    cells: dict[tuple[Any, ...], dict[Any, Record]] = {}
    for record in part.to_dict("records"):
        row = cells.setdefault(tuple(record[axis] for axis in down), {})
        row[record[across]] = _difference(study, record, printed)
    return Grid(
        title,
        [study.show(axis) for axis in down],
        [in_words(study.show, across, value) for value in columns],
        [
            ([study.show(value) for value in key], [row.get(value, {}) for value in columns])
            for key, row in cells.items()
        ],
    )


def _difference(study: Study, record: Record, printed: PrintedDifferences) -> Record:
    """A difference, the published one, and whether it is better, worse, or not clear."""
    value, error = record["difference"], record["mc_se"]
    z = value / error if error > 0 else math.nan
    towards_better = value > 0 if higher_is_better(study, record["metric"]) else value < 0
    clear = math.isfinite(z) and abs(z) > stdtrit(record["n_seeds"] - 1, 0.975)
    tip = f"{value:+.4f} ± {error:.4f} (paired s.e.), {record['n_seeds']} data sets, "
    shown = {
        "text": _signed(value),
        "error": number(error, DECIMALS),
        "kind": ("better" if towards_better else "worse") if clear else "open",
        "tip": f"{tip}{signed(z)} s.e. from zero",
        "printed": "",
        "mark": "",
    }
    published_one = printed.of(record)
    if published_one is not None:
        shown["printed"] = _signed(published_one.value)
        shown["mark"] = MARKS[published_one.verdict]
        shown["tip"] += f"; published {shown['printed']}, z {signed(published_one.z)}"
        shown["tip"] += f": {published_one.verdict}"
    return shown


def _signed(value: float) -> str:
    """A number with its sign, as ``+.012``."""
    return re.sub(r"^([+-])0\.", r"\1.", signed(value, DECIMALS))
