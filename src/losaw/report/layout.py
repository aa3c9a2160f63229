"""A published table as rows and columns of cells, in the layout that its study file declares."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.schema import TableLayout
from losaw.study.errors import StudyError
from losaw.study.results.agreement import (
    AGREES,
    DEVIATES,
    DIFFERS,
    NO_ERROR,
    NOT_PRINTED,
    NOT_RUN,
    UNDECIDABLE,
    UNDECIDED,
)
from losaw.study.results.lookup import table_title

# What the reader should see first comes first.
MARKS = {
    DIFFERS: "✗",
    DEVIATES: "!",
    UNDECIDED: "?",
    UNDECIDABLE: "~",
    AGREES: "✓",
    NO_ERROR: "",
    NOT_PRINTED: "",
    NOT_RUN: "",
}
_DEFAULT_DECIMALS, _FEWEST_DECIMALS = 3, 2

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Cell:
    """One number of a table, published and reproduced.

    ``best`` and ``leads`` (and the same for the published values) mark the best method of a row,
    and one that leads by more than the table's ``underline_lead``.
    """

    published: float
    reproduced: float
    mc_se: float
    n_seeds: int
    z: float
    verdict: str
    best: bool = False
    leads: bool = False
    published_best: bool = False
    published_leads: bool = False

    @property
    def was_run(self) -> bool:
        return math.isfinite(self.reproduced)

    @property
    def is_printed(self) -> bool:
        return math.isfinite(self.published)

    @property
    def mark(self) -> str:
        """The sign of the verdict."""
        return MARKS[self.verdict]


@dataclass(frozen=True)
class ArrangedTable:
    """A table ready to be written.

    Attributes
    ----------
    name, title, caption, note : str
    row_axes, column_axes : list of str
        Axes of the row heads and of the header.
    rows, columns : list of tuple
        Values of these axes, in the order of the grid.
    cells : dict
        (row, column) -> Cell; a combination that the grid does not have is absent.
    decimals : int
        Decimals of the published values.
    show : callable
        Name -> label.
    underline_lead : float or None
    """

    name: str
    title: str
    caption: str
    note: str
    row_axes: list[str]
    column_axes: list[str]
    rows: list[Key]
    columns: list[Key]
    cells: Mapping[tuple[Key, Key], Cell]
    decimals: int
    show: Callable[[Any], str]
    underline_lead: float | None

    def heading(self, axis: str, value: Any) -> str:
        """The heading of a value."""
        return in_words(self.show, axis, value)

    def row_heads(self, index: int) -> list[tuple[str, bool]]:
        """Return the headings of a row, each with whether it repeats the row above."""
        row = self.rows[index]
        above = self.rows[index - 1] if index else ()
        return [
            (self.heading(axis, value), row[: depth + 1] == above[: depth + 1])
            for depth, (axis, value) in enumerate(zip(self.row_axes, row, strict=True))
        ]

    def column_heads(self, depth: int) -> list[tuple[str, int]]:
        """Return the headings of a header line with their widths, equal neighbours joined."""
        axis = self.column_axes[depth]
        groups = groupby(self.columns, key=lambda column: column[: depth + 1])
        return [(self.heading(axis, key[-1]), len(list(group))) for key, group in groups]

    def cells_of(self, row: Key) -> list[Cell | None]:
        """Return the cells of a row, None where the grid has no cell."""
        return [self.cells.get((row, column)) for column in self.columns]

    def was_run(self, row: Key) -> bool:
        """Return whether any cell of a row was run."""
        return any(cell is not None and cell.was_run for cell in self.cells_of(row))

    def counts(self) -> dict[str, int]:
        """Number of cells of every verdict."""
        tally = dict.fromkeys(MARKS, 0)
        for cell in self.cells.values():
            tally[cell.verdict] += 1
        return tally


def in_words(show: Callable[[Any], str], axis: str, value: Any) -> str:
    """A value in words: ``N = 500`` for a number, the label alone for a name."""
    return show(value) if isinstance(value, str) else f"{show(axis)} = {show(value)}"


def arrange(study: Study, name: str, comparison: pd.DataFrame) -> ArrangedTable:
    """Lay out one table of a study.

    Parameters
    ----------
    name : str
        Key under ``tables`` in the study file.
    comparison : DataFrame
        As :func:`losaw.study.results.compare.compare` makes it, or as read back from its CSV.

    Raises
    ------
    StudyError
        If two cells would fall on one place, because an axis with several values is neither
        fixed under ``where`` nor named under ``rows`` or ``columns``.
    """
    layout = study.file.tables[name]
    records = comparison[comparison["table"] == table_title(name)].to_dict("records")
    decimals = _decimals(record["published"] for record in records)
    cells: dict[tuple[Key, Key], Cell] = {}
    rivals: dict[Key, list[tuple[Key, Key]]] = {}
    for record in records:
        place = _key(record, layout.rows), _key(record, layout.columns)
        if place in cells:
            raise _overlap(study, name, records)
        cells[place] = _cell(record)
        rivals.setdefault(_key(record, [*study.axes, "metric"]), []).append(place)
    if layout.bold:
        for (*_, metric), places in rivals.items():
            direction = 1 if higher_is_better(study, metric) else -1
            rated = _rated([cells[p] for p in places], direction, decimals, layout)
            cells.update(zip(places, rated, strict=True))
    return ArrangedTable(
        name,
        table_title(name),
        layout.caption,
        " ".join([layout.note, *study.differs_at_scale.values()]).strip(),
        list(layout.rows),
        list(layout.columns),
        _ordered(layout.rows, records),
        _ordered(layout.columns, records),
        cells,
        decimals,
        study.show,
        layout.underline_lead if layout.bold else None,
    )


def higher_is_better(study: Study, metric: str) -> bool:
    """Return whether larger values of a metric are better."""
    return bool(study.metrics[metric].entry.load().higher_is_better)


def _key(record: Mapping[str, Any], axes: Iterable[str]) -> Key:
    return tuple(record[axis] for axis in axes)


def _ordered(axes: Iterable[str], records: list[dict[str, Any]]) -> list[Key]:
    """All keys, sorted by each axis in turn in the order of the study file."""
    axes = list(axes)
    ranks = [
        {value: rank for rank, value in enumerate(dict.fromkeys(r[axis] for r in records))}
        for axis in axes
    ]
    keys = dict.fromkeys(_key(record, axes) for record in records)
    return sorted(
        keys, key=lambda key: [rank[value] for rank, value in zip(ranks, key, strict=True)]
    )


def _decimals(published: Iterable[float]) -> int:
    """Return the largest number of decimals of the published values: shorter ones end in zeros."""
    printed = [repr(float(value)) for value in published if math.isfinite(value)]
    decimals = [len(text.partition(".")[2]) for text in printed]
    return max([*decimals, _FEWEST_DECIMALS]) if decimals else _DEFAULT_DECIMALS


def _cell(record: Mapping[str, Any]) -> Cell:
    return Cell(
        published=float(record["published"]),
        reproduced=float(record["reproduced"]),
        mc_se=float(record["mc_se"]),
        n_seeds=int(record["n_seeds"]),
        z=float(record["z"]),
        verdict=str(record["verdict"]),
    )


def _rated(cells: list[Cell], direction: int, decimals: int, layout: TableLayout) -> list[Cell]:
    """The methods' cells of one setting and metric, the best of them marked."""
    ours = _leaders([cell.reproduced for cell in cells], direction, decimals, layout)
    print_ = _leaders([cell.published for cell in cells], direction, decimals, layout)
    return [
        replace(
            cell, best=best, leads=leads, published_best=print_best, published_leads=print_leads
        )
        for cell, (best, leads), (print_best, print_leads) in zip(cells, ours, print_, strict=True)
    ]


def _leaders(
    values: list[float], direction: int, decimals: int, layout: TableLayout
) -> list[tuple[bool, bool]]:
    """Return (is the best, leads by more than the margin) of every value as it is shown.

    Values that look equal are equal: two best ones are both marked, and none is where all are.
    """
    seen = [round(direction * value, decimals) for value in values if math.isfinite(value)]
    if len(set(seen)) < 2:
        return [(False, False)] * len(values)
    first, second = sorted(seen, reverse=True)[:2]
    margin = math.inf if layout.underline_lead is None else layout.underline_lead
    leads = round(first - second, decimals) > margin
    leaders = []
    for value in values:
        best = math.isfinite(value) and round(direction * value, decimals) == first
        leaders.append((best, best and leads))
    return leaders


def _overlap(study: Study, name: str, records: list[dict[str, Any]]) -> StudyError:
    layout = study.file.tables[name]
    open_axes = [
        axis
        for axis in (*study.axes, "metric", "method")
        if axis not in (*layout.rows, *layout.columns) and len({r[axis] for r in records}) > 1
    ]
    return study.source.error(
        ("tables", name),
        f"several cells fall on one place, because {' and '.join(open_axes)} "
        "is neither fixed under 'where' nor named under 'rows' or 'columns'",
    )
