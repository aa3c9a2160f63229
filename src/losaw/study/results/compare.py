"""The published tables cell by cell: printed beside reproduced."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.schema import TableLayout
from losaw.study.design.settings import Setting, as_values
from losaw.study.errors import StudyError
from losaw.study.results.agreement import DIFFERS, verdict, z_score
from losaw.words import unknown

PUBLISHED_COLUMNS = ("table", "metric", "method", "published", "decimals", "published_runs", "note")
# Of single runs, where a paper prints it: two more columns of the comparison.
SD_COLUMNS = ("published_sd", "reproduced_sd")
NUMBER_COLUMNS = ("published", "reproduced", "mc_se", "n_seeds", "z", "verdict")


def table_title(name: str) -> str:
    """``table_2`` as papers write it: ``Table 2``."""
    return name.replace("_", " ").capitalize()


def read_published(study: Study, folder: Path) -> pd.DataFrame:
    """The printed numbers of a study.

    The file holds one row per printed cell: ``table``, any of the study's axes, ``metric``,
    ``method``, ``published``, ``decimals`` (as printed), ``published_runs`` (runs behind the
    printed mean), ``note`` and, if the paper prints it, ``published_sd``, the standard deviation
    of single runs.

    Raises
    ------
    StudyError
        If the file is missing or has a column that is neither of these nor an axis.
    """
    columns = ["table", *study.axes, *PUBLISHED_COLUMNS[1:], SD_COLUMNS[0]]
    if study.file.published is None:
        return pd.DataFrame(columns=columns)
    path = folder / study.file.published
    if not path.is_file():
        raise study.source.error(("published",), f"{path}: no such file")
    frame = pd.read_csv(path, dtype={"note": str}, keep_default_na=True)
    for column in frame.columns:
        if column not in columns:
            raise StudyError(f"{path}: {unknown('column', column, columns)}")
    return frame


def cells(study: Study) -> Iterator[tuple[str, Setting, str, str]]:
    """(table, setting, metric, method) of every cell of every table, run or not."""
    for name, layout in study.file.tables.items():
        for setting in table_settings(study, layout):
            for metric in layout.metrics or study.metrics:
                for method in study.methods_of(metric):
                    yield name, setting, metric, method


def table_settings(study: Study, layout: TableLayout) -> list[Setting]:
    """The settings that a table shows, in the grid's order."""
    where = {axis: as_values(values) for axis, values in layout.where.items()}
    return [setting for setting in study.settings if setting.matches(where)]


def compare(study: Study, summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """One row per cell of the published tables.

    Parameters
    ----------
    summary : DataFrame
        As :func:`losaw.study.results.summary.summarise` makes it.
    published : DataFrame
        As :func:`read_published` reads it.

    Returns
    -------
    DataFrame
        ``table``, the study's axes, ``metric``, ``method``, ``published``, ``reproduced``,
        ``mc_se``, ``n_seeds``, ``z``, ``verdict``. Cells that were not run have no reproduced
        value, cells without a printed number at hand no published one. ``published_sd`` and
        ``reproduced_sd`` follow if ``published`` has standard deviations.
    """
    ours = {
        (row.setting_id, row.metric, row.method): row for row in summary.itertuples(index=False)
    }
    printed = _printed_cells(study, published)
    ranges = {name: study.metrics[name].entry.load().range for name in study.metrics}
    rows = []
    for table, setting, metric, method in cells(study):
        found = ours.get((setting.identifier, metric, method))
        print_row = printed.get(_cell_key(study, table_title(table), setting.axes, metric, method))
        reproduced = float(found.mean) if found else np.nan
        value = float(print_row["published"]) if print_row else np.nan
        z = np.nan
        if found and print_row:
            z = z_score(
                reproduced,
                float(found.sd),
                int(found.n_seeds),
                value,
                int(print_row["decimals"]),
                float(print_row["published_runs"]),
                ranges[metric],
            )
        rows.append(
            {
                "table": table_title(table),
                **setting.axes,
                "metric": metric,
                "method": method,
                "published": value,
                "reproduced": reproduced,
                "mc_se": float(found.mc_se) if found else np.nan,
                "n_seeds": int(found.n_seeds) if found else 0,
                "z": z,
                "verdict": verdict(z, bool(print_row), bool(found) and np.isfinite(reproduced)),
                "published_sd": float((print_row or {}).get("published_sd", np.nan)),
                "reproduced_sd": float(found.sd) if found else np.nan,
            }
        )
    columns = ["table", *study.axes, "metric", "method", *NUMBER_COLUMNS]
    if SD_COLUMNS[0] in published.columns and published[SD_COLUMNS[0]].notna().any():
        columns += SD_COLUMNS
    return pd.DataFrame(rows, columns=columns)


def _printed_cells(study: Study, published: pd.DataFrame) -> dict[tuple[Any, ...], dict[str, Any]]:
    axes = [axis for axis in study.axes if axis in published.columns]
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in published.to_dict("records"):
        if pd.isna(row["published"]):
            continue
        key = _cell_key(
            study, row["table"], {a: row[a] for a in axes}, row["metric"], row["method"]
        )
        if key in found:
            raise StudyError(f"{study.file.published}: the cell {key} is printed twice")
        found[key] = row
    return found


def _cell_key(
    study: Study, table: str, axes: dict[str, Any] | Any, metric: str, method: str
) -> tuple[Any, ...]:
    return (table, *(_plain(axes.get(axis)) for axis in study.axes), metric, method)


def _plain(value: Any) -> Any:
    """Numbers as floats, so that 1 and 1.0 are one key; everything else as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def agreement_table(comparison: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Share of cells within two and three standard errors, and the root mean square of z.

    Parameters
    ----------
    comparison : DataFrame
    by : list of str
        Columns to group by, for example ``["data_type", "method", "metric"]``.
    """
    scored = comparison[np.isfinite(comparison["z"].astype(float))]
    # A cell that two tables show is one number.
    keys = [c for c in comparison.columns if c not in ("table", *NUMBER_COLUMNS, *SD_COLUMNS)]
    scored = scored.drop_duplicates([*keys, "published"])
    grouped = scored.groupby(by, sort=False)["z"]
    return pd.DataFrame(
        {
            "cells": grouped.size(),
            "within_2": grouped.apply(lambda z: float((z.abs() <= 2).mean())),
            "within_3": grouped.apply(lambda z: float((z.abs() <= 3).mean())),
            "rms_z": grouped.apply(lambda z: float(np.sqrt((z**2).mean()))),
        }
    ).reset_index()


def disagreements(comparison: pd.DataFrame) -> pd.DataFrame:
    """The cells beyond three standard errors, largest first."""
    found = comparison[comparison["verdict"] == DIFFERS]
    return found.reindex(found["z"].abs().sort_values(ascending=False).index)
