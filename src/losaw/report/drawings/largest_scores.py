"""Largest score of every run against a numerical axis (TreeInner, Figures 1, 5, 10, 15, 20, 25)."""

from typing import TYPE_CHECKING

import numpy as np

from losaw.report.drawings.metric_lines import SCALES, set_scale
from losaw.report.drawings.panels import (
    along,
    describe_panel,
    panel_title,
    panels_in_rows,
    panels_of,
)
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FIRST
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
        set_scale(ax, scale, x)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, panel_title(study, panel), runs)
    for ax in axes[::n_columns]:
        ax.set_ylabel(f"log10 of the largest\n{study.show(importance)}")
    return figure
