"""How losawRF splits a node: one weighting per feature, one winner (losaw, Figure 3)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.forest.as_printed_steps import relative_decrease
from losaw.report.drawings.samples import correlated_pair, describe_weights, draw_points, weights_of
from losaw.report.options import OptionError, between, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, SECOND, heading, new_figure
from losaw.rng import as_generator
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = ("$X_1$", "$X_2$")
DASHED = (0, (3, 2))
_WIDE = 1.35  # width of the last panel, in heights


def draw(
    study: Study,
    results: StudyResults,
    *,
    n_samples: int = 400,
    correlation: float = 0.8,
    earlier_split: float = 0.8,
    eta: float = 0.25,
    min_samples_leaf: int = 5,
    seed: int = 3,
) -> "Figure":
    """A node with two correlated features of which only the first acts on the response.

    Left to right: the node's sample; the weights for X1 and for X2, each decorrelating its
    feature from the other; the relative impurity decrease of every split under these weights
    and without them. The split with the largest weighted decrease is chosen.

    Parameters
    ----------
    n_samples, correlation, seed : int, float, int
        The training sample: normal features, Y = 1(X1 >= 0) + eps, eps ~ N(0, .3^2).
    earlier_split : float, default 0.8
        The node holds the rows with X1 up to this; the stabilising densities are estimated on
        the whole training sample.
    eta : float, default 0.25
        Smallest relative effective sample size.
    min_samples_leaf : int, default 5

    Raises
    ------
    OptionError
        If a number is out of range, or the node has too few rows to be split.
    """
    leaf = whole_number("min_samples_leaf", min_samples_leaf, 1)
    rng = as_generator(whole_number("seed", seed, 0))
    n = whole_number("n_samples", n_samples, 10)
    training = correlated_pair(n, between("correlation", correlation, -0.99, 0.99), rng)
    response = (training[:, 0] >= 0) + 0.3 * rng.standard_normal(n)
    in_node = training[:, 0] <= between("earlier_split", earlier_split, -10, 10)
    X, y = training[in_node], response[in_node]
    if len(y) < max(10, 2 * leaf + 1):
        raise OptionError(f"earlier_split: only {len(y)} rows are left in the node")
    uniform = np.full(len(y), 1 / len(y))
    eta = between("eta", eta, 0, 1)
    weights = [weights_of(X[:, p], X[:, [1 - p]], eta, training[:, p]) for p in (0, 1)]
    weighted = [_decreases(X[:, p], y, weights[p], leaf) for p in (0, 1)]
    plain = [_decreases(X[:, p], y, uniform, leaf) for p in (0, 1)]

    figure = new_figure(1.95)
    axes = figure.subplots(1, 4, width_ratios=[1, 1, 1, _WIDE])
    for ax, shown, title in zip(
        axes,
        (uniform, *weights),
        ("Node, colour: $Y$", "Weights for $X_1$", "Weights for $X_2$"),
        strict=False,
    ):
        draw_points(ax, X, shown, y, cmap="cividis", vmin=-0.6, vmax=1.6)
        ax.axvline(earlier_split, color=FAINT, linewidth=1.0, zorder=0)
        ax.set_xlabel("$X_1$")
        heading(ax, title)
    axes[0].set_ylabel("$X_2$")
    for p in (0, 1):
        describe_weights(axes[1 + p], X[:, p], X[:, [1 - p]], weights[p])
    winner, threshold = _draw_decreases(axes[3], plain, weighted)
    line = axes[1 + winner].axhline if winner else axes[1 + winner].axvline
    line(threshold, color=INK, linewidth=1.2)
    return figure


def _decreases(x: Any, y: Any, weights: Any, leaf: int) -> tuple[Any, list[float]]:
    """Return the split points of a feature and the relative decreases there (Definition 4.1)."""
    points = np.sort(x)[leaf - 1 : len(x) - leaf]
    return points, [relative_decrease(weights, y[:, None], x <= point) for point in points]


def _draw_decreases(
    ax: "Axes", plain: list[tuple[Any, Any]], weighted: list[tuple[Any, Any]]
) -> tuple[int, float]:
    """Curves of both features; returns the chosen feature and threshold."""
    for curve, without, name, colour in zip(weighted, plain, NAMES, (FIRST, SECOND), strict=True):
        ax.plot(*without, color=colour, linewidth=0.9, linestyle=DASHED, alpha=0.7)
        ax.plot(*curve, color=colour, label=name)
    winner = int(max(weighted[1][1]) > max(weighted[0][1]))
    points, decreases = weighted[winner]
    best = int(np.argmax(decreases))
    ax.plot(points[best], decreases[best], marker="*", markersize=9, color=INK)
    ax.plot([], [], color=INK, linewidth=0.9, linestyle=DASHED, label="unweighted")
    ax.set_xlabel("split point")
    ax.set_ylabel("rel. impurity decrease")
    ax.set_ylim(0, 1.08 * max(max(curve[1]) for curve in (*plain, *weighted)))
    ax.set_box_aspect(1 / _WIDE)
    ax.set_xlim(-3.4, 3.4)
    ax.legend(loc="upper left", fontsize=6.8, handlelength=1.2, borderaxespad=0)
    # Adding zero turns a rounded -0 into 0.
    heading(ax, f"Split: {NAMES[winner]} ≤ {round(points[best], 2) + 0.0:.2f}".replace("-", "−"))
    return winner, float(points[best])
