"""Mean importances of every feature, one panel per value of an axis (losaw, Figure 1)."""

from typing import TYPE_CHECKING

from losaw.report.drawings.feature_scores import scores_of, standard_error
from losaw.report.drawings.panels import signal_legend, titles_of
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import INK, NOISE, SIGNAL, TEXT_WIDTH, heading, new_figure
from losaw.report.typeset import math_label, run_count
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NAMES = 12  # of more features only the signals have room for their names


def draw(
    study: Study, results: StudyResults, *, learner: str, importance: str, panels: str
) -> "Figure":
    """Bars of the mean score per feature, signal and noise distinguished by colour.

    The error bars are 95 % intervals of the mean: 1.96 Monte Carlo standard errors. Of more than
    12 features only the signals are named.

    Parameters
    ----------
    learner, importance : str
        Labels of the study.
    panels : str
        Axis of the study; one panel for each of its values that was run.

    Raises
    ------
    OptionError
        If a panel would mix several settings, or no score is there.
    """
    scores = results.scores_of(learner, importance)
    settings = [s for s in study.settings if s.identifier in set(scores["setting_id"])]
    if not settings:
        raise OptionError(f"there are no {importance!r} scores of learner {learner!r} to draw")
    titles = titles_of(study, settings, panels)
    figure = new_figure(2.2, min(TEXT_WIDTH, 0.6 + 2.15 * len(settings)))
    axes = figure.subplots(1, len(settings), sharey=True, squeeze=False)[0]
    for ax, setting, title in zip(axes, settings, titles, strict=True):
        values, names, signal = scores_of(results, setting, learner, importance)
        features = [math_label(name) for name in names]
        colours = [SIGNAL if index in signal else NOISE for index in range(len(features))]
        ax.bar(
            features,
            values.mean(axis=0),
            yerr=1.96 * standard_error(values) if len(values) > 1 else None,
            color=colours,
            width=0.72,
            error_kw={"elinewidth": 1.0, "ecolor": INK, "capsize": 2.5},
        )
        ax.grid(axis="y")
        ax.tick_params(axis="x", length=0)
        if len(features) > MOST_NAMES:
            named = sorted(signal)
            ax.set_xticks(named, [features[index] for index in named], rotation=90)
        heading(ax, title)
    counts = scores.groupby("setting_id").size()
    axes[0].set_ylabel(f"mean {study.show(importance)}, {run_count(counts)}")
    axes[0].set_ylim(bottom=0)
    signal_legend(figure)
    return figure
