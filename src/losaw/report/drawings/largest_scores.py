"""Largest score of every run against a numerical axis (TreeInner, Figures 1, 5, 10, 15, 20, 25)."""

from typing import TYPE_CHECKING

import numpy as np

from losaw.report.drawings.metric_lines import SCALES, set_scale
from losaw.report.drawings.panels import along, axes_in_rows, note_runs, panel_title, panels_of
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, TEXT_WIDTH, heading, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    importance: str,
    axis: str,
    panels: str,
    scale: str = "linear",
) -> "Figure":
    """Mean over runs of log10 max_j score_j, with bars of one standard error; points are runs.

    Parameters
    ----------
    importance : str
        Label of the study, of scores that are not negative.
    axis : str
        Numerical axis of the study.
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    scale : {"linear", "log", "symlog"}, default "linear"
        Of the axis.

    Raises
    ------
    OptionError
        As :func:`losaw.report.drawings.metric_lines.draw`.
    """
    if scale not in SCALES:
        raise OptionError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
    scores = results.scores[results.scores["importance"] == importance]
    groups = panels_of(study, scores["setting_id"], panels)
    n_columns = 2 if len(groups) > 1 else 1
    n_rows = -(-len(groups) // n_columns)
    figure = new_figure(0.4 + 2.1 * n_rows, TEXT_WIDTH if n_columns == 2 else 4.5)
    axes = axes_in_rows(figure, len(groups), n_columns, sharey=True)
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
        set_scale(ax, scale, x)
        ax.grid(axis="y")
        ax.set_xlabel(study.show(axis))
        heading(ax, panel_title(study, panel))
        note_runs(ax, runs)
    for ax in axes[::n_columns]:
        ax.set_ylabel(f"log10 of the largest\n{study.show(importance)}")
    return figure
