"""Values of all runs of several settings together, against an axis (CPI, Figures 7 and 16)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.report.best_methods import finite_values
from losaw.report.drawings.panels import (
    COLOURS,
    MARKERS,
    describe_panel,
    empty_figure,
    legend_below,
    panel_title,
    panels_of,
    selected,
)
from losaw.report.options import check_names
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, INK, TEXT_WIDTH, new_figure
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHAPES = ("violins", "deviations")


def draw(
    study: Study,
    results: StudyResults,
    *,
    metric: str,
    axis: str,
    methods: Sequence[str],
    shape: str = "violins",
    panels: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    line: float | None = None,
) -> "Figure":
    """One shape per method and value of ``axis``, over the runs of all settings that share it.

    Parameters
    ----------
    metric : str
    axis : str
        Numerical axis of the study.
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

    Raises
    ------
    OptionError
        For an unknown name.

    Notes
    -----
    Where nothing was run, as of most settings below the scale "paper", the figure contains a note.
    """
    check_names("methods", methods, study.methods_of(metric))
    check_names("shape", [shape], SHAPES)
    chosen = [setting.identifier for setting in selected(study, where)]
    values = finite_values(study, metric, results.results)
    values = values[values["setting_id"].isin(chosen) & values["method"].isin(methods)]
    if values.empty:
        return empty_figure()
    groups = panels_of(study, values["setting_id"], panels)
    figure = new_figure(2.9, min(TEXT_WIDTH, 1.0 + 3.2 * len(groups)))
    axes = figure.subplots(1, len(groups), squeeze=False)[0]
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
    places = sorted({float(setting.axes[axis]) for setting in settings})
    place_of = {setting.identifier: float(setting.axes[axis]) for setting in settings}
    of_panel = values[values["setting_id"].isin(list(place_of))]
    along = of_panel["setting_id"].map(place_of)
    shown = [method for method in methods if (of_panel["method"] == method).any()]
    width = 0.8 / len(shown)
    counts: list[int] = []
    for index, method in enumerate(shown):
        runs = [
            of_panel["value"][(of_panel["method"] == method) & (along == place)].to_numpy()
            for place in places
        ]
        shift = (index - (len(shown) - 1) / 2) * width
        known = [(number + shift, values) for number, values in enumerate(runs) if len(values)]
        colour = COLOURS[methods.index(method) % len(COLOURS)]
        marker = MARKERS[methods.index(method) % len(MARKERS)]
        counts += [len(values) for _, values in known]
        if shape == "violins":
            _violins(ax, known, 0.9 * width, colour)
            ax.plot([], [], color=colour, linewidth=5, alpha=0.5, label=study.show(method))
        else:
            _deviations(ax, known, colour, marker, study.show(method))
    ax.set_xticks(range(len(places)), [f"{place:g}" for place in places])
    return counts


def _violins(
    ax: "Axes", known: Sequence[tuple[float, np.ndarray]], width: float, colour: str
) -> None:
    varying = [(place, values) for place, values in known if np.ptp(values) > 0]
    if varying:
        parts = ax.violinplot(
            [values for _, values in varying],
            positions=[place for place, _ in varying],
            widths=width,
            showextrema=False,
        )
        for body in parts["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=colour, alpha=0.5)
    ax.boxplot(
        [values for _, values in known],
        positions=[place for place, _ in known],
        widths=width / 3,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": FAINT, "edgecolor": INK, "linewidth": 0.6},
        medianprops={"color": INK, "linewidth": 1.0},
        whiskerprops={"linewidth": 0.6},
        showcaps=False,
        flierprops={"marker": ".", "markersize": 2, "markeredgecolor": colour},
    )


def _deviations(
    ax: "Axes", known: Sequence[tuple[float, np.ndarray]], colour: str, marker: str, label: str
) -> None:
    ax.errorbar(
        [place for place, _ in known],
        [values.mean() for _, values in known],
        yerr=[values.std(ddof=1) if len(values) > 1 else 0.0 for _, values in known],
        color=colour,
        marker=marker,
        markersize=3,
        linewidth=1.1,
        elinewidth=0.7,
        label=label,
    )
