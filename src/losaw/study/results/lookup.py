"""Records looked up by the columns that name a cell: what is printed of it, what was measured."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from losaw.study.design.grid import Study

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
    """The study's axes that print has; a printed number holds for every value of the others."""
    return [axis for axis in study.axes if axis in published.columns]


def lookup_of_shares(measured: pd.DataFrame | None) -> Lookup:
    """The shares of :func:`losaw.study.results.draws.read_draws` by cell; None: there are none."""
    if measured is None:
        return Lookup((), ())
    columns = [str(column) for column in measured.columns if column != "between_draws"]
    return Lookup(columns, measured.to_dict("records"))
