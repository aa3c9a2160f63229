"""Boxes of single runs: the middle half, whiskers of at most 1.5 times its length."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.study.report.best_methods import finite_values
from losaw.study.report.drawings.panels import (
    COLOURS,
    Where,
    describe_panel,
    empty_figure,
    legend_below,
    only,
    panels_in_rows,
    panels_of,
    places_of,
    run_scores,
)
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK
from losaw.study.request.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def score_boxes(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    panels: str | Sequence[str],
    line: float = 0.0,
) -> "Figure":
    """Draw a box per feature: its scores in all runs.

    (UFI, Figures 1, 3, 8 and 10; CPI, Figure 1.)

    Parameters
    ----------
    line : float, default 0
        The score of a feature without importance, drawn as a line.
    """
    identifiers = results.scores_of(learner, importance)["setting_id"]
    groups = panels_of(study, identifiers, panels, None)
    if not groups:
        return empty_figure()
    figure, axes, _ = panels_in_rows(len(groups), 2, 2.2, study.show(importance))
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        values, features, _ = run_scores(results, only(settings), learner, importance)
        ax.axhline(line, color=INK, linewidth=0.6)
        _boxes(ax, list(values.T), np.arange(len(features)), 0.6, FAINT)
        ax.set_xticks(range(len(features)), features)
        ax.tick_params(axis="x", length=0)
        describe_panel(ax, [panel], [len(values)])
    return figure


def pooled_runs(
    study: Study,
    results: StudyResults,
    *,
    metric: str,
    axis: str,
    methods: Sequence[str],
    panels: str | Sequence[str] = (),
    where: Where | None = None,
    line: float | None = None,
) -> "Figure":
    """Draw a box per method and value of ``axis``: the runs of all settings that share the value.

    (CPI, Figures 7 and 16.)

    Parameters
    ----------
    line : float or None
        Height of a thin horizontal line, for example of the optimum.
    """
    values = finite_values(study, metric, results.results)
    values = values[values["method"].isin(methods)]
    groups = panels_of(study, values["setting_id"], panels, where)
    if not groups:
        return empty_figure()
    figure, axes, _ = panels_in_rows(len(groups), 2, 2.6, study.show(metric))
    shown = [method for method in methods if (values["method"] == method).any()]
    width = 0.8 / len(shown)
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        number = values["setting_id"].map(places_of(settings, axis, {}, distinct=False))
        places = sorted(number.dropna().unique())
        counts: list[int] = []
        for index, method in enumerate(shown):
            is_of_method = values["method"] == method
            runs = [values["value"][is_of_method & (number == x)].to_numpy() for x in places]
            counts += [len(of_place) for of_place in runs if len(of_place)]
            shift = (index - (len(shown) - 1) / 2) * width
            colour = COLOURS[index % len(COLOURS)]
            _boxes(ax, runs, np.arange(len(places)) + shift, 0.9 * width, colour)
            ax.plot([], [], color=colour, linewidth=5, alpha=0.5, label=study.show(method))
        if line is not None:
            ax.axhline(line, color=INK, linewidth=0.6)
        ax.set_xticks(range(len(places)), [f"{x:g}" for x in places])
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, [panel], counts)
    legend_below(figure, axes, 4)
    return figure


def _boxes(ax: "Axes", values: list[Any], places: Any, width: float, colour: str) -> None:
    thin = {"linewidth": 0.7}
    ax.boxplot(
        values,
        positions=places,
        widths=width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "edgecolor": INK, "alpha": 0.6, **thin},
        medianprops={"color": FIRST if colour == FAINT else INK, "linewidth": 1.2},
        whiskerprops=thin,
        capprops=thin,
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": INK},
    )
