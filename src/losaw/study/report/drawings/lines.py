"""Lines along a numerical axis: of metrics, and of scores feature by feature."""

from collections.abc import Mapping, Sequence
from itertools import cycle, product
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from losaw.data import FloatArray
from losaw.study.errors import OptionError
from losaw.study.report.drawings.panels import (
    COLOURS,
    MARKERS,
    MOST_TICKS,
    Scale,
    Where,
    describe_panel,
    empty_figure,
    half_interval,
    legend_below,
    panels_in_rows,
    panels_of,
    places_of,
    run_scores,
    set_scale,
)
from losaw.study.report.results import StudyResults
from losaw.study.report.style import INK, NOISE
from losaw.study.report.typeset import math_label
from losaw.study.request.grid import Study
from losaw.study.request.settings import Setting, matches

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPREADS = {"error": "mc_se", "deviation": "sd"}
_STYLES = ("-", "--", ":")


def metric_lines(
    study: Study,
    results: StudyResults,
    *,
    metrics: Mapping[str, Annotated[list[str], Field(min_length=1, max_length=3)]] | Sequence[str],
    axis: str,
    methods: Sequence[str] = (),
    panels: str | Sequence[str] = (),
    where: Where | None = None,
    scale: Scale = "linear",
    spread: Literal["error", "deviation"] = "error",
    reference: float | None = None,
    published: bool = False,
) -> "Figure":
    """Draw metrics against an axis: a colour per method, a line style per metric of a panel.

    (CPI, Figures 2 to 4 and 7 to 40; TreeInner, Figures 2, 3 and 6 to 29.)

    Parameters
    ----------
    metrics : list of str, or dict of str to list of one to three metrics
        A panel each, or a panel's title -> its metrics: solid, dashed and dotted lines.
    axis : str
        Numerical axis of the study, or a metric that every run notes: its mean is the place.
    spread : {"error", "deviation"}, default "error"
        Bars: one Monte Carlo standard error of the mean, or one standard deviation of a run.
    reference : float or None
        Height of a thin horizontal line, for example the level of a test.
    published : bool, default False
        Published values are shown as open circles.
    """
    if not isinstance(metrics, Mapping):
        metrics = {math_label(study.show(metric)): [metric] for metric in metrics}
    shown = [name for names in metrics.values() for name in names]
    summary = results.summary[results.summary["n_seeds"] > 0]
    of_axis = summary[summary["metric"] == axis].groupby("setting_id")["mean"].first()
    summary = summary[summary["metric"].isin(shown)]
    methods = methods or list(summary["method"].unique())
    summary = summary[summary["method"].isin(methods)]
    groups = panels_of(study, summary["setting_id"], panels, where)
    if not groups:
        return empty_figure()
    # As in the tables: medians and other summaries are values, not means.
    height = "mean" if {study.summaries[name] for name in shown} == {"mean"} else "value"
    figure, axes, n_columns = panels_in_rows(
        len(metrics) * len(groups), 2 if panels else 4, 2.2, height, sharey=not panels
    )
    for ax, ((title, names), (panel, settings)) in zip(
        axes, product(metrics.items(), groups.items()), strict=True
    ):
        places = places_of(settings, axis, of_axis.to_dict())
        here = summary[summary["setting_id"].isin(list(places)) & summary["metric"].isin(names)]
        for (index, method), (order, metric) in product(enumerate(methods), enumerate(names)):
            # Where a colour comes once more, the next style tells the methods apart.
            style = _STYLES[(order + index // len(COLOURS)) % len(_STYLES)]
            line = here[(here["metric"] == metric) & (here["method"] == method)]
            line = line.assign(place=line["setting_id"].map(places)).sort_values("place")
            colour = COLOURS[index % len(COLOURS)]
            if len(line):
                error = line[SPREADS[spread]].fillna(0.0)
                look: dict[str, Any] = {"fmt": style + MARKERS[index % len(MARKERS)], "ms": 3.5}
                look |= {"color": colour, "label": study.show(method), "lw": 1.1, "elinewidth": 0.8}
                ax.errorbar(line["place"], line["mean"], error, **look)
            if published:
                cells = results.comparison
                cells = cells[(cells["metric"] == metric) & (cells["method"] == method)]
                circles = _published(cells, settings, places)
                ax.plot(*circles, "o", mfc="none", mec=colour, markersize=6, mew=0.8)
        if reference is not None:
            ax.axhline(reference, color=INK, linewidth=0.6, linestyle=":")
        set_scale(ax, scale, places.values(), ticks=axis in study.axes)
        ax.set_xlabel(study.show(axis))
        describe_panel(ax, [title, panel], here["n_seeds"])
    legend_below(figure, axes, 4 if n_columns > 1 else 2)
    return figure


def _published(
    cells: pd.DataFrame, settings: Sequence[Setting], places: Mapping[str, float]
) -> FloatArray:
    """Places and published values, (2, n), of the settings that have one."""
    records = cells.dropna(subset=["published"]).to_dict("records")
    points = dict.fromkeys(
        (places[setting.identifier], row["published"])
        for setting, row in product(settings, records)
        if matches(setting.axes, row)
    )
    return np.reshape(list(points), (-1, 2)).T


def _ranks(values: FloatArray) -> FloatArray:
    """1 + the number of features that score higher."""
    return pd.DataFrame(values).rank(axis=1, method="min", ascending=False).to_numpy()


def _largest(values: FloatArray) -> FloatArray:
    return np.log10(np.maximum(values.max(axis=1, keepdims=True), np.finfo(float).tiny))


# Of the scores of a panel -> what is drawn of every run, and the words before the importance.
SHOWN = {
    "scores": (lambda values: values, ""),
    "ranks": (_ranks, "rank by "),
    "largest": (_largest, "log10 of the largest\n"),
}


def score_lines(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: Sequence[str],
    axis: str,
    shown: Literal["scores", "ranks", "largest"] = "scores",
    panels: str | Sequence[str] = (),
    where: Where | None = None,
    scale: Scale = "linear",
) -> "Figure":
    """Draw a line per feature: means over runs with bands of 1.96 Monte Carlo standard errors.

    Of many features the noise features are grey. (UFI, Figures 2, 4, 9 and 11; TreeInner,
    Figures 1, 5, 10, 15, 20 and 25; Gerstorfer et al., Figures 2 and 5.)

    Parameters
    ----------
    shown : {"scores", "ranks", "largest"}, default "scores"
        Scores; ranks, 1 + the number of features that score higher; or log10 of the largest score.
    """
    change, before = SHOWN[shown]
    identifiers = results.scores_of(learner, importances[0])["setting_id"]
    groups = panels_of(study, identifiers, panels, where)
    if not groups:
        return empty_figure()
    # Ranks have one unit; scores of two importances, and so their largest, have not.
    one_unit = shown == "ranks" or len(importances) == 1
    of = math_label(study.show(importances[0])) if len(importances) == 1 else "importance"
    figure, axes, _ = panels_in_rows(
        len(importances) * len(groups), 2 if panels else 3, 2.0, f"{before}{of}", sharey=one_unit
    )
    drawn: set[tuple[str, ...]] = set()
    for ax, (importance, (panel, settings)) in zip(
        axes, product(importances, groups.items()), strict=True
    ):
        places = places_of(settings, axis, {})
        settings = sorted(settings, key=lambda setting: places[setting.identifier])
        x = sorted(places.values())
        scores = [run_scores(results, setting, learner, importance) for setting in settings]
        looks = {"": ("-", COLOURS[0])} if shown == "largest" else _looks(*scores[0][1:])
        drawn |= {(*looks,) if shown == "largest" else (*names,) for _, names, _ in scores}
        if len(drawn) > 1:
            raise OptionError("where: the settings have different features, a line is of one")
        runs = [change(values) for values, _, _ in scores]
        means = np.stack([values.mean(axis=0) for values in runs])
        halves = np.stack([half_interval(values) for values in runs])
        for column, (name, (style, colour)) in enumerate(looks.items()):
            mean, half = means[:, column], halves[:, column]
            marker = MARKERS[column % len(MARKERS)] if len(x) <= MOST_TICKS else ""
            ax.fill_between(x, mean - half, mean + half, color=colour, alpha=0.25, linewidth=0)
            # Grey lines lie below those of signal features.
            label, z = ("noise", 1.9) if colour == NOISE else (name, 2)
            ax.plot(x, mean, style + marker, color=colour, lw=1.1, ms=3.5, label=label, zorder=z)
        title = study.show(importance) if len(importances) > 1 else ""
        describe_panel(ax, [title, panel], [len(values) for values in runs])
        set_scale(ax, scale, x)
        ax.set_xlabel(study.show(axis))
    if shown == "ranks":
        # All ranks that there can be, so that figures of two methods can be compared.
        axes[0].set_ylim(len(looks) + 0.2, 0.8)
    legend_below(figure, axes, 6)
    return figure


def _looks(features: Sequence[str], signal: set[int]) -> dict[str, tuple[str, str]]:
    """Style and colour for every feature; where they are many, grey for those that are noise."""
    many = len(features) > len(COLOURS)
    coloured = [name for i, name in enumerate(features) if not many or not signal or i in signal]
    looks = dict(zip(coloured, cycle(product(_STYLES, COLOURS)), strict=False))
    return {name: looks.get(name, ("-", NOISE)) for name in features}
