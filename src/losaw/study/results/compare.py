"""The published tables cell by cell: printed beside reproduced."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.published import margin, plain
from losaw.study.design.schema import TableLayout
from losaw.study.design.settings import Setting, as_values
from losaw.study.errors import StudyError
from losaw.study.results.agreement import (
    UNDECIDED,
    Kind,
    Printed,
    Runs,
    seeds_to_decide,
    verdict,
    weigh,
)
from losaw.study.results.draws import BetweenDraws
from losaw.study.results.kinds import kinds_of

NUMBER_COLUMNS = (
    "published",
    "reproduced",
    "mc_se",
    "n_seeds",
    "z",
    "low",
    "high",
    "margin",
    "detectable",
    "seeds_needed",
    "verdict",
)
# Of single runs, where a paper prints it: two more columns of the comparison.
SD_COLUMNS = ("published_sd", "reproduced_sd")

Key = tuple[Any, ...]


def table_title(name: str) -> str:
    """``table_2`` as papers write it: ``Table 2``."""
    return name.replace("_", " ").capitalize()


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


def compare(
    study: Study,
    summary: pd.DataFrame,
    published: pd.DataFrame,
    between_draws: BetweenDraws | None = None,
) -> pd.DataFrame:
    """One row per cell of the published tables.

    Parameters
    ----------
    summary : DataFrame
        As :func:`losaw.study.results.summary.summarise` makes it.
    published : DataFrame
        As :func:`losaw.study.design.published.read_published` reads it.
    between_draws : BetweenDraws or None
        For printed numbers whose runs share draws of X.

    Returns
    -------
    DataFrame
        ``table``, the study's axes, ``metric``, ``method``; ``published``, ``reproduced``,
        ``mc_se``, ``n_seeds``; ``z``, the 90 % interval ``low`` to ``high`` of the difference,
        the ``margin`` that it must lie within to agree, the smallest ``detectable`` difference,
        for an undecided cell the ``seeds_needed``, and the ``verdict``
        (:mod:`losaw.study.results.agreement`). Cells that were not run have no reproduced value,
        cells without a printed number at hand no published one. ``published_sd`` and
        ``reproduced_sd`` follow if ``published`` has standard deviations.
    """
    ours = {
        (row.setting_id, row.metric, row.method): row for row in summary.itertuples(index=False)
    }
    printed, axes = _printed_cells(study, published), printed_axes(study, published)
    kinds = kinds_of(study, summary)
    between_draws = between_draws or BetweenDraws()
    rows = []
    for table, setting, metric, method in cells(study):
        cell = ours.get((setting.identifier, metric, method))
        key = _cell_key(axes, table_title(table), setting.axes, metric, method)
        print_row = printed.get(key)
        kind = kinds.get((metric, method))
        if kind:
            kind = replace(kind, between_draws=between_draws.share(setting.axes, metric, method))
        rows.append(
            {
                "table": table_title(table),
                **setting.axes,
                "metric": metric,
                "method": method,
                **_numbers(cell, print_row, kind, margin(study, metric)),
            }
        )
    columns = ["table", *study.axes, "metric", "method", *NUMBER_COLUMNS]
    if SD_COLUMNS[0] in published.columns and published[SD_COLUMNS[0]].notna().any():
        columns += SD_COLUMNS
    return pd.DataFrame(rows, columns=columns)


def _numbers(
    reproduction: Any, print_row: dict[str, Any] | None, kind: Kind | None, margin: float
) -> dict[str, Any]:
    """The numbers of one cell, and the verdict."""
    reproduced = float(reproduction.mean) if reproduction else np.nan
    evidence, needed = None, np.nan
    if reproduction and print_row and kind:
        cell = (
            Runs(reproduced, float(reproduction.sd), int(reproduction.n_seeds)),
            printed_cell(print_row),
            kind,
        )
        evidence = weigh(*cell)
    said = verdict(evidence, margin, bool(print_row), bool(np.isfinite(reproduced)))
    if said == UNDECIDED:
        needed = seeds_to_decide(*cell, margin)
    return {
        "published": float(print_row["published"]) if print_row else np.nan,
        "reproduced": reproduced,
        "mc_se": float(reproduction.mc_se) if reproduction else np.nan,
        "n_seeds": int(reproduction.n_seeds) if reproduction else 0,
        "z": evidence.z if evidence else np.nan,
        "low": evidence.low if evidence else np.nan,
        "high": evidence.high if evidence else np.nan,
        "margin": margin if print_row else np.nan,
        "detectable": evidence.detectable if evidence else np.nan,
        "seeds_needed": needed,
        "verdict": said,
        "published_sd": float((print_row or {}).get("published_sd", np.nan)),
        "reproduced_sd": float(reproduction.sd) if reproduction else np.nan,
    }


def printed_cell(row: dict[str, Any]) -> Printed:
    """A row of the printed numbers as the verdict needs it."""
    draws = row.get("published_draws")
    return Printed(
        float(row["published"]),
        int(row["decimals"]),
        float(row["published_runs"]),
        None if draws is None or pd.isna(draws) else float(draws),
    )


def _printed_cells(study: Study, published: pd.DataFrame) -> dict[Key, dict[str, Any]]:
    axes = printed_axes(study, published)
    printed: dict[Key, dict[str, Any]] = {}
    for row in published.to_dict("records"):
        if pd.isna(row["published"]):
            continue
        key = _cell_key(axes, row["table"], row, row["metric"], row["method"])
        if key in printed:
            raise StudyError(f"{study.file.published}: the cell {key} is printed twice")
        printed[key] = row
    return printed


def printed_axes(study: Study, published: pd.DataFrame) -> list[str]:
    """The study's axes that print has; a printed number holds for every value of the others."""
    return [axis for axis in study.axes if axis in published.columns]


def _cell_key(
    axes: Iterable[str], table: str, values: Mapping[str, Any], metric: str, method: str
) -> Key:
    return (table, *(plain(values[axis]) for axis in axes), metric, method)
