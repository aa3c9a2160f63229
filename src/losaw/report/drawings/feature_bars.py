"""Sorted mean importances of every feature, one panel per method (UFI, Figures 5 to 7)."""

from typing import TYPE_CHECKING

import numpy as np

from losaw.report.drawings.panels import describe_panel, panels_in_rows
from losaw.report.options import OptionError, check_names
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, INK, SECOND
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_NAMED = 25


def draw(
    study: Study, results: StudyResults, *, methods: list[str], highlight: str = ""
) -> "Figure":
    """Bars of the mean score, largest first, with one standard deviation of single runs.

    Parameters
    ----------
    methods : list of str
        Labels of importances; those without results are left out.
    highlight : str, default ""
        A feature drawn in black, its name in bold.

    Raises
    ------
    OptionError
        If a label is unknown, none has results, or one has those of several settings.
    """
    check_names("methods", methods, study.importances)
    scores = results.scores
    there = [method for method in methods if (scores["importance"] == method).any()]
    if not there:
        raise OptionError("there are no results to draw: run the study first")
    # Many names need the whole width to be read.
    has_many = max(len(features) for features in scores["features"]) > MAX_NAMED
    most_columns, height = (1, 1.7) if has_many else (2, 2.3)
    figure, axes, n_columns = panels_in_rows(len(there), most_columns, height=height, margin=0.4)
    for ax, method in zip(axes, there, strict=True):
        rows = scores[scores["importance"] == method]
        if rows["setting_id"].nunique() > 1:
            raise OptionError(f"methods: there are several settings of {method!r}")
        values = np.stack(rows["scores"].to_list())
        features = np.array(rows["features"].iloc[0])
        order = np.argsort(-values.mean(axis=0), kind="stable")
        colours = [INK if features[i] == highlight else FIRST for i in order]
        error = values.std(axis=0, ddof=1)[order] if len(values) > 1 else None
        ax.bar(
            range(len(order)),
            values.mean(axis=0)[order],
            yerr=error,
            color=colours,
            error_kw={"elinewidth": 0.8, "ecolor": SECOND},
        )
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.set_xticks(range(len(order)), features[order], rotation=90, fontsize=7)
        for label in ax.get_xticklabels():
            label.set_fontweight("bold" if label.get_text() == highlight else "normal")
        ax.margins(x=0.01)
        ax.tick_params(axis="x", length=0)
        describe_panel(ax, study.show(method), [len(values)])
    for ax in axes[::n_columns]:
        ax.set_ylabel("mean score")
    return figure
