"""Paired differences of any two methods, small enough to travel inside the page."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy.stats import t as student

from losaw.report.layout import Table, higher_is_better
from losaw.report.results import StudyResults
from losaw.report.typeset import html_label
from losaw.study.design.grid import Study
from losaw.study.results.lookup import plain

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def paired_methods(study: Study, stored: StudyResults) -> dict[str, Any]:
    """What the page needs to show the difference of any two methods.

    With v(m, i) the value of method m in data set i of a setting, the difference of two methods is
    the mean of v(b, i) − v(a, i) over the n data sets that both have, and its standard error is
    that of these n differences, sd / sqrt(n).

    Parameters
    ----------
    stored : StudyResults
        Of which the measured values and the settings are read.

    Returns
    -------
    dict
        ``axes`` and ``methods`` (names), ``metrics`` (name -> whether higher is better), ``t``
        (n -> quantile .975 of Student's t), and ``places``: the values of the axes and the metric,
        joined by ``|``, to the methods there, n, their means and, pair by pair (0, 1), (0, 2), …,
        the standard errors; where the methods do not have the same data sets, n is the largest and
        ``odd`` lists (i, j, difference, standard error, n) of such pairs. Empty without two
        methods.
    """
    results, settings = stored.results, stored.settings
    ok = results[(results["status"] == "ok") & np.isfinite(results["value"])]
    labels = zip(ok["learner"], ok["importance"], strict=True)
    ok = ok.assign(method=[study.method_name(*pair) for pair in labels])
    methods = list(dict.fromkeys(ok["method"]))
    keys = {
        row["setting_id"]: [key(row[axis]) for axis in study.axes]
        for row in settings.to_dict("records")
    }
    places, sizes = {}, set()
    for (setting, metric), part in ok.groupby(["setting_id", "metric"], sort=False, observed=True):
        if setting not in keys or metric not in study.metrics:
            continue
        wide = part.pivot_table(index="seed", columns="method", values="value", observed=True)
        if wide.shape[1] < 2:
            continue
        place = _place(wide, [methods.index(method) for method in wide.columns])
        places["|".join([*keys[setting], metric])] = place
        sizes |= {place["n"], *(pair[4] for pair in place["odd"])}
    if not places:
        return {}
    return {
        "axes": study.axes,
        "methods": methods,
        "metrics": {metric: higher_is_better(study, metric) for metric in study.metrics},
        "t": {str(n): round(float(student.ppf(0.975, n - 1)), 4) for n in sorted(sizes) if n > 1},
        "places": places,
    }


def _place(wide: pd.DataFrame, methods: list[int]) -> dict[str, Any]:
    values = wide.to_numpy(dtype=float)
    first, second = np.triu_indices(values.shape[1], k=1)
    gaps = values[:, second] - values[:, first]
    counts = np.isfinite(gaps).sum(axis=0)
    errors = np.array([_standard_error(gap[np.isfinite(gap)]) for gap in gaps.T])
    n = int(np.isfinite(values).sum(axis=0).max())
    odd = [
        [
            int(first[pair]),
            int(second[pair]),
            _rounded(gaps[np.isfinite(gaps[:, pair]), pair].mean(), 6) if counts[pair] else 0,
            _rounded(errors[pair], 3),
            int(counts[pair]),
        ]
        for pair in np.flatnonzero(counts < n)
    ]
    return {
        "methods": methods,
        "n": n,
        "means": _joined(np.nanmean(values, axis=0), 6),
        "errors": _joined(errors, 3),
        "odd": odd,
    }


def _standard_error(gaps: FloatArray) -> float:
    return float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else 0.0


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: FloatArray, digits: int) -> str:
    """Numbers side by side, without the zeros before their points."""
    words = (f"{value:.{digits}g}" for value in values)
    return " ".join(
        word.replace("0.", ".", 1) if word.startswith(("0.", "-0.")) else word for word in words
    )


def table_layout(study: Study, table: Table) -> dict[str, Any]:
    """Rows, columns and axes of a table, for the page to filter and sort it."""
    names = [*table.row_axes, *table.column_axes]
    lines = [*_lines(table.rows, table.row_axes), *_lines(table.columns, table.column_axes)]
    values: dict[str, list[Any]] = {name: [] for name in names}
    for name, value in lines:
        if value not in values[name]:
            values[name].append(value)
    return {
        "study": study.name,
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
        "fixed": {name: key(value) for name, value in table.fixed.items()},
    }


def _lines(keys: list[tuple[Any, ...]], axes: list[str]) -> Iterator[tuple[str, Any]]:
    return (pair for line in keys for pair in zip(axes, line, strict=True))


def _indices(
    keys: list[tuple[Any, ...]], axes: list[str], values: dict[str, list[Any]]
) -> list[list[int]]:
    return [[values[axis].index(v) for axis, v in zip(axes, line, strict=True)] for line in keys]


def key(value: Any) -> str:
    """A value of an axis as the page compares it: 1 and 1.0 are one."""
    return str(plain(value))


def embedded(data: Any) -> Markup:
    """Data inside a ``<script>``, which no text in it can end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("&", "\\u0026"))
