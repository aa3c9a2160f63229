"""Weights at several caps, and what the cap does to prediction and ranking (losaw, Figure 2)."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from losaw.report.drawings.panels import note_runs
from losaw.report.drawings.samples import correlated_pair, describe_weights, draw_points, weights_of
from losaw.report.options import OptionError, between, several, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, INK, SECOND, heading, new_figure
from losaw.report.typeset import math_label
from losaw.rng import as_generator
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    metrics: list[str],
    axis: str,
    etas: Any = (1.0, 0.5, 0.25, 0.0),
    n_samples: int = 200,
    correlation: float = 0.8,
    seed: int = 1,
) -> "Figure":
    """Left: a sample of two correlated features under losaw weights for the second one.

    Right: means of two metrics against an axis, with 95 % bands (1.96 Monte Carlo standard
    errors to both sides).

    Parameters
    ----------
    learner, importance : str
        Labels of the study.
    metrics : list of two metrics
    axis : str
        Numerical axis of the study; all settings must be along it.
    etas : list of four numbers in [0, 1], default 1, .5, .25, 0
        Caps on the left; 0 is no cap.
    n_samples, correlation, seed : int, float, int
        The sample on the left.

    Raises
    ------
    OptionError
        If the settings are not along the axis, or a number is out of range.
    """
    upper, lower = several("metrics", metrics, 2)
    caps = [between("etas", eta, 0, 1) for eta in several("etas", etas, 4)]
    pair = correlated_pair(
        whole_number("n_samples", n_samples, 10),
        between("correlation", correlation, -0.99, 0.99),
        as_generator(whole_number("seed", seed, 0)),
    )
    summary = results.summary
    summary = summary[
        (summary["learner"] == learner) & summary["importance"].fillna("").isin(["", importance])
    ]
    curves = [_curve(summary, metric, axis) for metric in (upper, lower)]
    figure = new_figure(3.5)
    left, right = cast("list[Any]", figure.subfigures(1, 2, width_ratios=[1.08, 1], wspace=0.03))
    _draw_weights(left.subplots(2, 2, sharex=True, sharey=True).ravel(), pair, caps)
    axes = right.subplots(2, 1, sharex=True)
    for ax, curve, metric, colour in zip(
        axes, curves, (upper, lower), (FIRST, SECOND), strict=True
    ):
        _draw_curve(ax, curve[axis], curve, colour)
        ax.set_ylabel(f"mean {math_label(study.show(metric))}", color=colour)
    heading(axes[0], "Prediction")
    heading(axes[1], "Interpretation")
    axes[1].set_xlabel(f"{study.show(axis)}, the smallest relative effective sample size")
    return figure


def _draw_weights(axes: Any, pair: Any, caps: list[float]) -> None:
    target, adjustment = pair[:, 1], pair[:, :1]
    for ax, eta in zip(axes, caps, strict=True):
        weights = weights_of(target, adjustment, eta)
        draw_points(ax, pair, weights, FIRST)
        slope, intercept = np.polyfit(pair[:, 0], target, 1, w=np.sqrt(weights))
        ends = np.array([-3.0, 3.0])
        ax.plot(ends, intercept + slope * ends, color=INK, linewidth=1.0)
        remark = ": no cap" if eta == 0 else ": unweighted" if eta == 1 else ""
        heading(ax, f"η = {eta:g}{remark}")
        describe_weights(ax, target, adjustment, weights)
    for ax in axes[2:]:
        ax.set_xlabel("$X_1$")
    for ax in axes[::2]:
        ax.set_ylabel("$X_2$, the target")


def _curve(summary: pd.DataFrame, metric: str, axis: str) -> pd.DataFrame:
    """The rows of a metric, ordered along the axis."""
    curve = summary[summary["metric"] == metric]
    if not pd.api.types.is_numeric_dtype(curve[axis]) or curve[axis].duplicated().any():
        raise OptionError(f"axis: the settings are not along {axis!r}, one at each number")
    return curve.sort_values(axis)


def _draw_curve(ax: "Axes", x: pd.Series, curve: pd.DataFrame, colour: str) -> None:
    half = 1.96 * curve["mc_se"].fillna(0.0)
    low, high = curve["mean"] - half, curve["mean"] + half
    ax.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    ax.plot(x, curve["mean"], color=colour, marker="o", markersize=3)
    ax.set_xlim(0, None)
    ax.grid()
    note_runs(ax, curve["n_seeds"])
