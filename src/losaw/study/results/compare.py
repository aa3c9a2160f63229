"""The published tables cell by cell: published and reproduced values, and which of them count."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.columns import DEVIATIONS, NUMBERS, OF_COMPARISON, with_axes
from losaw.study.request.grid import Study
from losaw.study.request.settings import matches, plain
from losaw.study.results.agreement import (
    AGREES,
    DEVIATES,
    DIFFERS,
    MISSING,
    NO_ERROR,
    NO_VALUE,
    NOT_PRINTED,
    NOT_RUN,
    UNDECIDABLE,
    UNDECIDED,
    VERDICTS,
    Kind,
    Printed,
    Runs,
    runs_to_decide,
    verdict,
    weigh,
)

# More runs do not decide: the published value alone has too large an error.
NEVER = "never"
# Of so many cells and runs of each a printed deviation differs clearly from a standard error.
_ENOUGH_CELLS, _ENOUGH_RUNS = 3, 16
CANNOT_BE_DECIDED = "cannot be decided by runs"
# Of a compared cell: its verdict, but that all open ones are one, and those apart that stay open.
OUTCOMES = AGREES, DIFFERS, DEVIATES, UNDECIDED, CANNOT_BE_DECIDED, NO_ERROR
COMPARED = tuple(word for word in VERDICTS if word not in MISSING)


def compare(study: Study, summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return ``comparison.csv`` (docs/results.md): one row per cell of the published tables.

    ``summary`` is of :func:`losaw.study.results.summary.summarise`, ``published`` of
    :func:`losaw.study.request.published.read_published`.
    """
    means = summary.rename(columns={"mean": "reproduced", "sd": "reproduced_sd"})
    names = ("setting_id", "metric", "method")
    ours = {tuple(row[name] for name in names): row for row in means.to_dict("records")}
    kinds = kinds_of(study, summary)
    # A number holds for all values of an axis that print does not have.
    keys = ["table", *(axis for axis in study.axes if axis in published), "metric", "method"]
    records = published.dropna(subset=["published"]).to_dict("records")
    printed = {tuple(plain(record[key]) for key in keys): record for record in records}
    rows = []
    # Every cell of the tables has a row, whether a value is published or was computed or not.
    for _, setting, cell in study.cells():
        metric, method = cell["metric"], cell["method"]
        runs = ours.get((setting.identifier, metric, method), {})
        kind = kinds.get((metric, method, *(str(setting.axes[axis]) for axis in study.text_axes)))
        in_print = printed.get(tuple(plain(cell[key]) for key in keys), {})
        # Axes of the cell come last: in print 500 may be 500.0, and an axis may be missing.
        row = {"n_seeds": 0, **runs, **in_print, **cell}
        weighed = weigh_cell(row, kind, study.file.margins.get(metric, math.nan))
        rows.append(row | weighed | what_is_known(study, cell, in_print))
    if "published_sd" in published:
        note_errors(rows)
    columns = with_axes(OF_COMPARISON, study.axes)
    if "published_sd" in published.columns and published["published_sd"].notna().any():
        columns += DEVIATIONS
    return pd.DataFrame(rows, columns=columns)


def check_tables(study: Study) -> None:
    """Check that every cell of every table has a place of its own, before anything runs."""
    cells = [{**cell, "table": name} for name, _, cell in study.cells()]
    for name, frame in pd.DataFrame(cells).astype(str).groupby("table") if cells else ():
        layout = study.file.tables[str(name)]
        named = [*layout.rows, *layout.columns]
        if frame[named].duplicated().any():
            # What differs between the cells of a place is what the table forgot to name.
            several = [key for key in frame if key not in named and frame[key].nunique() > 1]
            reason = (
                f"because {' and '.join(several)} is neither fixed under 'where' nor named under "
                "'rows' or 'columns'"
                if several
                else "because the same cell is asked for twice"
            )
            message = f"several cells fall on one place, {reason}"
            raise study.source.error(("tables", str(name)), message)


def weigh_cell(cell: Mapping[str, Any], kind: Kind | None, margin: float) -> dict[str, Any]:
    """Return evidence, margin and verdict of a cell, from its columns of summary and print."""
    evidence = None
    if "published" in cell and "reproduced" in cell and kind:
        optional = (cell.get(name) for name in ("published_sd", "published_se"))
        deviation, error = (None if pd.isna(value) else value for value in optional)
        number, runs = float(cell["published"]), float(cell["published_runs"])
        printed = Printed(number, int(cell["decimals"]), runs, deviation, error)
        ours = Runs(cell["reproduced"], cell["reproduced_sd"], cell["n_seeds"])
        evidence = weigh(ours, printed, kind)
    if "reproduced" not in cell:
        word = NOT_RUN
    elif not (cell["n_seeds"] and math.isfinite(cell["reproduced"])):
        word = NO_VALUE
    else:
        word = verdict(evidence, margin) if "published" in cell else NOT_PRINTED
    numbers: dict[str, Any] = asdict(evidence) if evidence else {}
    if evidence and word in (UNDECIDED, UNDECIDABLE):
        more = runs_to_decide(evidence, cell["n_seeds"], margin)
        numbers["runs_to_decide"] = NEVER if math.isinf(more) else str(more)
    return {**numbers, "margin": margin if "published" in cell else math.nan, "verdict": word}


