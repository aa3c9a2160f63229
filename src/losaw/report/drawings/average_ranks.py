"""Average rank of every feature against a numerical axis (UFI, Figures 2, 4, 9 and 11)."""

from typing import TYPE_CHECKING

from losaw.report.drawings.feature_scores import scores_of
from losaw.report.drawings.panels import (
    COLOURS,
    MARKERS,
    along,
    describe_panel,
    legend_below,
    panel_title,
    panels_of,
)
from losaw.report.results import StudyResults
from losaw.report.style import TEXT_WIDTH, new_figure
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
    there = results.scores_of(learner, importance)["setting_id"]
    groups = panels_of(study, there, panels)
    figure = new_figure(2.5, min(TEXT_WIDTH, 0.6 + 2.9 * len(groups)))
    axes = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
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
            style = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % 10]}
            ax.plot(x, line, label=feature, markersize=3.5, **style)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, panel_title(study, panel), runs)
    axes[0].set_ylabel(f"average rank by\n{study.show(importance)}")
    # All ranks that there can be, so that figures of two methods can be compared.
    axes[0].set_ylim(len(features) + 0.2, 0.8)
    axes[0].set_yticks(range(1, len(features) + 1))
    legend_below(figure, axes[0], len(features))
    return figure
