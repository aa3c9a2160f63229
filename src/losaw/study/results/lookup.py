"""A lookup of published or measured records by the columns that identify a cell."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from losaw.study.grid import Study
from losaw.study.settings import Setting, as_values
from losaw.study.study_file import TableLayout

Record = Mapping[str, Any]


def plain(value: Any) -> Any:
    """Numbers as floats, so that 1 and 1.0 are one key; everything else as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


class Lookup:
    """Records by their values in some columns; 1 and 1.0 are one value.

    Parameters
    ----------
    columns : sequence of str
    records : iterable of dict
        All with these columns; of several with the same values the first counts.

    Attributes
    ----------
    repeated : tuple or None
        The first values that two records have.
    """

    def __init__(self, columns: Sequence[str], records: Iterable[Record]) -> None:
        self._columns = tuple(columns)
        self._records: dict[tuple[Any, ...], Record] = {}
        self.repeated: tuple[Any, ...] | None = None
        for record in records:
            values = self._values(record)
            if self._records.setdefault(values, record) is not record:
                self.repeated = self.repeated or values

    def find(self, cell: Record) -> Record | None:
        """The record with the values of ``cell``; None if there is none, or it lacks a column."""
        if any(column not in cell for column in self._columns):
            return None
        return self._records.get(self._values(cell))

    def _values(self, record: Record) -> tuple[Any, ...]:
        return tuple(plain(record[column]) for column in self._columns)


def printed_axes(study: Study, published: pd.DataFrame) -> list[str]:
    """The study's axes that the published numbers name; they hold for all values of others."""
    return [axis for axis in study.axes if axis in published.columns]


def table_title(name: str) -> str:
    """``table_2`` as papers write it: ``Table 2``."""
    return name.replace("_", " ").capitalize()


def cells(study: Study) -> Iterator[tuple[str, Setting, str, str]]:
    """Yield (table, setting, metric, method) of every cell of every table, run or not."""
    for name, layout in study.file.tables.items():
        for setting in table_settings(study, layout):
            for metric in layout.metrics or study.metrics:
                for method in study.methods_of(metric):
                    yield name, setting, metric, method


def check_tables(study: Study) -> None:
    """Check that every cell of every table has a place of its own, before anything runs.

    Raises
    ------
    StudyError
        As :func:`check_places`.
    """
    of_tables: dict[str, list[dict[str, Any]]] = {name: [] for name in study.file.tables}
    for name, setting, metric, method in cells(study):
        of_tables[name].append({**setting.axes, "metric": metric, "method": method})
    for name, rows in of_tables.items():
        if rows:
            check_places(study, name, pd.DataFrame(rows))


def check_places(study: Study, name: str, frame: pd.DataFrame) -> None:
    """Check that no two cells of a table fall on one place.

    Raises
    ------
    StudyError
        If an axis with several values is neither fixed under ``where`` nor named under ``rows`` or
        ``columns``.
    """
    layout = study.file.tables[name]
    named = [*layout.rows, *layout.columns]
    if not frame[named].astype(str).duplicated().any():
        return
    several = [
        axis
        for axis in (*study.axes, "metric", "method")
        if axis not in named and frame[axis].astype(str).nunique() > 1
    ]
    raise study.source.error(
        ("tables", name),
        f"several cells fall on one place, because {' and '.join(several)} is neither fixed under "
        "'where' nor named under 'rows' or 'columns'",
    )


def table_settings(study: Study, layout: TableLayout) -> list[Setting]:
    """The settings that a table shows, in the grid's order."""
    where = {axis: as_values(values) for axis, values in layout.where.items()}
    return [setting for setting in study.settings if setting.matches(where)]
