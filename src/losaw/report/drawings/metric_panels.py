"""Several metrics of several methods along an axis, a panel each (CPI, Figures 2 to 4, 7 to 40)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from losaw.report.drawings.feature_scores import COLOURS
from losaw.report.drawings.panels import MARKERS, axes_in_rows, empty_figure, legend_below
from losaw.report.options import OptionError, check_names
from losaw.report.results import StudyResults
from losaw.report.style import INK, TEXT_WIDTH, heading, new_figure
from losaw.report.typeset import run_count
from losaw.study.design.grid import Study
from losaw.study.design.settings import as_values
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
    summary = _rows(results.summary, where or {})
    summary = summary[summary["method"].isin(methods) & (summary["n_seeds"] > 0)]
    if summary.empty:
        return empty_figure()
    cells = pd.DataFrame()
    if printed:
        check_names("printed", [printed], study.file.tables, "table")
        cells = _rows(results.comparison, where or {})
        cells = cells[(cells["table"] == table_title(printed)) & cells["published"].notna()]
    places = sorted({*summary[axis], *(cells[axis] if printed else ())})
    n_columns = min(4, len(panel_metrics))
    n_rows = -(-len(panel_metrics) // n_columns)
    figure = new_figure(1.1 + 2.0 * n_rows, TEXT_WIDTH if n_columns > 1 else 4.5)
    axes = axes_in_rows(figure, len(panel_metrics), n_columns, sharey=True)
    for ax, (title, metrics) in zip(axes, panel_metrics.items(), strict=True):
        for index, method in enumerate(methods):
            for style, metric in zip(_STYLES, metrics, strict=False):
                label = study.show(method) if style == _STYLES[0] else None
                _draw_line(ax, summary, metric, method, axis, index, style, label, spread)
                if printed:
                    _draw_printed(ax, cells, metric, method, axis, index)
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


def _draw_line(
    ax: "Axes",
    summary: pd.DataFrame,
    metric: str,
    method: str,
    axis: str,
    index: int,
    style: str,
    label: str | None,
    spread: str,
) -> None:
    line = summary[(summary["metric"] == metric) & (summary["method"] == method)]
    line = line.sort_values(axis)
    if line.empty:
        return
    if line[axis].duplicated().any():
        raise OptionError(f"where: several settings have the same value of {axis!r}")
    ax.errorbar(
        line[axis],
        line["mean"],
        yerr=line[SPREADS[spread]].fillna(0.0),
        label=label,
        color=COLOURS[index % len(COLOURS)],
        linestyle=style,
        marker=MARKERS[index % len(MARKERS)],
        markersize=3,
        elinewidth=0.7,
        linewidth=1.1,
    )


def _draw_printed(
    ax: "Axes", cells: pd.DataFrame, metric: str, method: str, axis: str, index: int
) -> None:
    points = cells[(cells["metric"] == metric) & (cells["method"] == method)]
    colour = COLOURS[index % len(COLOURS)]
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


def _rows(frame: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    for axis, values in where.items():
        frame = frame[frame[axis].astype(str).isin([str(value) for value in as_values(values)])]
    return frame
