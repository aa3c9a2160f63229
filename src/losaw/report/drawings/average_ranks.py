"""Average rank of every feature against a numerical axis (UFI, Figures 2, 4, 9 and 11)."""

from typing import TYPE_CHECKING

import numpy as np

from losaw.report.drawings.panels import (
    COLOURS,
    MARKERS,
    along,
    legend_below,
    note_runs,
    panel_title,
    panels_of,
)
from losaw.report.results import StudyResults
from losaw.report.style import TEXT_WIDTH, heading, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study, results: StudyResults, *, learner: str, importance: str, axis: str, panels: str
) -> "Figure":
    """One line per feature: the mean over runs of 1 + the number of features that score higher.

    Parameters
    ----------
    learner, importance : str
        Labels of the study.
    axis : str
        Numerical axis of the study.
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.

    Raises
    ------
    OptionError
        If the settings of a panel are not along the axis, or no score is there.
    """
    scores = results.scores_of(learner, importance)
    groups = panels_of(study, scores["setting_id"], panels)
    figure = new_figure(2.5, min(TEXT_WIDTH, 0.6 + 2.9 * len(groups)))
    axes = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        x = along(axis, settings)
        means, runs, features = [], [], []
        for setting in settings:
            rows = scores[scores["setting_id"] == setting.identifier]
            values = np.stack(rows["scores"].to_list())
            ranks = 1 + (values[:, None, :] > values[:, :, None]).sum(axis=2)
            means.append(ranks.mean(axis=0))
            runs.append(len(values))
            features = list(rows["features"].iloc[0])
        for index, feature in enumerate(features):
            line = [mean[index] for mean in means]
            style = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % 10]}
            ax.plot(x, line, label=feature, markersize=3.5, **style)
        ax.grid(axis="y")
        ax.set_xlabel(study.show(axis))
        heading(ax, panel_title(study, panel))
        note_runs(ax, runs)
    axes[0].set_ylabel(f"average rank by\n{study.show(importance)}")
    # All ranks that there can be, so that figures of two methods can be compared.
    axes[0].set_ylim(len(features) + 0.2, 0.8)
    axes[0].set_yticks(range(1, len(features) + 1))
    legend_below(figure, axes[0], len(features))
    return figure
