"""The page of an explanation: one HTML file that loads nothing from the network."""

from typing import TYPE_CHECKING, Any

import numpy as np

import losaw
from losaw.explaining.answers import p_text
from losaw.explaining.association import GROUPED_ABOVE, MEASURE
from losaw.explaining.disagreements import decimal
from losaw.explaining.drawings import MOST_DRAWN, heat_map, small_curve
from losaw.explaining.methods import METHODS

if TYPE_CHECKING:
    import pandas as pd


_AXES = {
    "marginal or conditional": "Used by the model, but shared with other features",
    "seen or unseen rows": "Gained on rows that the trees had seen",
    "refitted or fixed": "Refitted without it",
    "importance or direction": "Without a direction",
}


def page(explanation: Any, template: str = "explain/page.html") -> str:
    """Return the page; with the template ``explain/content.html`` its content without a style."""
    from markupsafe import Markup

    from losaw.pages import render

    frame, results = explanation.to_frame(), explanation.results
    labels = [METHODS[name].label for name in results]
    selected, fdr = set(explanation.selected), explanation.fdr
    curves = explanation.curves
    half = max((float(np.abs(curve.effect).max()) for curve in curves.values()), default=0.0) or 1.0
    rows = [
        {
            "feature": row["feature"],
            "kind": row["kind"],
            "selected": row["feature"] in selected,
            "recognised": row["feature"] in explanation.recognised,
            "curve": Markup(small_curve(curves[row["feature"]], half))
            if row["feature"] in curves
            else "",
            "cells": [_cell(row, label, frame, fdr) for label in labels],
        }
        for row in frame.to_dict("records")
    ]
    by_axis = [
        (head, [d.text for d in explanation.disagreements if d.axis == axis])
        for axis, head in _AXES.items()
    ]
    return render(
        template,
        explanation=explanation,
        answer=explanation.answer,
        labels=labels,
        half=decimal(half),
        rows=rows,
        disagreements=[(head, sentences) for head, sentences in by_axis if sentences],
        drawing=Markup(heat_map(explanation.associations, explanation.names)),
        n_drawn=min(len(explanation.names), MOST_DRAWN),
        groups=explanation.group_lines(),
        grouped_above=f"{GROUPED_ABOVE:g}",
        measure=MEASURE,
        key=[(METHODS[name], result.std_error_kind) for name, result in results.items()],
        version=losaw.__version__,
    )


def _cell(
    row: dict[Any, Any], label: str, frame: "pd.DataFrame", fdr: float
) -> dict[str, Any] | None:
    """The content of a cell: texts, and the bar behind them."""
    score, error = row[label], row.get(f"{label}_error", np.nan)
    if not np.isfinite(score):
        return None
    largest = float(np.nanmax(np.abs(frame[label]))) or 1.0
    p_value, smallest = row.get(f"{label}_p", np.nan), row.get(f"{label}_smallest", np.nan)
    return {
        "smallest": decimal(smallest) if np.isfinite(smallest) else "",
        "score": decimal(score),
        "error": f"± {decimal(error)}" if np.isfinite(error) else "",
        "p": p_text(p_value).removeprefix("= ") if np.isfinite(p_value) else "",
        "star": p_value <= fdr,
        "width": f"{100 * abs(score) / largest:.0f}",
        "colour": "--bar" if score >= 0 else "--bar-minus",
    }
