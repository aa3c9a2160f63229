"""Several metrics of several methods along an axis, a panel each (CPI, Figures 2 to 4, 7 to 40)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from losaw.report.drawings.feature_scores import COLOURS
from losaw.report.drawings.panels import (
    MARKERS,
    empty_figure,
    legend_below,
    panels_in_rows,
    rows_where,
)
from losaw.report.options import OptionError, check_names
from losaw.report.results import StudyResults
from losaw.report.style import INK, heading
from losaw.report.typeset import run_count
from losaw.study.design.grid import Study
from losaw.study.results.lookup import table_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SPREADS = {"error": "mc_se", "deviation": "sd"}
# Above so many places their labels are turned.
_FEW_PLACES = 5
_STYLES = ("-", "--", ":")


def draw(
    study: Study,
    results: StudyResults,
    *,
    panel_metrics: Mapping[str, Sequence[str]],
    axis: str,
    methods: Sequence[str],
    where: Mapping[str, Any] | None = None,
    spread: str = "error",
    reference: float | None = None,
    printed: str | None = None,
) -> "Figure":
    """One panel per entry of ``panel_metrics``, one colour per method, one line style per metric.

    Parameters
    ----------
    panel_metrics : dict of str to list of one to three metrics
        Panel's title -> its metrics; solid, dashed and dotted lines.
    axis : str
        Numerical axis of the study.
    methods : list of str
        Names of the comparison's columns; those without results are left out.
    where : dict or None
        Axis -> values: the settings that are shown.
    spread : {"error", "deviation"}, default "error"
        Bars: one Monte Carlo standard error of the mean, or one standard deviation of a run.
    reference : float or None
        Height of a thin horizontal line, for example the level of a test.
    printed : str or None
        Table of the study whose published values are shown as open markers.

    Raises
    ------
    OptionError
        For an unknown axis, metric, method or table, or several settings at one place.

    Notes
    -----
    Where nothing was run, as of most settings below the scale "paper", the figure contains a note.
    """
    known_methods = {name for metric in study.metrics for name in study.methods_of(metric)}
    check_names("methods", methods, known_methods)
    for metrics in panel_metrics.values():
        check_names("panel_metrics", metrics, study.metrics, "metric")
    check_names("where", where or {}, study.axes, "axis")
    check_names("spread", [spread], SPREADS)
    summary = rows_where(results.summary, where or {})
    summary = summary[summary["method"].isin(methods) & (summary["n_seeds"] > 0)]
    if summary.empty:
        return empty_figure()
    cells = pd.DataFrame()
    if printed:
        check_names("printed", [printed], study.file.tables, "table")
        cells = rows_where(results.comparison, where or {})
        cells = cells[(cells["table"] == table_title(printed)) & cells["published"].notna()]
    places = sorted({*summary[axis], *(cells[axis] if printed else ())})
    figure, axes, n_columns = panels_in_rows(
        len(panel_metrics), 4, height=2.0, margin=1.1, width_of_one=4.5, sharey=True
    )
    for ax, (title, metrics) in zip(axes, panel_metrics.items(), strict=True):
        for index, method in enumerate(methods):
            colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
            for style, metric in zip(_STYLES, metrics, strict=False):
                line = summary[(summary["metric"] == metric) & (summary["method"] == method)]
                label = study.show(method) if style == _STYLES[0] else None
                look = {"linestyle": style, "color": colour, "marker": marker, "label": label}
                _draw_line(ax, line.sort_values(axis), axis, spread, **look)
                if printed:
                    own = (cells["metric"] == metric) & (cells["method"] == method)
                    _draw_printed(ax, cells[own], axis, colour)
        if reference is not None:
            ax.axhline(reference, color=INK, linewidth=0.6, linestyle=":")
        ax.set_xscale("log")
        turned = 60 if len(places) > _FEW_PLACES else 0
        ax.set_xticks(places, [f"{place:g}" for place in places], rotation=turned)
        ax.minorticks_off()
        ax.set_xlabel(study.show(axis))
        ax.grid(axis="y")
        heading(ax, title)
    axes[0].set_ylabel(f"mean, {run_count(summary['n_seeds'])}")
    if len(axes[0].get_legend_handles_labels()[1]) > 1:
        legend_below(figure, axes[0], 4 if n_columns > 1 else 2)
    return figure


def _draw_line(ax: "Axes", line: pd.DataFrame, axis: str, spread: str, **look: Any) -> None:
    if line.empty:
        return
    if line[axis].duplicated().any():
        raise OptionError(f"where: several settings have the same value of {axis!r}")
    ax.errorbar(
        line[axis],
        line["mean"],
        yerr=line[SPREADS[spread]].fillna(0.0),
        markersize=3,
        elinewidth=0.7,
        linewidth=1.1,
        **look,
    )


def _draw_printed(ax: "Axes", points: pd.DataFrame, axis: str, colour: str) -> None:
    ax.plot(
        points[axis],
        points["published"],
        linestyle="none",
        marker="o",
        markersize=6,
        markerfacecolor="none",
        markeredgecolor=colour,
        markeredgewidth=0.8,
    )
