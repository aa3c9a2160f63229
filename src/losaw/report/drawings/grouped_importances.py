"""Several importances next to each other, feature by feature (Gerstorfer et al., Figures 7, 8)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.drawings.feature_scores import COLOURS, chosen_settings, scores_of
from losaw.report.drawings.panels import describe_panel, titles_of
from losaw.report.results import StudyResults
from losaw.report.style import INK, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    panels: str | list[str],
    where: Mapping[str, Any] | None = None,
) -> "Figure":
    """Bars of the mean share of every feature, one standard deviation over runs to both sides.

    A run's scores are divided by the sum of their absolute values, so that importances can be
    compared.

    Parameters
    ----------
    learner : str
        Label of the study.
    importances : list of str
        Labels of the study, one colour each.
    panels : str or list of str
        Axes of the study; one panel for each of their values that was run with the learner.
    where : mapping or None
        Axis -> value: which settings are drawn.

    Raises
    ------
    OptionError
        If a panel would show several settings, or scores are missing.
    """
    run = set(results.scores.loc[results.scores["learner"] == learner, "setting_id"])
    settings = [s for s in chosen_settings(study, results, where) if s.identifier in run]
    titles = titles_of(study, settings, panels)
    scores = [[scores_of(results, s, learner, name) for name in importances] for s in settings]
    widths = [len(panel[0][1]) for panel in scores]
    figure = new_figure(2.9)
    axes = figure.subplots(1, len(settings), sharey=True, squeeze=False, width_ratios=widths)[0]
    thickness = 0.84 / len(importances)
    for ax, title, panel in zip(axes, titles, scores, strict=True):
        features = panel[0][1]
        for rank, (name, (values, _, _)) in enumerate(zip(importances, panel, strict=True)):
            total = np.abs(values).sum(axis=1, keepdims=True)
            shares = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
            ax.bar(
                np.arange(len(features)) + (rank - (len(importances) - 1) / 2) * thickness,
                shares.mean(axis=0),
                thickness,
                yerr=shares.std(axis=0, ddof=1) if len(shares) > 1 else None,
                color=COLOURS[rank % len(COLOURS)],
                label=study.show(name) if ax is axes[0] else None,
                error_kw={"elinewidth": 0.8, "ecolor": INK, "capsize": 1.2},
            )
        slanted = sum(map(len, features)) > 40
        ax.set_xticks(
            range(len(features)),
            features,
            rotation=30 if slanted else 0,
            ha="right" if slanted else "center",
        )
        ax.tick_params(axis="x", length=0)
        describe_panel(ax, title, [len(values) for values, _, _ in panel])
    axes[0].set_ylabel("share of importance")
    figure.legend(loc="outside lower center", ncols=min(len(importances), 6))
    return figure
