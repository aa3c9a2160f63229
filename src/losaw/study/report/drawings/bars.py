"""Bars of mean scores, feature by feature."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.study.report.drawings.panels import (
    Where,
    colour_legend,
    describe_panel,
    deviation,
    empty_figure,
    half_interval,
    only,
    panels_in_rows,
    panels_of,
    run_scores,
)
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK, NOISE, SECOND, SIGNAL
from losaw.study.report.typeset import math_label
from losaw.study.request.grid import Study
from losaw.support.words import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPREADS = {"deviation": deviation, "interval": half_interval}
MOST_NAMES_IN_HALF = 25  # the names of more features need the whole width
ALPHA = 0.05
# What a bar is of -> its colour.
KINDS = {
    f"p ≤ {ALPHA:g} in half of the runs or more": FIRST,
    "not": FAINT,
    "has no test": NOISE,
    "signal feature": SIGNAL,
    "noise feature": NOISE,
    "positive": FIRST,
    "negative": SECOND,
}


def score_bars(
    study: Study,
    results: StudyResults,
    *,
    importances: Sequence[str],
    learner: str | None = None,
    panels: str | Sequence[str] = (),
    where: Where | None = None,
    spread: Literal["deviation", "interval"] = "deviation",
    shares: bool = False,
    sort: bool = False,
) -> "Figure":
    """Draw the mean score of every feature over the runs, a panel per importance and setting.

    Where an importance of the figure has p-values, a bar is blue if at least half of the runs
    reject, p <= .05, pale if not, and grey if its importance has no test; the numbers above are
    the shares of runs that reject. Else signal and noise differ in colour where they are known, or
    rising and falling trends. What was not run is left out. (losaw, Figure 1; UFI, Figures 5 to 7;
    CPI, Figures 5 and 41; Gerstorfer et al., Figures 4 and 6 to 8.)

    Parameters
    ----------
    learner : str or None
        Whose importances they are; None: of the learner that has them.
    spread : {"deviation", "interval"}, default "deviation"
        Bars of error: one standard deviation of single runs, or 1.96 standard errors of the mean.
    shares : bool, default False
        The scores of a run are divided by the sum of their absolute values, so that importances can
        be compared.
    sort : bool, default False
        The largest mean comes first.
    """
    scores = results.scores[results.scores["importance"].isin(importances)]
    if learner is not None:
        scores = scores[scores["learner"] == learner]
    with_scores = set(zip(scores["setting_id"], scores["importance"], strict=True))
    groups = panels_of(study, scores["setting_id"], panels, where)
    drawn = [
        (panel, only(settings), importance)
        for (panel, settings), importance in product(groups.items(), importances)
        if (settings[0].identifier, importance) in with_scores
    ]
    if not drawn:
        return empty_figure()
    widest = max(len(features) for features in scores["features"])
    is_tested = scores["p_values"].notna().any()
    figure, axes, n_columns = panels_in_rows(
        len(drawn),
        1 if widest > MOST_NAMES_IN_HALF else 2 if sort or shares else 3,
        2.0,
        "share of importance" if shares else "mean score",
        sharey=shares or len(importances) == 1,
    )
    colours: dict[str, str] = {}
    for ax, (panel, setting, importance) in zip(axes, drawn, strict=True):
        values, features, signal = run_scores(results, setting, learner, importance)
        if shares:
            total = np.abs(values).sum(axis=1, keepdims=True)
            values = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
        mean, half = values.mean(axis=0), SPREADS[spread](values)
        of_setting = scores[scores["setting_id"] == setting.identifier]
        rejected = _share_rejected(of_setting[of_setting["importance"] == importance])
        kinds = _kinds(mean, signal, rejected, is_tested)
        order = np.argsort(-mean, kind="stable") if sort else np.arange(len(mean))
        ax.bar(
            range(len(order)),
            mean[order],
            yerr=half[order],
            color=[KINDS[kinds[i]] for i in order],
            error_kw={"elinewidth": 0.8, "ecolor": INK, "capsize": 1.2},
        )
        colours |= {kind: KINDS[kind] for kind in kinds}
        if rejected is not None:
            ax.margins(y=0.25)
            look: dict[str, Any] = {"ha": "center", "va": "top", "rotation": 90, "fontsize": 7}
            for x, i in enumerate(order):
                share = percent(rejected[i]).replace(" ", "")
                ax.text(x, 1.0, share, transform=ax.get_xaxis_transform(), **look)
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.set_xticks(
            range(len(order)), [math_label(features[i]) for i in order], rotation=90, fontsize=7
        )
        ax.tick_params(axis="x", length=0)
        ax.margins(x=0.01)
        describe_panel(ax, [study.show(importance), panel], [len(values)])
    if not sort and scores["features"].map(tuple).nunique() == 1:
        for ax in axes[:-n_columns]:  # the panel below has the same names
            ax.tick_params(labelbottom=False)
    colour_legend(figure, colours)
    return figure


def _kinds(
    mean: FloatArray, signal: set[int], rejected: FloatArray | None, is_tested: bool
) -> list[str]:
    """The kind of every bar: by the tests of the figure, or signal and noise, or by its sign."""
    rejects, keeps, untested, is_signal, is_noise, rises, falls = KINDS
    if rejected is not None:
        return [rejects if share >= 0.5 else keeps for share in rejected]
    if is_tested:
        return [untested] * len(mean)
    if signal:
        return [is_signal if i in signal else is_noise for i in range(len(mean))]
    return [rises if value >= 0 else falls for value in mean]


def _share_rejected(scores: pd.DataFrame) -> FloatArray | None:
    """Return the share of runs with p <= .05 for every feature; None if there is no test."""
    p_values = scores["p_values"].dropna()
    if p_values.empty:
        return None
    return np.asarray((np.stack(p_values.to_list()) <= ALPHA).mean(axis=0))
