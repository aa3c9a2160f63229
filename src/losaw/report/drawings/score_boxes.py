"""Box plots of the scores of every feature over the runs (UFI, Figures 1, 3, 8 and 10)."""

from typing import TYPE_CHECKING

from losaw.report.drawings.feature_scores import scores_of
from losaw.report.drawings.panels import describe_panel, panel_title, panels_of
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, TEXT_WIDTH, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    panels: str,
    line: float = 0.0,
) -> "Figure":
    """Boxes hold the middle half of the runs, whiskers reach 1.5 times its length.

    Parameters
    ----------
    learner, importance : str
        Labels of the study.
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    line : float, default 0
        The score of a feature without importance, drawn as a line.

    Raises
    ------
    OptionError
        If a panel would mix several settings, or no score is there.
    """
    there = results.scores_of(learner, importance)["setting_id"]
    groups = panels_of(study, there, panels)
    figure = new_figure(2.4, min(TEXT_WIDTH, 0.6 + 2.9 * len(groups)))
    axes = figure.subplots(1, len(groups), squeeze=False)[0]
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
