"""Boxes, violins and deviations of single runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting
from losaw.study.report.best_methods import finite_values
from losaw.study.report.drawings.panels import (
    COLOURS,
    MARKERS,
    Where,
    describe_panel,
    empty_figure,
    legend_below,
    panel_title,
    panels_in_a_row,
    panels_of,
    scores_of,
    selected,
)
from losaw.study.report.options import OptionError, check_names
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHAPES = ("violins", "deviations")

Runs = list[tuple[float, np.ndarray]]


def score_boxes(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    panels: str,
    line: float = 0.0,
) -> "Figure":
    """Draw a box per feature: the middle half of the runs, whiskers of 1.5 times its length.

    (UFI, Figures 1, 3, 8 and 10; CPI, Figure 1.)

    Parameters
    ----------
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    line : float, default 0
        The score of a feature without importance, drawn as a line.
    """
    there = results.scores_of(learner, importance)["setting_id"]
    groups = panels_of(study, there, panels)
    figure, axes = panels_in_a_row(len(groups), height=2.4, margin=0.6, width=2.9)
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        if len(settings) > 1:
            raise OptionError(f"panels: several settings have the values {panel}")
        values, features, _ = scores_of(results, settings[0], learner, importance)
        ax.axhline(line, color=INK, linewidth=0.6)
        ax.boxplot(
            values,
            tick_labels=features,
            patch_artist=True,
            widths=0.6,
            boxprops={"facecolor": FAINT, "edgecolor": INK, "linewidth": 0.7},
            medianprops={"color": FIRST, "linewidth": 1.2},
            whiskerprops={"linewidth": 0.7},
            capprops={"linewidth": 0.7},
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": INK},
        )
        ax.tick_params(axis="x", length=0)
        describe_panel(ax, panel_title(study, panel), [len(values)])
    axes[0].set_ylabel(study.show(importance))
    return figure


def pooled_runs(
    study: Study,
    results: StudyResults,
    *,
    metric: str,
    axis: str,
    methods: Sequence[str],
    shape: str = "violins",
    panels: Sequence[str] = (),
    where: Where | None = None,
    line: float | None = None,
) -> "Figure":
    """Draw the runs of all settings that share a value of ``axis``, a shape per method and value.

    Where nothing was run, as of most settings below the scale "paper", the figure says so.
    (CPI, Figures 7 and 16.)

    Parameters
    ----------
    methods : list of str
        Names of the comparison's columns; those without results are left out.
    shape : {"violins", "deviations"}, default "violins"
        Violins (a kernel density, cut at the extreme runs) around boxes (the middle half, whiskers
        of at most 1.5 times its length), or means with one standard deviation of a run.
    panels : list of axes
        One panel for each combination of values that was run; none: one panel.
    where : dict or None
        Axis -> values: the settings that are shown.
    line : float or None
        Height of a thin horizontal line, for example of the optimum.
    """
    check_names("methods", methods, study.methods_of(metric))
    check_names("shape", [shape], SHAPES)
    chosen = [setting.identifier for setting in selected(study, where)]
    values = finite_values(study, metric, results.results)
    values = values[values["setting_id"].isin(chosen) & values["method"].isin(methods)]
    if values.empty:
        return empty_figure()
    groups = panels_of(study, values["setting_id"], panels)
    figure, axes = panels_in_a_row(len(groups), height=2.9, margin=1.0, width=3.2)
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        counts = _draw_panel(ax, study, values, settings, axis, methods, shape)
        if line is not None:
            ax.axhline(line, color=INK, linewidth=0.6)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, panel_title(study, panel), counts)
    axes[0].set_ylabel(study.show(metric))
    legend_below(figure, axes[0], 4)
    return figure


def _draw_panel(
    ax: "Axes",
    study: Study,
    values: pd.DataFrame,
    settings: Sequence[Setting],
    axis: str,
    methods: Sequence[str],
    shape: str,
) -> list[int]:
    """Draw all methods, side by side at each value of the axis; the runs behind each shape."""
    place_of = {setting.identifier: float(setting.axes[axis]) for setting in settings}
    places = sorted(set(place_of.values()))
    of_panel = values[values["setting_id"].isin(list(place_of))]
    place = of_panel["setting_id"].map(place_of)
    shown = [method for method in methods if (of_panel["method"] == method).any()]
    width = 0.8 / len(shown)
    counts: list[int] = []
    for index, method in enumerate(shown):
        of_method = of_panel["method"] == method
        runs = [of_panel["value"][of_method & (place == x)].to_numpy() for x in places]
        shift = (index - (len(shown) - 1) / 2) * width
        known = [(number + shift, values) for number, values in enumerate(runs) if len(values)]
        colour = COLOURS[methods.index(method) % len(COLOURS)]
        counts += [len(values) for _, values in known]
        if shape == "violins":
            _violins(ax, known, 0.9 * width, colour)
            ax.plot([], [], color=colour, linewidth=5, alpha=0.5, label=study.show(method))
        else:
            ax.errorbar(
                [x for x, _ in known],
                [values.mean() for _, values in known],
                yerr=[values.std(ddof=1) if len(values) > 1 else 0.0 for _, values in known],
                color=colour,
                marker=MARKERS[methods.index(method) % len(MARKERS)],
                markersize=3,
                linewidth=1.1,
                elinewidth=0.7,
                label=study.show(method),
            )
    ax.set_xticks(range(len(places)), [f"{x:g}" for x in places])
    return counts


def _violins(ax: "Axes", known: Runs, width: float, colour: str) -> None:
    varying = [(x, values) for x, values in known if np.ptp(values) > 0]
    if varying:
        parts = ax.violinplot(
            [values for _, values in varying],
            positions=[x for x, _ in varying],
            widths=width,
            showextrema=False,
        )
        for body in parts["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=colour, alpha=0.5)
    ax.boxplot(
        [values for _, values in known],
        positions=[x for x, _ in known],
        widths=width / 3,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": FAINT, "edgecolor": INK, "linewidth": 0.6},
        medianprops={"color": INK, "linewidth": 1.0},
        whiskerprops={"linewidth": 0.6},
        showcaps=False,
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": colour},
    )
