"""Metrics of several methods along a stored number, with their published values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from losaw.report.drawings.panels import (
    COLOURS,
    MARKERS,
    describe_panel,
    legend_below,
    panel_title,
    panels_of,
    rows_where,
    selected,
)
from losaw.report.options import check_names
from losaw.report.results import StudyResults
from losaw.report.style import new_figure
from losaw.report.typeset import math_label
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    metrics: list[str],
    along: str,
    panels: str,
    where: Mapping[str, Any] | None = None,
) -> "Figure":
    """Rows of panels for metrics, columns for values of an axis; dashed: the published value.

    Parameters
    ----------
    metrics : list of str
        Metrics of the study; one row each.
    along : str
        The metric whose mean is the horizontal axis: a number that every run notes.
    panels : str
        Axis of the study; one column for each value that was run.
    where : dict or None
        Axis -> values: the settings that are shown.

    Raises
    ------
    OptionError
        If nothing was run, ``along`` is no metric of the study or ``where`` names no axis of it.
    """
    check_names("along", [along], study.metrics, "metric")
    settings = selected(study, where)
    summary = results.summary
    shown = summary["setting_id"].isin([setting.identifier for setting in settings])
    summary = summary[shown & (summary["n_seeds"] > 0)]
    groups = panels_of(study, summary["setting_id"], panels)
    places = summary[summary["metric"] == along].groupby("setting_id")["mean"].first()
    printed = rows_where(results.comparison, where or {})
    printed = printed[printed["published"].notna()]
    figure = new_figure(0.8 + 1.9 * len(metrics))
    axes = figure.subplots(len(metrics), len(groups), squeeze=False, sharex=True, sharey="row")
    for row, metric in zip(axes, metrics, strict=True):
        for ax, (panel, settings) in zip(row, groups.items(), strict=True):
            cells = summary[
                summary["setting_id"].isin([setting.identifier for setting in settings])
            ]
            cells = cells[cells["metric"] == metric]
            of_print = printed[(printed["metric"] == metric) & (printed[panels] == panel[0])]
            _draw_lines(ax, study, study.methods_of(metric), cells, places, of_print)
            title = f"{study.show(panels)} = {panel_title(study, panel)}"
            describe_panel(ax, title, cells["n_seeds"])
        row[0].set_ylabel(math_label(study.show(metric)))
    for ax in axes[-1]:
        ax.set_xlabel(study.show(along))
    legend_below(figure, axes[0, 0], 4)
    return figure


def _draw_lines(
    ax: "Axes",
    study: Study,
    methods: Sequence[str],
    cells: pd.DataFrame,
    places: pd.Series,
    printed: pd.DataFrame,
) -> None:
    for index, method in enumerate(methods):
        line = cells[cells["method"] == method]
        line = line.assign(place=line["setting_id"].map(places)).sort_values("place")
        colour = COLOURS[index % len(COLOURS)]
        ax.errorbar(
            line["place"],
            line["mean"],
            yerr=line["mc_se"].fillna(0.0),
            label=study.show(method),
            color=colour,
            marker=MARKERS[index % len(MARKERS)],
            markersize=3.5,
            elinewidth=0.8,
        )
        for value in printed[printed["method"] == method]["published"].unique():
            label = f"{study.show(method)}, published"
            ax.axhline(value, color=colour, linewidth=0.9, linestyle="--", label=label)
