"""One step of losawGD, from importances to mini-batch (losaw, Figure 4)."""

from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from losaw.data import FloatArray
from losaw.network.gradient_descent import Step, descend
from losaw.report.drawings.samples import describe_weights, draw_points
from losaw.report.options import between, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, NOISE, SECOND, SIGNAL, heading, new_figure
from losaw.rng import as_generator
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine


def draw(
    study: Study,
    results: StudyResults,
    *,
    n_samples: int = 200,
    batch_size: int = 32,
    steps: int = 40,
    eta: float = 0.25,
    seed: int = 5,
) -> "Figure":
    """The four stages of a step: importances, feature, weights, mini-batch.

    Everything shown is computed: a linear model of five features is trained by losawGD for
    ``steps`` steps, and the last one is drawn. X1 to X3 are correlated (.4, .8, .8), X4 and X5
    independent, and Y = X1 + X2 + X4 + eps with standard normal eps.

    Parameters
    ----------
    n_samples, batch_size, steps, seed : int
    eta : float, default 0.25
        Smallest relative effective sample size.
    """
    n = whole_number("n_samples", n_samples, 20)
    # The relative effective sample size is never below 1 / n: half of it does not cap.
    eta = between("eta", eta, 0, 1) or 0.5 / n
    rng = as_generator(whole_number("seed", seed, 0))
    X = rng.standard_normal((n, 5)) @ np.linalg.cholesky(_correlation()).T
    y = X[:, [0, 1, 3]].sum(axis=1) + rng.standard_normal(n)
    last = whole_number("steps", steps, 1) - 1
    step = next(
        islice(descend(X, y, whole_number("batch_size", batch_size, 1), eta, rng), last, None)
    )
    p = step.feature
    other = int(np.argmax(np.abs(np.corrcoef(X.T)[p]) - np.eye(5)[p]))
    names = [f"$X_{index + 1}$" for index in range(5)]

    figure = new_figure(2.35)
    axes = figure.subplots(1, 4)
    axes[0].bar(names, step.saliency, color=NOISE, width=0.7)
    axes[0].set_ylabel("$FI(d)$")
    axes[0].tick_params(axis="x", length=0)
    axes[0].set_box_aspect(1)
    _draw_wheel(axes[1], step, names)
    pair = X[:, [other, p]]
    draw_points(axes[2], pair, step.weights, FIRST)
    describe_weights(axes[2], X[:, p], X[:, [other]], step.weights)
    draw_points(axes[3], pair, np.full(n, 1 / n), FAINT)
    times = np.bincount(step.batch, minlength=n)
    drawn = times > 0
    draw_points(axes[3], pair[drawn], 2 * times[drawn] / drawn.sum(), SECOND)
    for ax in axes[2:]:
        ax.set_xlabel(names[other])
        ax.set_ylabel(names[p])
    titles = ("Importances", f"Draw: {names[p]}", f"Weights for {names[p]}", "Mini-batch")
    for place, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        heading(ax, f"{place + 1}  {title}")
    _draw_arrows(figure, axes)
    return figure


def _draw_wheel(ax: "Axes", step: Step, names: list[str]) -> None:
    """The probabilities of the features as a ring, the drawn one coloured."""
    share = step.saliency / step.saliency.sum()
    shown = np.flatnonzero(share)
    ax.pie(
        share[shown],
        labels=[names[p] for p in shown],
        colors=[SIGNAL if p == step.feature else FAINT for p in shown],
        labeldistance=0.72,
        radius=1.15,
        startangle=90,
        counterclock=False,
        wedgeprops={"width": 0.6, "edgecolor": "white", "linewidth": 1.2},
        textprops={"ha": "center", "va": "center", "fontsize": 7.5},
    )
    ax.set_box_aspect(1)


def _draw_arrows(figure: "Figure", axes: Any) -> None:
    """The way back from the mini-batch to the importances, below the panels."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    cast("ConstrainedLayoutEngine", figure.get_layout_engine()).set(rect=(0, 0.17, 1, 0.83))
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    boxes = [ax.get_position() for ax in (axes[3], axes[0])]
    start, end = ((box.x0 + box.x1) / 2 for box in boxes)
    way = Path([(start, 0.15), (start, 0.1), (end, 0.1), (end, 0.17)])
    figure.add_artist(
        FancyArrowPatch(path=way, arrowstyle="-|>", mutation_scale=9, color=INK, linewidth=1.0)
    )
    text = "gradient step on the mini-batch, then d + 1"
    figure.text((start + end) / 2, 0.02, text, ha="center", fontsize=7.5)


def _correlation() -> FloatArray:
    matrix = np.eye(5)
    matrix[:2, 2] = matrix[2, :2] = 0.8
    matrix[0, 1] = matrix[1, 0] = 0.4
    return matrix
