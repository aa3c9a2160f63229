"""What the report says of one study, as plain values for the page's template."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from losaw.report.layout import MARKS, higher_is_better
from losaw.report.printed import PrintedDifferences
from losaw.report.typeset import number, percent, signed
from losaw.study.design.grid import Study
from losaw.study.design.settings import same
from losaw.study.results.agreement import verdict
from losaw.study.results.compare import agreement_table

DECIMALS = 3
_LARGEST = 12
_SHARES = ("cells", "within_2", "within_3", "rms_z")
_NUMBERS = ("published", "reproduced", "mc_se", "n_seeds", "z", "verdict")

Record = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """Coloured numbers with row heads of one or more columns."""

    title: str
    row_heads: list[str]
    header: list[str]
    rows: list[tuple[list[str], list[Record]]]


def total_agreement(comparison: pd.DataFrame) -> Record | None:
    """Cells, share of |z| <= 2 and <= 3, and rms z over all cells; None if none has a z."""
    found = agreement_table(comparison.assign(all="all"), ["all"])
    return None if found.empty else _agreement(found.to_dict("records")[0])


def unique_cells(study: Study, comparison: pd.DataFrame) -> pd.DataFrame:
    """The comparison with a cell that two tables show counted once."""
    return comparison.drop_duplicates([*study.axes, "metric", "method", "published"])


def agreement_rows(study: Study, agreement: pd.DataFrame) -> Grid:
    """The same by the study's first axis, method and metric."""
    by = [name for name in agreement.columns if name not in _SHARES]
    rows = [
        ([study.show(record[name]) for name in by], [_agreement(record)])
        for record in agreement.to_dict("records")
    ]
    return Grid("", [study.show(name) for name in by], [], rows)


def _agreement(record: Record) -> Record:
    return {
        "cells": record["cells"],
        "within_2": percent(record["within_2"]),
        "within_3": percent(record["within_3"]),
        "share_2": round(100 * record["within_2"]),
        "share_3": round(100 * record["within_3"]),
        "rms_z": f"{record['rms_z']:.2f}",
    }


def disagreements(study: Study, comparison: pd.DataFrame, published: pd.DataFrame) -> list[Record]:
    """The cells beyond two standard errors that are farthest from print, with their notes."""
    keys = ["table", *study.axes, "metric", "method"]
    noted = published[published["note"].notna()].to_dict("records")
    beyond = unique_cells(study, comparison[comparison["z"].abs() > 2])
    order = beyond["z"].abs().sort_values(ascending=False, kind="stable").index
    found = []
    for record in beyond.loc[order[:_LARGEST]].to_dict("records"):
        notes = [
            note["note"]
            for note in noted
            if all(same(note[key], record[key]) for key in keys if key in note)
        ]
        found.append(
            {
                **record,
                "place": place(study, record),
                "metric": study.show(record["metric"]),
                "method": study.show(record["method"]),
                "published": number(record["published"], DECIMALS),
                "reproduced": number(record["reproduced"], DECIMALS),
                "mc_se": number(record["mc_se"], DECIMALS),
                "z": signed(record["z"]),
                "note": "; ".join(notes),
            }
        )
    return found


def place(study: Study, record: Record) -> str:
    """The setting of a row in words: ``continuous, N = 500, f3``."""
    return ", ".join(in_words(study, axis, record[axis]) for axis in study.axes)


def in_words(study: Study, axis: str, value: Any) -> str:
    """``N = 500`` for a number, the label alone for a name."""
    shown = study.show(value)
    return shown if isinstance(value, str) else f"{study.show(axis)} = {shown}"


def difference_grids(
    study: Study, differences: pd.DataFrame, published: pd.DataFrame
) -> Iterator[Grid]:
    """Paired differences to the first learner, one grid per learner and metric.

    The last axis lies across; a study with a single setting has one grid, its learners down
    and its metrics across.
    """
    if differences.empty:
        return
    axes = study.axes
    minus = study.show(differences["minus"].iloc[0])
    printed = PrintedDifferences(study, published)
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
        [in_words(study, across, value) for value in columns],
        [
            ([study.show(value) for value in key], [row.get(value, {}) for value in columns])
            for key, row in cells.items()
        ],
    )


def _difference(study: Study, record: Record, printed: PrintedDifferences) -> Record:
    """A difference, what print says of it, and whether it is better, worse, or not clear."""
    value, error = record["difference"], record["mc_se"]
    z = value / error if error > 0 else math.nan
    towards_better = value > 0 if higher_is_better(study, record["metric"]) else value < 0
    clear = abs(z) > 2 if math.isfinite(z) else False
    tip = f"{value:+.4f} ± {error:.4f} (paired s.e.), {record['n_seeds']} data sets, "
    found = {
        "text": _signed(value),
        "error": number(error, DECIMALS),
        "kind": ("better" if towards_better else "worse") if clear else "open",
        "tip": f"{tip}{signed(z)} s.e. from zero",
        "printed": "",
        "mark": "",
    }
    print_says = printed.beside(record)
    if print_says is not None:
        difference, z = print_says
        judged = verdict(z, True, True)
        found["printed"] = _signed(difference)
        found["mark"] = MARKS[judged]
        found["tip"] += f"; printed {_signed(difference)}, z {signed(z)}: {judged}"
    return found


def _signed(value: float) -> str:
    """``+.012``."""
    return re.sub(r"^([+-])0\.", r"\1.", signed(value, DECIMALS))
