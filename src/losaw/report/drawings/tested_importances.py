"""Scores of named features, a panel per importance on its own scale (CPI, Figures 5 and 41)."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from losaw.report.drawings.feature_scores import chosen_settings, scores_of
from losaw.report.drawings.panels import empty_figure, note_runs, panels_in_rows
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, NOISE, heading
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_COLUMNS = 3


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    alpha: float = 0.05,
) -> "Figure":
    """Bars of the mean score, with one standard deviation of single runs.

    A bar is blue if the importance rejects, p <= ``alpha``, in at least half of the runs, pale if
    it tests and does not reject, and grey if it has no test. The numbers at the bars of a test
    are the shares of runs that reject.

    Parameters
    ----------
    learner : str
        Label of the study.
    importances : list of str
        Labels of the study, one panel each, for those that were run.
    alpha : float, default 0.05

    Raises
    ------
    OptionError
        If nothing was run, or several settings were.

    Notes
    -----
    Where the learner was not run, the figure contains a note.
    """
    from matplotlib.patches import Patch

    settings = chosen_settings(study, results, None)
    if len(settings) > 1:
        raise OptionError("the study has several settings; these panels show one")
    scores = results.scores[results.scores["learner"] == learner]
    there = [name for name in importances if (scores["importance"] == name).any()]
    if not there:
        return empty_figure("this learner was not run")
    figure, axes, _ = panels_in_rows(len(there), N_COLUMNS, height=2.1, margin=0.5, sharey=True)
    for ax, name in zip(axes, there, strict=True):
        values, features, _ = scores_of(results, settings[0], learner, name)
        rejected = _share_rejected(scores[scores["importance"] == name], alpha)
        places = np.arange(len(features))
        means = values.mean(axis=0)
        ax.barh(
            places,
            means,
            xerr=values.std(axis=0, ddof=1) if len(values) > 1 else None,
            color=NOISE if rejected is None else _by_rejection(rejected),
            edgecolor=INK,
            linewidth=0.5,
            error_kw={"elinewidth": 0.8, "ecolor": INK},
        )
        if rejected is not None:
            for place, share in zip(places, rejected, strict=True):
                ax.annotate(
                    f"{share:.0%}",
                    (1.0, place),
                    xycoords=("axes fraction", "data"),
                    ha="right",
                    va="center",
                    fontsize=7,
                    color=INK,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8},
                )
            ax.margins(x=0.22)
        ax.axvline(0, color=INK, linewidth=0.6)
        ax.set_yticks(places, features)
        ax.tick_params(axis="y", length=0)
        ax.ticklabel_format(axis="x", style="sci", scilimits=(-2, 4), useMathText=True)
        ax.grid(axis="x")
        heading(ax, study.show(name))
        note_runs(ax, [len(values)])
    axes[0].invert_yaxis()
    kinds = {
        f"p ≤ {alpha:g} in half of the runs or more": FIRST,
        "not": FAINT,
        "has no test": NOISE,
    }
    handles = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=label)
        for label, colour in kinds.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _share_rejected(scores: pd.DataFrame, alpha: float) -> np.ndarray | None:
    """Share of runs with p <= alpha for every feature; None if the importance does not test."""
    p_values = scores["p_values"].dropna()
    if p_values.empty:
        return None
    return np.asarray((np.stack(p_values.to_list()) <= alpha).mean(axis=0))


def _by_rejection(rejected: np.ndarray) -> list[str]:
    return [FIRST if share >= 0.5 else FAINT for share in rejected]
