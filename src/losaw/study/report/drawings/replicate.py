"""One Monte Carlo replicate: its scores, and its sample."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.study.block.replicate import ingredients_in
from losaw.study.report.drawings.panels import Where, colour_legend, empty_figure, selected
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FIRST, INK, NOISE, SIGNAL, new_figure
from losaw.study.report.tables import in_words
from losaw.study.request.grid import Study
from losaw.study.request.settings import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEED = 0
NOT_RUN = "this replicate was not run"


def scores_by_feature(
    study: Study,
    results: StudyResults,
    *,
    learners: list[str],
    importance: str,
    where: Where | None = None,
) -> "Figure":
    """Draw a stem per feature; a dashed line at the highest noise feature shows the gap.

    The first replicate is shown; where it was not run, the figure says so. (losaw, Section 5.3.)

    Parameters
    ----------
    learners : list of str
        Labels of the study; one panel each, for those that were run.
    where : dict or None
        Axis -> values: the first such setting that was run is shown.
    """
    setting = _setting(study, results, where)
    stored = results.scores_of(None, importance)
    stored = stored[stored["seed"] == SEED]
    of_setting = stored[stored["setting_id"] == (setting.identifier if setting else "")]
    of_learner = {row["learner"]: row for row in of_setting.to_dict("records")}
    fits = {name: of_learner[name] for name in learners if name in of_learner}
    if setting is None or not fits:
        return empty_figure(NOT_RUN)
    figure = new_figure(0.7 + 1.3 * len(fits))
    axes = figure.subplots(len(fits), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    lowest = min(0.0, *(np.min(row["scores"]) for row in fits.values()))
    kinds = {}
    for ax, (learner, row) in zip(axes, fits.items(), strict=True):
        scores = np.array(row["scores"])
        signal = np.isin(np.arange(len(scores)), row["signal"])
        for mask, colour, width in ((~signal, NOISE, 0.5), (signal, SIGNAL, 1.4)):
            ax.vlines(np.flatnonzero(mask), 0, scores[mask], color=colour, linewidth=width)
        ax.plot(np.flatnonzero(signal), scores[signal], "o", color=SIGNAL, markersize=3.5)
        if signal.any() and not signal.all():
            ax.axhline(scores[~signal].max(), color=INK, linewidth=0.7, linestyle="--")
            kinds = {"signal feature": SIGNAL, "noise feature": NOISE}
        ax.set(title=study.show(learner), ylabel=study.show(importance))
    # Once all panels are drawn: a limit that is set ends the search for the other one.
    axes[0].set_ylim(bottom=lowest)
    axes[0].xaxis.get_major_locator().set_params(integer=True)
    values = ", ".join(in_words(study.show, *pair) for pair in setting.axes.items())
    axes[-1].set_xlabel(f"feature, counted from 0 ({values}, seed {SEED})")
    colour_legend(figure, kinds)
    return figure


def pair_plot(study: Study, results: StudyResults, *, response: str) -> "Figure":
    """Draw every feature against every other and the response, histograms on the diagonal.

    The training sample of the first replicate of the first setting that was run. Samples are not
    stored: it is drawn once more from its stream. (Gerstorfer et al., Figure 3.)

    Parameters
    ----------
    response : str
        The name of the response.
    """
    setting = _setting(study, results, None)
    if setting is None:
        return empty_figure(NOT_RUN)
    ingredients = ingredients_in(study, setting, next(iter(study.learners)))
    data = ingredients.data(SEED)
    frame = pd.DataFrame(data.train.X, columns=list(data.feature_names))
    frame[response] = data.train.y
    size = frame.shape[1]
    figure = new_figure(1.35 * size, 1.45 * size)
    look: dict[str, Any] = {"marker": "o", "s": 5, "alpha": 0.6, "color": FIRST}
    pd.plotting.scatter_matrix(
        frame, ax=figure.subplots(size, size), hist_kwds={"bins": 20, "color": FIRST}, **look
    )
    return figure


def _setting(study: Study, results: StudyResults, where: Where | None) -> Setting | None:
    """Return the first setting that ``where`` selects and whose replicate has scores, or None."""
    settings, scores = selected(study, where), results.scores
    was_run = set(scores["setting_id"][scores["seed"] == SEED])
    return next((setting for setting in settings if setting.identifier in was_run), None)
