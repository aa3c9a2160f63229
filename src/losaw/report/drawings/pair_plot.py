"""Every feature against every other and the response (Gerstorfer et al., Figure 3)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.drawings.feature_scores import chosen_settings
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, new_figure
from losaw.study.design.grid import Study
from losaw.study.running.recipe import replicate_recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    response: str,
    where: Mapping[str, Any] | None = None,
) -> "Figure":
    """Scatter plots of the first replicate's training sample, histograms on the diagonal.

    Samples are not stored: this one is drawn once more from its stream. Nothing is fitted.

    Parameters
    ----------
    response : str
        How the response is called.
    where : mapping or None
        Axis -> value; the first setting that agrees and was run is drawn.
    """
    setting = chosen_settings(study, results, where)[0]
    recipe = replicate_recipe(study, setting, next(iter(study.learners)), results.folder.parent)
    data = recipe.data(0)
    columns = np.column_stack([data.train.X, data.train.y])
    names = [*data.feature_names, response]
    size = len(names)
    figure = new_figure(1.35 * size, 1.45 * size)
    axes = figure.subplots(size, size, sharex="col", squeeze=False)
    for row in range(size):
        for column in range(size):
            ax = axes[row, column]
            if row == column:
                ax.hist(columns[:, row], bins=20, color=FIRST)
                ax.set_yticks([])
            else:
                ax.plot(
                    columns[:, column],
                    columns[:, row],
                    linestyle="",
                    marker="o",
                    markersize=1.8,
                    markeredgewidth=0,
                    alpha=0.6,
                    color=FIRST,
                )
            if row == size - 1:
                ax.set_xlabel(names[column])
            if column == 0:
                ax.set_ylabel(names[row])
    return figure
