"""A small tree and the splits that a traversal rate counts (Gerstorfer et al., Figure 1)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.options import between, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, NOISE, new_figure
from losaw.rng import as_generator
from losaw.study.design.grid import Study
from losaw.trends import absolute_traversal_rate, relative_traversal_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = ("F", "G")


def draw(
    study: Study,
    results: StudyResults,
    *,
    n_samples: int = 8,
    max_depth: int = 3,
    slope: float = 3.0,
    seed: int = 1,
) -> "Figure":
    """The splits on F (blue) with the responses on their two sides, and both rates of F.

    Parameters
    ----------
    n_samples, slope, seed : int, float, int
        The sample: normal F and G, responses 8 + slope F + 2 G + normal noise, rounded.
    max_depth : int, default 3
        Of the tree.

    Raises
    ------
    OptionError
        If a number is out of range.
    """
    from sklearn.ensemble import RandomForestRegressor

    rng = as_generator(whole_number("seed", seed, 0))
    X = rng.standard_normal((whole_number("n_samples", n_samples, 4), 2))
    noise = rng.standard_normal(len(X))
    y = np.rint(8 + between("slope", slope, -100, 100) * X[:, 0] + 2 * X[:, 1] + noise)
    forest = RandomForestRegressor(
        1, bootstrap=False, max_depth=whole_number("max_depth", max_depth, 1), random_state=0
    ).fit(X, y)
    tree = forest.estimators_[0].tree_
    inside = forest.estimators_[0].decision_path(X).toarray().astype(bool)

    figure = new_figure(1.2 + 0.75 * tree.max_depth)
    ax = figure.subplots()
    responses = [y[inside[:, node]] for node in range(tree.node_count)]
    signs = _draw_node(ax, tree, responses, 0, (0.0, 1.0))
    rates = [
        rate(forest, feature_names=NAMES).estimates[0]
        for rate in (absolute_traversal_rate, relative_traversal_rate)
    ]
    counted = " ".join("+1" if sign > 0 else "−1" if sign < 0 else "+0" for sign in signs)
    ax.set_title(
        f"ATR of F = ({counted}) / {len(signs)} = {rates[0]:.2f},  RTR of F = {rates[1]:.2f}"
        if signs
        else "no split on F",
        loc="left",
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(-tree.max_depth - 0.45, 0.4)
    ax.axis("off")
    return figure


def _draw_node(
    ax: "Axes",
    tree: Any,
    responses: list[np.ndarray],
    node: int,
    span: tuple[float, float],
    depth: int = 0,
) -> list[int]:
    """Draw a node and what is below it; the signs of the splits on F, from the top down."""
    middle = sum(span) / 2
    children = (tree.children_left[node], tree.children_right[node])
    values = "{" + ", ".join(f"{value:g}" for value in responses[node]) + "}"
    if children[0] < 0:
        plain = {"facecolor": "white", "linewidth": 0, "pad": 1.5}
        ax.text(middle, -depth, values, ha="center", va="center", fontsize=7, bbox=plain)
        return []
    on_first = tree.feature[node] == 0
    colour = FIRST if on_first else NOISE
    words = f"{NAMES[tree.feature[node]]} ≤ {tree.threshold[node]:.2f}".replace("-", "−")
    signs = []
    if on_first:
        left, right = (responses[child].mean() for child in children)
        signs = [int(np.sign(right - left))]
        words += f"\nmean {left:.1f} | {right:.1f}"
    for child, part in zip(children, ((span[0], middle), (middle, span[1])), strict=True):
        ax.plot([middle, sum(part) / 2], [-depth, -depth - 1], color=FAINT, zorder=0)
        signs += _draw_node(ax, tree, responses, child, part, depth + 1)
    ax.text(
        middle,
        -depth,
        f"{words}\n{values}",
        ha="center",
        va="center",
        fontsize=7,
        color=INK,
        bbox={"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour},
    )
    return signs
