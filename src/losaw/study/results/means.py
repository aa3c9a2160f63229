"""Means over the methods of a setting, next to the means of their published values.

Where single cells cannot be decided, because the published error is larger than the margin, their
mean often can: it averages the errors of all methods, which are paired, because they score the same
data.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.agreement import Kind
from losaw.study.results.cell_numbers import NUMBER_COLUMNS, numbers_of_cell
from losaw.study.results.lookup import Lookup, cells, printed_axes, table_title

# A mean has no single cell's note, nor the seeds that would decide it.
_OF_A_CELL = ("detectable", "seeds_needed", "noted")
NUMBERS = ("methods", *(column for column in NUMBER_COLUMNS if column not in _OF_A_CELL))


class _MeanOfRuns(NamedTuple):
    mean: float
    sd: float
    mc_se: float
    n_seeds: int


def means_over_methods(
    study: Study, results: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Return one row per table, setting and metric with a margin in ``mean_margins``.

    Every run's values are averaged over the methods that are published and were run; the mean over
    the runs is weighed like a single cell (:func:`losaw.study.results.agreement.weigh`). The
    variance of the published mean is taken to be that of ours.

    Parameters
    ----------
    results : DataFrame
        As in :class:`losaw.study.results.collect.Collection`.
    published : DataFrame
        As :func:`losaw.study.design.published.read_published` reads it.

    Returns
    -------
    DataFrame
        ``table``, the study's axes, ``metric``, ``methods`` (their number) and those numbers of a
        cell of the comparison that a mean has too.
    """
    there = published.dropna(subset=["published"])
    columns = ["table", *printed_axes(study, published), "metric", "method"]
    printed = Lookup(columns, there.to_dict("records"))
    groups: dict[tuple[str, str, str], list[tuple[str, Any]]] = {}
    axes = {}
    for table, setting, metric, method in cells(study):
        if metric in study.file.mean_margins:
            title = table_title(table)
            axes[setting.identifier] = setting.axes
            cell = {"table": title, **setting.axes, "metric": metric, "method": method}
            row = printed.find(cell)
            if row is not None:
                groups.setdefault((title, setting.identifier, metric), []).append((method, row))
    runs = _values_by_method(study, results)
    rows = []
    for (title, identifier, metric), found in groups.items():
        wide = runs.get((identifier, metric), pd.DataFrame())
        pairs = [(method, row) for method, row in found if method in wide.columns]
        if len(pairs) < 2:
            continue
        ours = wide[[method for method, _ in pairs]].dropna().mean(axis=1)
        sd = float(ours.std(ddof=1))
        numbers = numbers_of_cell(
            _MeanOfRuns(float(ours.mean()), sd, sd / np.sqrt(len(ours)), len(ours)),
            {
                "published": np.mean([row["published"] for _, row in pairs]),
                "decimals": min(row["decimals"] for _, row in pairs),
                "published_runs": min(row["published_runs"] for _, row in pairs),
            },
            Kind(sd, len(ours) - 1),
            study.file.mean_margins[metric],
        )
        head = {"table": title, **axes[identifier], "metric": metric, "methods": len(pairs)}
        rows.append({**head, **numbers})
    return pd.DataFrame(rows, columns=["table", *study.axes, "metric", *NUMBERS])


def _values_by_method(study: Study, results: pd.DataFrame) -> dict[tuple[Any, Any], pd.DataFrame]:
    """Return (setting, metric) -> values of the runs, (seeds, methods)."""
    kept = (results["status"] == "ok") & results["metric"].isin(list(study.file.mean_margins))
    results = results[kept].astype({"learner": str, "importance": str})
    names = {
        pair: study.method_name(*pair)
        for pair in set(zip(results["learner"], results["importance"], strict=True))
    }
    pairs = zip(results["learner"], results["importance"], strict=True)
    results = results.assign(method=[names[pair] for pair in pairs])
    return {
        key: group.pivot(index="seed", columns="method", values="value")
        for key, group in results.groupby(["setting_id", "metric"], sort=False, observed=True)
    }
