"""Scores of all features in one replicate, a panel per learner (losaw, Section 5.3)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.drawings.one_replicate import chosen_setting, scores_of_fit, signal_mask
from losaw.report.drawings.panels import empty_figure, signal_legend
from losaw.report.options import check_names, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import INK, NOISE, SIGNAL, heading, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learners: Sequence[str],
    importance: str,
    where: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> "Figure":
    """A stem per feature; a dashed line at the highest noise feature, which shows the gap.

    Parameters
    ----------
    learners : list of str
        Labels of the study; one panel each, for those that were run.
    importance : str
        Label of the study.
    where : dict or None
        Axis -> values: the first such setting that was run is shown.
    seed : int, default 0
        The replicate.

    Raises
    ------
    OptionError
        If a learner or an axis is unknown.

    Notes
    -----
    Where the replicate was not run, the figure contains a note.
    """
    check_names("learners", learners, study.learners)
    setting = chosen_setting(study, results, where or {}, whole_number("seed", seed, 0))
    if setting is None:
        return empty_figure("this replicate was not run")
    stored = {name: scores_of_fit(results, setting, name, importance, seed) for name in learners}
    fits = {name: row for name, row in stored.items() if row is not None}
    if not fits:
        return empty_figure("this replicate was not run")
    figure = new_figure(0.7 + 1.3 * len(fits))
    axes = figure.subplots(len(fits), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for ax, (learner, row) in zip(axes, fits.items(), strict=True):
        scores, signal = np.array(row["scores"]), signal_mask(row)
        for mask, colour, width in ((~signal, NOISE, 0.5), (signal, SIGNAL, 1.4)):
            ax.vlines(np.flatnonzero(mask), 0, scores[mask], color=colour, linewidth=width)
        ax.plot(np.flatnonzero(signal), scores[signal], "o", color=SIGNAL, markersize=3.5)
        ax.axhline(scores[~signal].max(), color=INK, linewidth=0.7, linestyle="--")
        ax.set_ylim(0, None)
        ax.set_ylabel(study.show(importance))
        heading(ax, study.show(learner))
    axes[-1].set_xlabel(f"feature, counted from 0 ({describe(study, setting.axes)}, seed {seed})")
    signal_legend(figure)
    return figure


def describe(study: Study, axes: Mapping[str, Any]) -> str:
    """``P = 100, f10``: a setting in words; names are shown alone."""
    return ", ".join(
        str(value) if isinstance(value, str) else f"{study.show(axis)} = {value:g}"
        for axis, value in axes.items()
    )
