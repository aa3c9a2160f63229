"""The agreement of a study with the published values, as plain values for the template."""

import math
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.report.page.sections import Grid, place
from losaw.report.typeset import number, percent, signed
from losaw.study.design.grid import Study
from losaw.study.files.output_digests import DRAWS
from losaw.study.results.agreement import DEVIATES, DIFFERS, UNDECIDABLE, UNDECIDED
from losaw.study.results.tally import DISTANCES, VERDICTS, agreement_table, compared

DECIMALS = 3
_LARGEST = 40
_COUNTED = ("cells", *VERDICTS, *(f"within_{d}" for d in DISTANCES), "rms_z")

Record = dict[str, Any]


def total_agreement(comparison: pd.DataFrame) -> Record | None:
    """Verdicts, distances and z of all compared cells; None if there are none."""
    totals = agreement_table(comparison.assign(all="all"), ["all"])
    return None if totals.empty else _agreement(totals.to_dict("records")[0])


def agreement_rows(study: Study, agreement: pd.DataFrame) -> Grid:
    """Verdicts, distances and z of the cells by the study's first axis, method and metric."""
    by = [name for name in agreement.columns if name not in _COUNTED]
    rows = [
        ([study.show(record[name]) for name in by], [_agreement(record)])
        for record in agreement.to_dict("records")
    ]
    return Grid("", [study.show(name) for name in by], [], rows)


def _agreement(record: Record) -> Record:
    cells = record["cells"]
    return {
        "cells": cells,
        **{word.replace(" ", "_"): record[word] for word in VERDICTS},
        "share_agrees": percent(record["agrees"] / cells),
        "share_undecided": percent((record[UNDECIDED] + record[UNDECIDABLE]) / cells),
        "share_deviates": percent((record[DEVIATES] + record[DIFFERS]) / cells),
        "bar": round(100 * record["agrees"] / cells),
        "within": [percent(record[f"within_{d}"]) for d in DISTANCES],
        "rms_z": f"{record['rms_z']:.2f}" if math.isfinite(record["rms_z"]) else "–",
    }


def sign_rows(study: Study, signs: pd.DataFrame) -> list[Record]:
    """Count the settings in which a gain has the published sign, by axis and metric."""
    by = [name for name in signs.columns if name in study.axes[:1]]
    return [
        {
            "place": ", ".join(study.show(record[name]) for name in by),
            "metric": study.show(record["metric"]),
            "gain": f"{study.show(record['method'])} − {study.show(record['minus'])}",
            "settings": record["settings"],
            "as_printed": percent(record["as_printed"]),
            "large": record["large"],
            "large_as_printed": percent(record["large_as_printed"]),
            "margin": number(study.file.margins[record["metric"]], 2),
        }
        for record in signs.to_dict("records")
    ]


def _shown(study: Study, record: Record) -> Record:
    """A published number and ours, in words."""
    return {
        **record,
        "place": place(study, record),
        "metric": study.show(record["metric"]),
        "published": number(record["published"], DECIMALS),
        "reproduced": number(record["reproduced"], DECIMALS),
        "mc_se": number(record["mc_se"], DECIMALS),
        "z": signed(record["z"]),
    }


def shared_draws_line(study: Study, results: Path) -> str:
    """Return a sentence on the error of published values whose runs share draws of X."""
    name = study.file.between_draws
    if name is None:
        return ""
    words = "The runs behind some published values share draws of X (published_draws). "
    if (results / name / DRAWS).is_file():
        return words + f"The share of the variance between draws is measured by {name}."
    return words + (
        f"The study {name}, which measures the share of the variance between draws, was not run: "
        "all of it is taken to lie there, and such cells are seldom decided."
    )


def disagreements(study: Study, comparison: pd.DataFrame) -> list[Record]:
    """The cells with the verdict differs or deviates, largest first, with the notes on them."""
    cells = compared(comparison)
    beyond = cells[cells["verdict"].isin([DIFFERS, DEVIATES])]
    order = beyond["z"].abs().sort_values(ascending=False, kind="stable").index
    return [
        {
            **_shown(study, record),
            "method": study.show(record["method"]),
            "note": "" if pd.isna(record["noted"]) else record["noted"],
        }
        for record in beyond.loc[order[:_LARGEST]].to_dict("records")
    ]
