"""The published tables cell by cell: published and reproduced values."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.published import margin
from losaw.study.results.cell_numbers import NUMBER_COLUMNS, SD_COLUMNS, kinds_of, numbers_of_cell
from losaw.study.results.lookup import Lookup, cells, printed_axes, table_title
from losaw.study.settings import matches


def compare(
    study: Study,
    summary: pd.DataFrame,
    published: pd.DataFrame,
) -> pd.DataFrame:
    """One row per cell of the published tables.

    Parameters
    ----------
    summary : DataFrame
        As :func:`losaw.study.results.summary.summarise` makes it.
    published : DataFrame
        As :func:`losaw.study.published.read_published` reads it.

    Returns
    -------
    DataFrame
        ``table``, the study's axes, ``metric``, ``method``; ``published``, ``reproduced``,
        ``mc_se``, ``n_seeds``; ``z``, the 90 % interval ``low`` to ``high`` of the difference,
        the ``margin`` that it must lie within to agree, the ``verdict``
        (:mod:`losaw.study.results.agreement`), what it is ``explained`` by and what is ``noted`` of
        the cell. Cells that were
        not run have no reproduced value, cells without a published number none of these.
        ``published_sd`` and
        ``reproduced_sd`` follow if ``published`` has standard deviations.
    """
    ours = {
        (row.setting_id, row.metric, row.method): row for row in summary.itertuples(index=False)
    }
    kinds = kinds_of(study, summary)
    shown = [
        (ours.get((setting.identifier, metric, method)), table, setting.axes, metric, method)
        for table, setting, metric, method in cells(study)
    ]
    there = published.dropna(subset=["published"])
    axes = printed_axes(study, published)
    printed = Lookup(["table", *axes, "metric", "method"], there.to_dict("records"))
    if printed.repeated:
        raise StudyError(f"{study.file.published}: the cell {printed.repeated} is printed twice")
    rows = []
    for runs, table, values, metric, method in shown:
        cell = {"table": table_title(table), **values, "metric": metric, "method": method}
        kind = kinds.get((metric, method, *(str(values[axis]) for axis in study.text_axes)))
        published_row = printed.find(cell)
        numbers = numbers_of_cell(runs, published_row, kind, margin(study, metric))
        rows.append({**cell, **numbers, **what_is_known(study, cell, published_row)})
    columns = ["table", *study.axes, "metric", "method", *NUMBER_COLUMNS]
    if SD_COLUMNS[0] in published.columns and published[SD_COLUMNS[0]].notna().any():
        columns += SD_COLUMNS
    return pd.DataFrame(rows, columns=columns)


def what_is_known(
    study: Study, cell: Mapping[str, Any], published: Mapping[str, Any] | None
) -> dict[str, str]:
    """What explains a cell, and the notes of its published number and of cells like it."""
    if published is None:
        return {"explained": "", "noted": ""}
    own = published.get("note")
    notes = [] if own is None or pd.isna(own) else [str(own)]
    known = [entry for entry in study.file.known if matches(entry.where, cell)]
    return {
        "explained": known[0].kind if known else "",
        "noted": "; ".join([*notes, *(entry.note for entry in known)]),
    }
