"""A table's rows, columns and axes as data that the page's script filters and sorts."""

import json
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from losaw.report.layout import ArrangedTable
from losaw.report.typeset import html_label
from losaw.study.results.lookup import plain


def table_layout(table: ArrangedTable) -> dict[str, Any]:
    """Return the rows, columns and axes of a table as the page's script reads them."""
    names = [*table.row_axes, *table.column_axes]
    lines = [*_lines(table.rows, table.row_axes), *_lines(table.columns, table.column_axes)]
    values: dict[str, list[Any]] = {name: [] for name in names}
    for name, value in lines:
        if value not in values[name]:
            values[name].append(value)
    return {
        "axes": {
            name: {
                "label": html_label(table.show(name)),
                "values": [[key(value), html_label(table.show(value))] for value in shown],
                "numeric": not any(isinstance(value, str) for value in shown),
            }
            for name, shown in values.items()
        },
        "rowAxes": table.row_axes,
        "columnAxes": table.column_axes,
        "rowKeys": _indices(table.rows, table.row_axes, values),
        "columnKeys": _indices(table.columns, table.column_axes, values),
    }


def _lines(keys: list[tuple[Any, ...]], axes: list[str]) -> Iterator[tuple[str, Any]]:
    return (pair for line in keys for pair in zip(axes, line, strict=True))


def _indices(
    keys: list[tuple[Any, ...]], axes: list[str], values: dict[str, list[Any]]
) -> list[list[int]]:
    return [[values[axis].index(v) for axis, v in zip(axes, line, strict=True)] for line in keys]


def key(value: Any) -> str:
    """The text by which the page compares values of an axis: 1 and 1.0 are equal."""
    return str(plain(value))


def embedded(data: Any) -> Markup:
    """Write data as JSON that no text in it can end the ``<script>`` around it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026"))
