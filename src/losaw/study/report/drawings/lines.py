"""Lines along a numerical axis: metrics, ranks, largest scores and trends."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.report.drawings.panels import (
    COLOURS,
    FEATURE_COLOURS,
    MARKERS,
    Panel,
    Where,
    along,
    chosen_settings,
    describe_panel,
    empty_figure,
    feature_colours,
    legend_below,
    panel_title,
    panels_in_a_row,
    panels_in_rows,
    panels_of,
    rows_where,
    scores_of,
    selected,
    standard_error,
)
from losaw.study.report.options import OptionError, check_names
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FIRST, INK, NOISE, heading, new_figure
from losaw.study.report.typeset import math_label, run_count
from losaw.study.results.lookup import table_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCALES = ("linear", "log", "symlog")
SPREADS = {"error": "mc_se", "deviation": "sd"}
STEP = 1.6  # points between neighbouring methods, so that bars do not hide bars
_FEW_PLACES = 5  # above so many places their labels are turned
_STYLES = ("-", "--", ":")


def metric_lines(
    study: Study,
    results: StudyResults,
    *,
    metric: str,
    axis: str,
    panels: str,
    methods: list[str] | None = None,
    scale: str = "linear",
) -> "Figure":
    """Draw a metric against an axis, a line per method: means and one Monte Carlo standard error.

    (TreeInner, Figures 2, 3 and 6 to 29.)

    Parameters
    ----------
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    methods : list of str or None
        Names of the comparison's columns, in the order of the legend; those without results are
        left out. None: the first one, for a metric that belongs to the model.
    scale : {"linear", "log", "symlog"}, default "linear"
        Of the axis; "symlog" is logarithmic from the smallest positive value on, with room for 0.
    """
    check_names("scale", [scale], SCALES)
    summary = results.summary
    summary = summary[(summary["metric"] == metric) & (summary["n_seeds"] > 0)]
    known = list(dict.fromkeys(summary["method"]))
    # The place in the study's list decides colour and line, so that figures can be compared.
    shown = {n: i for i, n in enumerate(methods or known[:1]) if n in known}
    summary = summary[summary["method"].isin(list(shown))]
    groups = panels_of(study, summary["setting_id"], panels)
    figure, axes, n_columns = panels_in_rows(
        len(groups), 2, height=2.2, margin=0.8, width_of_one=4.5
    )
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        x = dict(zip([s.identifier for s in settings], along(axis, settings), strict=True))
        _draw_methods(ax, study, panel, summary, shown, x)
        _set_scale(ax, scale, list(x.values()))
        ax.set_xlabel(study.show(axis))
    for ax in axes[::n_columns]:
        ax.set_ylabel(study.show(metric))
    if methods:
        legend_below(figure, axes[0], 1 + n_columns)
    return figure


def _draw_methods(
    ax: "Axes",
    study: Study,
    panel: Panel,
    summary: pd.DataFrame,
    shown: dict[str, int],
    x: dict[str, float],
) -> None:
    from matplotlib.transforms import ScaledTranslation

    inches = ax.figure.dpi_scale_trans
    summary = summary[summary["setting_id"].isin(list(x))]
    for place, (method, index) in enumerate(shown.items()):
        aside = (place - (len(shown) - 1) / 2) * STEP / 72
        line = summary[summary["method"] == method]
        drawn = ax.errorbar(
            line["setting_id"].map(x),
            line["mean"],
            yerr=line["mc_se"].fillna(0.0),
            label=study.show(method),
            color=COLOURS[(index // 2) % len(COLOURS)],
            linestyle="-" if index % 2 == 0 else "--",
            marker=MARKERS[index % len(MARKERS)],
            markersize=3.5,
            elinewidth=0.8,
        )
        for artist in drawn.get_children():
            artist.set_transform(ax.transData + ScaledTranslation(aside, 0, inches))
    low, high = ax.get_ylim()
    if low < 0 < high:
        ax.axhline(0, color=INK, linewidth=0.6, zorder=1)
    describe_panel(ax, panel_title(study, panel), summary["n_seeds"])


def _set_scale(ax: "Axes", scale: str, values: list[float]) -> None:
    """Set the scale of the horizontal axis, with a tick at every value."""
    positive = [value for value in values if value > 0]
    if scale == "symlog" and positive:
        ax.set_xscale("symlog", linthresh=min(positive))
        ax.set_xlim(min(values) - 0.4 * min(positive), 2 * max(values))  # the default: decades
    else:
        ax.set_xscale(scale)
    ax.set_xticks(values, [f"{value:g}" for value in values])
    ax.minorticks_off()


def largest_scores(
    study: Study,
    results: StudyResults,
    *,
    importance: str,
    axis: str,
    panels: str,
    scale: str = "linear",
) -> "Figure":
    """Draw means over runs of log10 max_j score_j, with one standard error; points are runs.

    (TreeInner, Figures 1, 5, 10, 15, 20, 25.)

    Parameters
    ----------
    importance : str
        Label of the study, of scores that are not negative.
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    scale : {"linear", "log", "symlog"}, default "linear"
        Of the axis.
    """
    check_names("scale", [scale], SCALES)
    scores = results.scores[results.scores["importance"] == importance]
    groups = panels_of(study, scores["setting_id"], panels)
    figure, axes, n_columns = panels_in_rows(
        len(groups), 2, height=2.1, margin=0.4, width_of_one=4.5, sharey=True
    )
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        x = along(axis, settings)
        means, errors, runs = [], [], []
        for place, setting in zip(x, settings, strict=True):
            rows = scores[scores["setting_id"] == setting.identifier]
            largest = np.stack(rows["scores"].to_list()).max(axis=1)
            logs = np.log10(np.maximum(largest, np.finfo(float).tiny))
            ax.plot(np.full(len(logs), place), logs, ".", color=FIRST, alpha=0.3, markersize=3)
            means.append(logs.mean())
            runs.append(len(logs))
            errors.append(logs.std(ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else 0.0)
        ax.errorbar(x, means, yerr=errors, color=FIRST, marker="o", markersize=3.5)
        _set_scale(ax, scale, x)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, panel_title(study, panel), runs)
    for ax in axes[::n_columns]:
        ax.set_ylabel(f"log10 of the largest\n{study.show(importance)}")
    return figure


def average_ranks(
    study: Study, results: StudyResults, *, learner: str, importance: str, axis: str, panels: str
) -> "Figure":
    """Draw a line per feature: the mean over runs of 1 + the number of features that score higher.

    (UFI, Figures 2, 4, 9 and 11.)

    Parameters
    ----------
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    """
    there = results.scores_of(learner, importance)["setting_id"]
    groups = panels_of(study, there, panels)
    figure, axes = panels_in_a_row(len(groups), height=2.5, margin=0.6, width=2.9, sharey=True)
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        x = along(axis, settings)
        means, runs = [], []
        for setting in settings:
            values, features, _ = scores_of(results, setting, learner, importance)
            ranks = 1 + (values[:, None, :] > values[:, :, None]).sum(axis=2)
            means.append(ranks.mean(axis=0))
            runs.append(len(values))
        for index, feature in enumerate(features):
            line = [mean[index] for mean in means]
            colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
            ax.plot(x, line, label=feature, color=colour, marker=marker, markersize=3.5)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, panel_title(study, panel), runs)
    axes[0].set_ylabel(f"average rank by\n{study.show(importance)}")
    # All ranks that there can be, so that figures of two methods can be compared.
    axes[0].set_ylim(len(features) + 0.2, 0.8)
    axes[0].set_yticks(range(1, len(features) + 1))
    legend_below(figure, axes[0], len(features))
    return figure


def trend_lines(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    axis: str,
    where: Where | None = None,
) -> "Figure":
    """Draw mean scores with 95 % intervals (1.96 Monte Carlo standard errors), a line per feature.

    (Gerstorfer et al., Figures 2 and 5.)

    Parameters
    ----------
    importances : list of str
        Labels of the study, one panel each.
    where : dict or None
        Axis -> value: which settings are drawn.
    """
    settings = sorted(
        chosen_settings(study, results, where), key=lambda setting: float(setting.axes[axis])
    )
    x = along(axis, settings, "where")
    figure, axes, n_columns = panels_in_rows(
        len(importances), 3, height=1.75, margin=0.5, sharex=True
    )
    colours: dict[str, str] = {}
    for ax, importance in zip(axes, importances, strict=True):
        scores = [scores_of(results, setting, learner, importance) for setting in settings]
        _, features, signal = scores[0]
        colours = feature_colours(features, signal)
        mean = np.stack([values.mean(axis=0) for values, _, _ in scores])
        half = 1.96 * np.stack([standard_error(values) for values, _, _ in scores])
        # Noise features first: lines of signal features are on top.
        for column in sorted(range(len(features)), key=lambda c: colours[features[c]] != NOISE):
            colour = colours[features[column]]
            low, high = mean[:, column] - half[:, column], mean[:, column] + half[:, column]
            ax.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, mean[:, column], color=colour, linewidth=1.1)
        ax.axhline(0, color=INK, linewidth=0.5)
        ax.grid()
        heading(ax, study.show(importance))
    for ax in axes[(len(axes) - 1) // n_columns * n_columns :]:
        ax.set_xlabel(study.show(axis))
    _legend_of_features(figure, colours)
    return figure


def _legend_of_features(figure: "Figure", colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    named = {name: colour for name, colour in colours.items() if colour != NOISE}
    if len(named) < len(colours):
        named["noise features"] = NOISE
    handles = [Line2D([], [], color=colour, label=name) for name, colour in named.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6))


def metric_panels(
    study: Study,
    results: StudyResults,
    *,
    panel_metrics: Mapping[str, Sequence[str]],
    axis: str,
    methods: Sequence[str],
    where: Where | None = None,
    spread: str = "error",
    reference: float | None = None,
    printed: str | None = None,
) -> "Figure":
    """Draw a panel per entry of ``panel_metrics``: a colour per method, a line style per metric.

    Where nothing was run, as of most settings below the scale "paper", the figure says so.
    (CPI, Figures 2 to 4 and 7 to 40.)

    Parameters
    ----------
    panel_metrics : dict of str to list of one to three metrics
        Panel's title -> its metrics; solid, dashed and dotted lines.
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
    """
    check_names(
        "methods", methods, {m for metric in study.metrics for m in study.methods_of(metric)}
    )
    for metrics in panel_metrics.values():
        check_names("panel_metrics", metrics, study.metrics, "metric")
    check_names("where", where or {}, study.axes, "axis")
    check_names("spread", [spread], SPREADS)
    check_names("printed", [printed] if printed else [], study.file.tables, "table")
    summary = rows_where(results.summary, where)
    summary = summary[summary["method"].isin(methods) & (summary["n_seeds"] > 0)]
    if summary.empty:
        return empty_figure()
    cells = pd.DataFrame()
    if printed:
        cells = rows_where(results.comparison, where)
        cells = cells[(cells["table"] == table_title(printed)) & cells["published"].notna()]
    places = sorted({*summary[axis], *(cells[axis] if printed else ())})
    figure, axes, n_columns = panels_in_rows(
        len(panel_metrics), 4, height=2.0, margin=1.1, width_of_one=4.5, sharey=True
    )
    for ax, (title, metrics) in zip(axes, panel_metrics.items(), strict=True):
        for index, method in enumerate(methods):
            colour = FEATURE_COLOURS[index % len(FEATURE_COLOURS)]
            marker = MARKERS[index % len(MARKERS)]
            for style, metric in zip(_STYLES, metrics, strict=False):
                line = summary[(summary["metric"] == metric) & (summary["method"] == method)]
                label = study.show(method) if style == _STYLES[0] else None
                look = {"linestyle": style, "color": colour, "marker": marker, "label": label}
                _draw_metric(ax, line.sort_values(axis), axis, spread, **look)
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


def _draw_metric(ax: "Axes", line: pd.DataFrame, axis: str, spread: str, **look: Any) -> None:
    if line.empty:
        return
    if line[axis].duplicated().any():
        raise OptionError(f"where: several settings have the same value of {axis!r}")
    error = line[SPREADS[spread]].fillna(0.0)
    ax.errorbar(
        line[axis], line["mean"], yerr=error, markersize=3, elinewidth=0.7, linewidth=1.1, **look
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


def against_published(
    study: Study,
    results: StudyResults,
    *,
    metrics: list[str],
    along: str,
    panels: str,
    where: Where | None = None,
) -> "Figure":
    """Draw metrics against a number that every run notes; dashed: the published values.

    Parameters
    ----------
    metrics : list of str
        Metrics of the study; a row of panels each.
    along : str
        The metric whose mean is the horizontal axis.
    panels : str
        Axis of the study; a column of panels for each value that was run.
    where : dict or None
        Axis -> values: the settings that are shown.
    """
    check_names("along", [along], study.metrics, "metric")
    settings = selected(study, where)
    summary = results.summary
    shown = summary["setting_id"].isin([setting.identifier for setting in settings])
    summary = summary[shown & (summary["n_seeds"] > 0)]
    groups = panels_of(study, summary["setting_id"], panels)
    places = summary[summary["metric"] == along].groupby("setting_id")["mean"].first()
    printed = rows_where(results.comparison, where)
    printed = printed[printed["published"].notna()]
    figure = new_figure(0.8 + 1.9 * len(metrics))
    axes = figure.subplots(len(metrics), len(groups), squeeze=False, sharex=True, sharey="row")
    for row, metric in zip(axes, metrics, strict=True):
        for ax, (panel, settings) in zip(row, groups.items(), strict=True):
            here = summary["setting_id"].isin([setting.identifier for setting in settings])
            cells = summary[here & (summary["metric"] == metric)]
            of_print = printed[(printed["metric"] == metric) & (printed[panels] == panel[0])]
            for index, method in enumerate(study.methods_of(metric)):
                line = cells[cells["method"] == method]
                line = line.assign(place=line["setting_id"].map(places)).sort_values("place")
                colour, name = COLOURS[index % len(COLOURS)], study.show(method)
                ax.errorbar(
                    line["place"],
                    line["mean"],
                    yerr=line["mc_se"].fillna(0.0),
                    label=name,
                    color=colour,
                    marker=MARKERS[index % len(MARKERS)],
                    markersize=3.5,
                    elinewidth=0.8,
                )
                look = {"color": colour, "linewidth": 0.9, "linestyle": "--"}
                for value in of_print[of_print["method"] == method]["published"].unique():
                    ax.axhline(value, label=f"{name}, published", **look)
            title = f"{study.show(panels)} = {panel_title(study, panel)}"
            describe_panel(ax, title, cells["n_seeds"])
        row[0].set_ylabel(math_label(study.show(metric)))
    for ax in axes[-1]:
        ax.set_xlabel(study.show(along))
    legend_below(figure, axes[0, 0], 4)
    return figure