def note_errors(rows: list[dict[str, Any]]) -> None:
    """Note printed deviations of a metric that are rather standard errors, by those of our runs."""
    names = ["metric", *DEVIATIONS, "n_seeds", "published_runs"]
    known = pd.DataFrame(rows).reindex(columns=names).dropna()
    known = known[(known["n_seeds"] >= _ENOUGH_RUNS) & (known["published_runs"] >= _ENOUGH_RUNS)]
    for _, cells in known.groupby("metric"):
        of_ours = (cells["published_sd"] / cells["reproduced_sd"]).median()
        of_error = 1 / math.sqrt(cells["published_runs"].median())
        if len(cells) >= _ENOUGH_CELLS and of_ours < 2 * of_error:
            words = f"published_sd is {of_ours:.2g} of our deviation in the median, as a standard "
            words += "error would be: if it is one, its column is published_se"
            for at in cells.index:
                rows[at]["noted"] = "; ".join(filter(None, [rows[at]["noted"], words]))


def what_is_known(
    study: Study, cell: Mapping[str, Any], published: Mapping[str, Any]
) -> dict[str, str]:
    """What explains a cell, and the notes of its published number and of cells like it."""
    if not published:
        return {"explained": "", "noted": ""}
    printed_note = published.get("note")
    notes = [] if pd.isna(printed_note) else [str(printed_note)]
    known = [entry for entry in study.file.known if matches(entry.where, cell)]
    # Of several entries the first explains; all of them are shown.
    return {
        "explained": known[0].kind if known else "",
        "noted": "; ".join([*notes, *(entry.note for entry in known)]),
    }


def kinds_of(study: Study, summary: pd.DataFrame) -> dict[tuple[str, ...], Kind]:
    """Return (metric, method, values of the text axes) -> kind.

    A task, a function or a data set decides the units of a metric and how much it varies, so that
    deviations are pooled only over settings that have all text axes in common.
    """
    kinds = {}
    text_values = {
        setting.identifier: tuple(str(setting.axes[axis]) for axis in study.text_axes)
        for setting in study.settings
    }
    of_setting = summary["setting_id"].map(text_values)
    for (metric, method, data), group in summary.groupby(
        ["metric", "method", of_setting], sort=False
    ):
        kinds[str(metric), str(method), *data] = Kind(
            *pooled_deviation(group["sd"], group["n_seeds"]),
            # A metric without a smallest value has no value on which runs pile up.
            is_bounded=math.isfinite(study.metrics[str(metric)].entry.load().range[0]),
            is_decision=str(metric) in study.decisions,
        )
    return kinds


def pooled_deviation(deviations: pd.Series, n_seeds: pd.Series) -> tuple[float, int]:
    """sqrt(sum (n - 1) s^2 / sum (n - 1)) over all cells, and its degrees of freedom."""
    # A cell without runs has no degree of freedom, not one less than none.
    degrees = np.clip(n_seeds.to_numpy(dtype=float) - 1, 0, None)
    if not degrees.sum():
        return math.nan, 0
    squares = np.nan_to_num(deviations.to_numpy(dtype=float)) ** 2
    return math.sqrt(float(degrees @ squares / degrees.sum())), int(degrees.sum())


def compared_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are published and were run; each cell once, whatever tables show it."""
    cells = comparison[~comparison["verdict"].isin(MISSING)]
    # Two tables may show one cell; the number in print is part of it, which they may round apart.
    keys = [c for c in cells.columns if c not in ("table", *NUMBERS, *DEVIATIONS)]
    return cells.drop_duplicates([*keys, "published"])


def outcomes(cells: pd.DataFrame) -> pd.Series:
    """Return one of OUTCOMES for each compared cell.

    An undecidable cell of which runs can still show that it deviates is open.
    """
    is_open = cells["verdict"].isin([UNDECIDED, UNDECIDABLE])
    verdicts = cells["verdict"].mask(is_open, UNDECIDED)
    return verdicts.mask(cells["runs_to_decide"] == NEVER, CANNOT_BE_DECIDED)


def counted(study: Study, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the compared cells that count: each published value once, in the believed reading.

    The report and the pages of the reference run count cells by this function.
    """
    cells = compared_cells(comparison)
    rule = study.file.counted
    # True or False for all cells, or the settings whose cells are of the believed reading.
    if isinstance(rule, bool):
        return cells if rule else cells.iloc[:0]
    records = cells.to_dict("records")
    is_counted = [any(matches(where, record) for where in rule) for record in records]
    return cells[np.array(is_counted, dtype=bool)]  # also where there are no cells


def rms_z(cells: pd.DataFrame) -> float:
    """Return the root mean square of z, about 1 if both laws are the same.

    Cells in which every run has the published value are left out: their z says nothing.
    """
    distance = (cells["reproduced"] - cells["published"]).abs()
    is_certain = (cells["mc_se"] == 0) & (distance < 1e-9)
    return float(np.sqrt((cells["z"][~is_certain] ** 2).mean()))
