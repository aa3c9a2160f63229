"""Bars of mean scores, feature by feature."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting
from losaw.study.report.drawings.panels import (
    FEATURE_COLOURS,
    Where,
    chosen_settings,
    describe_panel,
    deviation,
    empty_figure,
    note_runs,
    panels_in_a_row,
    panels_in_rows,
    scores_of,
    signal_legend,
    standard_error,
    titles_of,
)
from losaw.study.report.options import OptionError, check_names
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK, NOISE, SECOND, SIGNAL, heading, new_figure
from losaw.study.report.typeset import math_label, run_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NAMES = 12  # of more features only the signals have room for their names
MOST_NAMES_IN_HALF = 25  # the names of more features need the whole width
ALPHA = 0.05


def mean_importances(
    study: Study, results: StudyResults, *, learner: str, importance: str, panels: str
) -> "Figure":
    """Draw the mean score of every feature with its 95 % interval (1.96 standard errors).

    Signal and noise differ in colour. Of more than 12 features only the signals are named.
    (losaw, Figure 1.)

    Parameters
    ----------
    panels : str
        Axis of the study; one panel for each of its values that was run.
    """
    scores = results.scores_of(learner, importance)
    settings = [s for s in study.settings if s.identifier in set(scores["setting_id"])]
    if not settings:
        raise OptionError(f"there are no {importance!r} scores of learner {learner!r} to draw")
    titles = titles_of(study, settings, panels)
    figure, axes = panels_in_a_row(len(settings), height=2.2, margin=0.6, width=2.15, sharey=True)
    for ax, setting, title in zip(axes, settings, titles, strict=True):
        values, names, signal = scores_of(results, setting, learner, importance)
        features = [math_label(name) for name in names]
        ax.bar(
            features,
            values.mean(axis=0),
            yerr=1.96 * standard_error(values) if len(values) > 1 else None,
            color=[SIGNAL if index in signal else NOISE for index in range(len(features))],
            width=0.72,
            error_kw={"elinewidth": 1.0, "ecolor": INK, "capsize": 2.5},
        )
        ax.grid(axis="y")
        ax.tick_params(axis="x", length=0)
        if len(features) > MOST_NAMES:
            named = sorted(signal)
            ax.set_xticks(named, [features[index] for index in named], rotation=90)
        heading(ax, title)
    counts = scores.groupby("setting_id").size()
    axes[0].set_ylabel(f"mean {study.show(importance)}, {run_count(counts)}")
    axes[0].set_ylim(bottom=0)
    signal_legend(figure)
    return figure


def feature_bars(
    study: Study, results: StudyResults, *, methods: list[str], highlight: str = ""
) -> "Figure":
    """Draw mean scores, largest first, with one standard deviation of single runs.

    (UFI, Figures 5 to 7.)

    Parameters
    ----------
    methods : list of str
        Labels of importances; a panel each, but for those without results.
    highlight : str, default ""
        A feature drawn in black, its name in bold.
    """
    check_names("methods", methods, study.importances)
    scores = results.scores
    there = [method for method in methods if (scores["importance"] == method).any()]
    if not there:
        raise OptionError("there are no results to draw: run the study first")
    has_many = max(len(features) for features in scores["features"]) > MOST_NAMES_IN_HALF
    most_columns, height = (1, 1.7) if has_many else (2, 2.3)
    figure, axes, n_columns = panels_in_rows(len(there), most_columns, height=height, margin=0.4)
    for ax, method in zip(axes, there, strict=True):
        rows = scores[scores["importance"] == method]
        if rows["setting_id"].nunique() > 1:
            raise OptionError(f"methods: there are several settings of {method!r}")
        values = np.stack(rows["scores"].to_list())
        features = np.array(rows["features"].iloc[0])
        order = np.argsort(-values.mean(axis=0), kind="stable")
        error = deviation(values)
        ax.bar(
            range(len(order)),
            values.mean(axis=0)[order],
            yerr=None if error is None else error[order],
            color=[INK if features[i] == highlight else FIRST for i in order],
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


def trend_bars(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    where: Where | None = None,
) -> "Figure":
    """Draw mean trends, rising ones blue and falling ones red, with one standard deviation.

    (Gerstorfer et al., Figures 4 and 6.)

    Parameters
    ----------
    importances : list of str
        Labels of the study, one panel each.
    where : dict or None
        Axis -> value: which setting is drawn.
    """
    setting = _only(chosen_settings(study, results, where))
    scores = [scores_of(results, setting, learner, importance) for importance in importances]
    figure = new_figure(0.19 * scores[0][0].shape[1] + 0.9)
    axes = figure.subplots(1, len(importances), sharey=True, squeeze=False)[0]
    for ax, importance, (values, features, _) in zip(axes, importances, scores, strict=True):
        mean = values.mean(axis=0)
        ax.barh(
            features,
            mean,
            xerr=deviation(values),
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
    runs = run_count([len(scores[0][0])])
    figure.supxlabel(f"mean and standard deviation over {runs}", fontsize=7.5)
    return figure


def _only(settings: list[Setting]) -> Setting:
    if len(settings) > 1:
        raise OptionError(f"where: {len(settings)} settings are left, a panel shows one")
    return settings[0]


def tested_importances(
    study: Study, results: StudyResults, *, learner: str, importances: list[str]
) -> "Figure":
    """Draw mean scores, a panel per importance, with one standard deviation of single runs.

    A bar is blue if the importance rejects, p <= .05, in at least half of the runs, pale if it
    tests and does not reject, and grey if it has no test. The numbers at the bars of a test are
    the shares of runs that reject. Where the learner was not run, the figure says so.
    (CPI, Figures 5 and 41.)

    Parameters
    ----------
    importances : list of str
        Labels of the study, one panel each, for those that were run.
    """
    from matplotlib.patches import Patch

    setting = _only(chosen_settings(study, results, None))
    scores = results.scores[results.scores["learner"] == learner]
    there = [name for name in importances if (scores["importance"] == name).any()]
    if not there:
        return empty_figure("this learner was not run")
    figure, axes, _ = panels_in_rows(len(there), 3, height=2.1, margin=0.5, sharey=True)
    for ax, name in zip(axes, there, strict=True):
        values, features, _ = scores_of(results, setting, learner, name)
        rejected = _share_rejected(scores[scores["importance"] == name])
        places = np.arange(len(features))
        ax.barh(
            places,
            values.mean(axis=0),
            xerr=deviation(values),
            color=NOISE
            if rejected is None
            else [FIRST if share >= 0.5 else FAINT for share in rejected],
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
        f"p ≤ {ALPHA:g} in half of the runs or more": FIRST,
        "not": FAINT,
        "has no test": NOISE,
    }
    handles = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.5, label=label)
        for label, colour in kinds.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _share_rejected(scores: pd.DataFrame) -> np.ndarray | None:
    """Return the share of runs with p <= .05 for every feature; None if there is no test."""
    p_values = scores["p_values"].dropna()
    if p_values.empty:
        return None
    return np.asarray((np.stack(p_values.to_list()) <= ALPHA).mean(axis=0))


def grouped_importances(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    panels: str | list[str],
    where: Where | None = None,
) -> "Figure":
    """Draw the mean share of every feature, a colour per importance, with one standard deviation.

    A run's scores are divided by the sum of their absolute values, so that importances can be
    compared. (Gerstorfer et al., Figures 7 and 8.)

    Parameters
    ----------
    importances : list of str
        Labels of the study, one colour each.
    panels : str or list of str
        Axes of the study; one panel for each of their values that was run with the learner.
    where : dict or None
        Axis -> value: which settings are drawn.
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
                yerr=deviation(shares),
                color=FEATURE_COLOURS[rank % len(FEATURE_COLOURS)],
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
