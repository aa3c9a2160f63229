"""Mean ranks of all methods that saw the same data, with their errors and possible places."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from losaw.scoring.many_tests import rank_words
from losaw.study.report.best_methods import LEVEL, grid_of, rank_methods, ranking_by
from losaw.study.report.drawings.panels import empty_figure
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK, NOISE, new_figure
from losaw.study.request.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def rank_sets(study: Study, results: StudyResults) -> "Figure":
    """Draw the places that each method can have by each value of the axis of the study's ranking.

    A bar is the set of places, all methods of a value at once, a dot the mean rank, and blue are
    the methods that are not told apart from the best, where any is (``ranking`` in the study file).
    """
    ranked = ranking_by(study, results.results, {})
    if ranked.empty:
        return empty_figure("no methods to compare were run")
    values = list(dict.fromkeys(ranked["of"]))
    order = list(dict.fromkeys(ranked["method"]))[::-1]
    heights_of = {method: height for height, method in enumerate(order)}
    figure = new_figure(1.2 + 0.15 * len(order))
    ax = figure.subplots()
    for column, value in enumerate(values):
        part = ranked[ranked["of"] == value]
        low, high, dots = (
            column + (part[name] - 1) / len(order) for name in ("best_place", "worst_place", "rank")
        )
        heights = part["method"].map(heights_of)
        is_best = (part["best_place"] == 1) & (part["best_place"] > 1).any()
        colours = [FIRST if best else NOISE for best in is_best]
        ax.hlines(heights, low, high, colors=colours, linewidth=2.2, alpha=0.5)
        ax.scatter(dots, heights, s=5, c=colours, zorder=2)
        ax.axvline(column - 0.01, color=FAINT, linewidth=0.6)
    names = [study.show(value) if value else "all" for value in values]
    ax.set_xticks([c + 0.5 for c in range(len(values))], names, rotation=40, ha="right")
    ax.set_yticks(range(len(order)), [study.show(method) for method in order], fontsize=6.5)
    ax.tick_params(length=0)
    ax.set(xlim=(-0.02, len(values)), ylim=(-0.7, len(order) - 0.3))
    return figure


def ranking(
    study: Study, results: StudyResults, *, metrics: Sequence[str], highlight: Sequence[str] = ()
) -> "Figure":
    """Draw a dot per method at its mean rank, a bar of one standard error to either side.

    The places that a method can have, all methods at once, stand at the right. Ranks, errors and
    places are those of :func:`losaw.study.report.best_methods.rank_methods`. The methods
    are sorted by the first metric. The settings that were run are listed below: methods rank
    otherwise elsewhere. Where no metric has two methods to compare, the figure says so.

    Parameters
    ----------
    metrics : list of str
        A panel each.
    highlight : list of str
        Learners whose methods are coloured.
    """
    ranked = rank_methods(study, results.results)
    tables = {m: ranked[ranked["metric"] == m].set_index("method") for m in metrics}
    tables = {metric: table for metric, table in tables.items() if len(table)}
    if not tables:
        return empty_figure("no methods to compare were run")
    order = list(dict.fromkeys(method for table in tables.values() for method in table.index))[::-1]
    coloured = {
        study.method_name(learner, importance)
        for learner in highlight
        for importance in ("", *study.learners[learner].importances)
    }
    grid = grid_of(study, next(iter(tables)), results.results)
    places = f"At the right: the places that each can have, all at once with {LEVEL:.0%}."
    note = f"{places} Run: {grid}. Ranks on these data sets, no verdict on others."
    lines = textwrap.wrap(" ".join([note, *study.differs_at_scale.values()]), 105)
    figure = new_figure(0.7 + 0.17 * len(order) + 0.15 * len(lines))
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize="small")
    axes = figure.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    for ax, (metric, table) in zip(axes, tables.items(), strict=True):
        for height, method in enumerate(order):
            if method in table.index:
                row = table.loc[method]
                colour = FIRST if method in coloured else NOISE
                dot = {"fmt": "o", "markersize": 4, "ecolor": INK, "elinewidth": 0.8}
                ax.errorbar(row["rank"], height, xerr=row["rank_se"], color=colour, **dot)
                ranks = rank_words(row["best_place"], row["worst_place"])
                look = {"ha": "right", "va": "center", "fontsize": 6.5, "color": INK}
                ax.text(1.0, height, ranks, transform=ax.get_yaxis_transform(), **look)
        label = f"mean rank over {table['seeds'].iloc[0]:,} data sets\n(1: best)"
        limits = {"ylim": (-0.7, len(order) - 0.3), "xlim": (1, 1.35 * table["rank"].max())}
        ax.set(title=study.show(metric), xlabel=label, **limits)  # with room for the places
        ax.grid(axis="x")
    axes[0].set_yticks(range(len(order)), [study.show(method) for method in order])
    return figure
