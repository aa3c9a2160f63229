"""Trends against an axis, one panel per estimator (Gerstorfer et al., Figures 2 and 5)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.drawings.feature_scores import (
    chosen_settings,
    feature_colours,
    scores_of,
    standard_error,
)
from losaw.report.drawings.panels import panels_in_rows
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import INK, NOISE, heading
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PER_ROW = 3


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importances: list[str],
    axis: str,
    where: Mapping[str, Any] | None = None,
) -> "Figure":
    """Mean estimate of every feature with its 95 % interval (1.96 Monte Carlo standard errors).

    Parameters
    ----------
    learner : str
        Label of the study.
    importances : list of str
        Labels of the study, one panel each.
    axis : str
        Numerical axis of the study.
    where : mapping or None
        Axis -> value: which settings are drawn.

    Raises
    ------
    OptionError
        If several settings have one value of the axis, or scores are missing.
    """
    settings = sorted(
        chosen_settings(study, results, where), key=lambda setting: float(setting.axes[axis])
    )
    x = [float(setting.axes[axis]) for setting in settings]
    if len(set(x)) < len(x):
        raise OptionError(f"where: several settings have the same value of {axis!r}")
    figure, axes, n_columns = panels_in_rows(
        len(importances), _PER_ROW, height=1.75, margin=0.5, sharex=True
    )
    colours: dict[str, str] = {}
    for ax, importance in zip(axes, importances, strict=True):
        scores = [scores_of(results, setting, learner, importance) for setting in settings]
        _, features, signal = scores[0]
        colours = feature_colours(features, signal)
        mean = np.stack([values.mean(axis=0) for values, _, _ in scores])
        half = 1.96 * np.stack([standard_error(values) for values, _, _ in scores])
        # Noise features first: lines of signal features are on top.
        for column in sorted(range(len(features)), key=lambda c: colours[features[c]] != NOISE):
            colour = colours[features[column]]
            low, high = mean[:, column] - half[:, column], mean[:, column] + half[:, column]
            ax.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, mean[:, column], color=colour, linewidth=1.1)
        ax.axhline(0, color=INK, linewidth=0.5)
        ax.grid()
        heading(ax, study.show(importance))
    for ax in axes[(len(axes) - 1) // n_columns * n_columns :]:
        ax.set_xlabel(study.show(axis))
    _legend(figure, colours)
    return figure


def _legend(figure: "Figure", colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    named = {name: colour for name, colour in colours.items() if colour != NOISE}
    if len(named) < len(colours):
        named["noise features"] = NOISE
    handles = [Line2D([], [], color=colour, label=name) for name, colour in named.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6))
