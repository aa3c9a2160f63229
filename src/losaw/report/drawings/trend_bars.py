"""Trends of every feature, one panel per estimator (Gerstorfer et al., Figures 4 and 6)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from losaw.report.drawings.feature_scores import chosen_settings, scores_of
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, INK, SECOND, heading, new_figure
from losaw.report.typeset import run_count
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    where: Mapping[str, Any] | None = None,
) -> "Figure":
    """Horizontal bars of the mean estimate, with one standard deviation over runs to both sides.

    Rising trends are blue, falling ones red.

    Parameters
    ----------
    learner : str
        Label of the study.
    importances : list of str
        Labels of the study, one panel each.
    where : mapping or None
        Axis -> value: which setting is drawn.

    Raises
    ------
    OptionError
        If several settings are left, or scores are missing.
    """
    settings = chosen_settings(study, results, where)
    if len(settings) > 1:
        raise OptionError(f"where: {len(settings)} settings are left, a panel shows one")
    scores = [scores_of(results, settings[0], learner, importance) for importance in importances]
    n_features = scores[0][0].shape[1]
    figure = new_figure(0.19 * n_features + 0.9)
    axes = figure.subplots(1, len(importances), sharey=True, squeeze=False)[0]
    for ax, importance, (values, features, _) in zip(axes, importances, scores, strict=True):
        mean = values.mean(axis=0)
        deviation = values.std(axis=0, ddof=1) if len(values) > 1 else None
        ax.barh(
            features,
            mean,
            xerr=deviation,
            color=[SECOND if value < 0 else FIRST for value in mean],
            height=0.7,
            error_kw={"elinewidth": 0.9, "ecolor": INK, "capsize": 1.5},
        )
        ax.axvline(0, color=INK, linewidth=0.6)
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.locator_params(axis="x", nbins=3)
        heading(ax, study.show(importance))
    axes[0].invert_yaxis()
    figure.supxlabel(
        f"mean and standard deviation over {run_count([len(scores[0][0])])}", fontsize=7.5
    )
    return figure
