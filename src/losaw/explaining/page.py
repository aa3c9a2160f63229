"""The page of an explanation, one HTML file that loads nothing from the network; its drawings."""

import html
from typing import TYPE_CHECKING, Any

import numpy as np

import losaw
from losaw.data import FloatArray
from losaw.explaining.answers import p_text
from losaw.explaining.association import GROUPED_ABOVE, MEASURE, Associations
from losaw.explaining.curves import Curve
from losaw.explaining.disagreements import are_compared, decimal
from losaw.explaining.methods import METHODS
from losaw.support.extras import extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_DRAWN = 40
_CELL, _LABEL, _TREE, _CHARACTER = 18, 130, 120, 17
_CURVE_WIDTH, _CURVE_HEIGHT = 110, 36
_AXES = {
    "marginal or conditional": "Used by the model, but shared with other features",
    "seen or unseen rows": "Gained on rows that the trees had seen",
    "refitted or fixed": "Refitted without it",
    "importance or direction": "Without a clear direction",
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
        of_model=[METHODS[name].label for name in results if METHODS[name].family == "loss"],
        half=decimal(half) if half >= 0.001 else f"{half:.2g}",
        rows=rows,
        are_compared=are_compared(
            results, explanation.associations, explanation.design.folds, curves
        ),
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


def heat_map(related: Associations, names: tuple[str, ...]) -> str:
    """Associations of the first features, in the order of a tree that joins the closest.

    Parameters
    ----------
    related : Associations
    names : tuple of str
        At most ``MOST_DRAWN`` of them are drawn.
    """
    from scipy.cluster.hierarchy import average, dendrogram
    from scipy.spatial.distance import squareform

    places = [related.names.index(name) for name in names[:MOST_DRAWN]]
    if len(places) < 2:
        return ""
    strength = related.strength[np.ix_(places, places)]
    linkage = average(squareform(1.0 - strength, checks=False))
    tree = dendrogram(linkage, no_plot=True)
    order, n = tree["leaves"], len(places)
    size = _CELL * n
    labels = [related.names[places[j]] for j in order]
    parts = [
        f'<svg viewBox="0 0 {_LABEL + size + _TREE} {size + 24}" role="img" '
        f'width="{_LABEL + size + _TREE}" aria-label="Associations of {n} features">'
    ]
    parts += [
        f'<text x="{_LABEL - 6}" y="{_CELL * row + 13}" text-anchor="end">'
        f"{html.escape(_short(label))}</text>"
        for row, label in enumerate(labels)
    ]
    parts += _cells(strength[np.ix_(order, order)], labels)
    parts += _branches(tree, size)
    parts.append(
        f'<text x="{_LABEL + size + 4}" y="{size + 16}">1</text>'
        f'<text x="{_LABEL + size + _TREE - 10}" y="{size + 16}" text-anchor="end">0</text>'
        f'<text x="{_LABEL + size + _TREE / 2}" y="{size + 16}" text-anchor="middle">'
        "association</text></svg>"
    )
    return "".join(parts)


def small_curve(curve: Curve, half: float) -> str:
    """A curve with a band of two standard errors, as SVG; ``half`` is half of the height."""
    span = float(curve.at[-1] - curve.at[0])
    x = 4 + (_CURVE_WIDTH - 8) * (curve.at - curve.at[0]) / span
    low, middle, high = (
        np.clip(_CURVE_HEIGHT / 2 * (1 - 0.9 * (curve.effect + side * curve.error) / half), 0, 99)
        for side in (-2.0, 0.0, 2.0)
    )
    band = _points(np.append(x, x[::-1]), np.append(low, high[::-1]))
    return (
        f'<svg viewBox="0 0 {_CURVE_WIDTH} {_CURVE_HEIGHT}" width="{_CURVE_WIDTH}" '
        f'height="{_CURVE_HEIGHT}" role="img"><title>from {curve.at[0]:.6g} to {curve.at[-1]:.6g}: '
        f"{curve.effect[0]:+.3g} to {curve.effect[-1]:+.3g}</title>"
        f'<polygon points="{band}" fill="#0072b2" opacity=".25"/><polyline '
        f'points="{_points(x, middle)}" fill="none" stroke="#0072b2" stroke-width="1.5"/></svg>'
    )


def _points(x: FloatArray, y: FloatArray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _cells(strength: FloatArray, labels: list[str]) -> list[str]:
    return [
        f'<rect x="{_LABEL + _CELL * j}" y="{_CELL * i}" width="{_CELL - 1}" '
        f'height="{_CELL - 1}" fill="{_colour(strength[i, j])}"><title>'
        f"{html.escape(labels[i])}, {html.escape(labels[j])}: {strength[i, j]:.2f}</title></rect>"
        for i in range(len(labels))
        for j in range(len(labels))
    ]


def _branches(tree: dict[str, list[list[float]]], size: int) -> list[str]:
    """Draw the tree next to the map; scipy places the leaves at 5, 15, 25, …"""
    left, width = _LABEL + size + 4, _TREE - 14
    paths = []
    for places, heights in zip(tree["icoord"], tree["dcoord"], strict=True):
        points = [
            f"{left + width * h:.1f} {_CELL * (p - 5) / 10 + _CELL / 2:.1f}"
            for p, h in zip(places, heights, strict=True)
        ]
        paths.append(f'<path d="M{" L".join(points)}"/>')
    return paths


def _colour(strength: float) -> str:
    """Return a colour from pale grey to blue, readable on a light and on a dark background."""
    share = float(np.clip(strength, 0.0, 1.0))
    low, high = (233, 236, 240), (0, 82, 150)
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(low, high, strict=True)
    )


def _short(label: str) -> str:
    return label if len(label) <= _CHARACTER else label[: _CHARACTER - 1] + "…"


def bars(explanation: Any, top: int) -> "Figure":
    """Scores of the first features, a panel per method, see :meth:`Explanation.plot`."""
    with extra("plot"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    names, results = list(explanation.names[:top])[::-1], explanation.results
    figure = Figure(
        figsize=(1.6 + 1.7 * len(results), 1.2 + 0.24 * len(names)), layout="constrained"
    )
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    colours = ["#0072b2" if name in explanation.selected else "#999999" for name in names]
    # Between two dollars stands a formula to matplotlib.
    shown = [name.replace("$", r"\$") for name in names]
    for ax, (method, result) in zip(panels, results.items(), strict=True):
        place = [result.feature_names.index(name) for name in names]
        scores = result.scores[place]
        half = result.interval()[place, 1] - scores
        ax.barh(shown, np.nan_to_num(scores), color=colours)
        ax.errorbar(
            scores, np.arange(len(names)), xerr=half, fmt="none", ecolor="black", linewidth=0.8
        )
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_title(METHODS[method].label, fontsize=10)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    deciding = explanation.deciding
    blue = f"; blue: selected by {METHODS[deciding].label}" if deciding else ""
    head = f"What {explanation.target} depends on (bars with 95 % intervals{blue})"
    figure.suptitle(head.replace("$", r"\$"), fontsize=10)
    return figure
