"""The schemes of the papers: what a method does, computed on a small sample.

Nothing of a study's results is shown, but for the curves of :func:`tradeoff`.
"""

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.forest.as_printed_steps import relative_decrease
from losaw.network.architecture import Architecture
from losaw.network.gradient_descent import Step, descend
from losaw.rng import as_generator
from losaw.study.design.grid import Study
from losaw.study.generators.category_effects import cut_into_levels
from losaw.study.report.drawings.panels import COLOURS, note_runs
from losaw.study.report.options import OptionError
from losaw.study.report.results import StudyResults
from losaw.study.report.style import (
    FAINT,
    FIRST,
    INK,
    NOISE,
    SECOND,
    SIGNAL,
    heading,
    new_figure,
)
from losaw.study.report.typeset import math_label
from losaw.trends import absolute_traversal_rate, relative_traversal_rate
from losaw.weighting import (
    GaussianLinear,
    NormalDensity,
    effective_sample_size,
    losaw_weights,
    weighted_correlations,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

X1, X2 = "$X_1$", "$X_2$"
CORRELATION = 0.8  # of the two features of the samples
ETA = 0.25  # smallest relative effective sample size
_AREA = 8.0  # square points of a point with the mean weight
_LIMIT = 3.4
_ROOM = 0.9  # below the points, for a text


def tradeoff(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    metrics: list[str],
    axis: str,
) -> "Figure":
    """Draw weights at four caps, and means of two metrics against the cap with 95 % bands.

    (losaw, Figure 2.)

    Parameters
    ----------
    metrics : list of two metrics
    axis : str
        Numerical axis of the study; all settings must be along it.
    """
    if len(metrics) != 2:
        raise OptionError(f"metrics must be a list of 2, got {metrics!r}")
    pair = _correlated_pair(200, as_generator(1))
    summary = results.summary
    summary = summary[
        (summary["learner"] == learner) & summary["importance"].fillna("").isin(["", importance])
    ]
    figure = new_figure(3.5)
    left, right = cast("list[Any]", figure.subfigures(1, 2, width_ratios=[1.08, 1], wspace=0.03))
    _draw_caps(left.subplots(2, 2, sharex=True, sharey=True).ravel(), pair)
    axes = right.subplots(2, 1, sharex=True)
    for ax, metric, colour in zip(axes, metrics, (FIRST, SECOND), strict=True):
        curve = summary[summary["metric"] == metric]
        if not pd.api.types.is_numeric_dtype(curve[axis]) or curve[axis].duplicated().any():
            raise OptionError(f"axis: the settings are not along {axis!r}, one at each number")
        curve = curve.sort_values(axis)
        half = 1.96 * curve["mc_se"].fillna(0.0)
        low, high = curve["mean"] - half, curve["mean"] + half
        ax.fill_between(curve[axis], low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(curve[axis], curve["mean"], color=colour, marker="o", markersize=3)
        ax.set_xlim(0, None)
        ax.grid()
        note_runs(ax, curve["n_seeds"])
        ax.set_ylabel(f"mean {math_label(study.show(metric))}", color=colour)
    heading(axes[0], "Prediction")
    heading(axes[1], "Interpretation")
    axes[1].set_xlabel(f"{study.show(axis)}, the smallest relative effective sample size")
    return figure


def _draw_caps(axes: Any, pair: FloatArray) -> None:
    target, adjustment = pair[:, 1], pair[:, :1]
    caps = {1.0: ": unweighted", 0.5: "", 0.25: "", 0.0: ": no cap"}
    for ax, (eta, remark) in zip(axes, caps.items(), strict=True):
        weights = _weights_of(target, adjustment, eta)
        _draw_points(ax, pair, weights, FIRST)
        slope, intercept = np.polyfit(pair[:, 0], target, 1, w=np.sqrt(weights))
        ends = np.array([-3.0, 3.0])
        ax.plot(ends, intercept + slope * ends, color=INK, linewidth=1.0)
        heading(ax, f"η = {eta:g}{remark}")
        _describe_weights(ax, target, adjustment, weights)
    for ax in axes[2:]:
        ax.set_xlabel(X1)
    for ax in axes[::2]:
        ax.set_ylabel(f"{X2}, the target")


def weighted_split(study: Study, results: StudyResults) -> "Figure":
    """Draw how losawRF splits a node: a weighting per feature, one winner (losaw, Figure 3).

    A node with two correlated normal features of which only the first acts,
    Y = 1(X1 >= 0) + eps, eps ~ N(0, .3^2). Left to right: its sample; the weights for X1 and for
    X2, each decorrelating its feature from the other; the relative impurity decrease of every
    split under these weights and without them.
    """
    leaf, earlier_split = 5, 0.8
    rng = as_generator(3)
    training = _correlated_pair(400, rng)
    response = (training[:, 0] >= 0) + 0.3 * rng.standard_normal(len(training))
    # The stabilising densities are estimated on the whole training sample.
    in_node = training[:, 0] <= earlier_split
    X, y = training[in_node], response[in_node]
    uniform = np.full(len(y), 1 / len(y))
    weights = [_weights_of(X[:, p], X[:, [1 - p]], ETA, training[:, p]) for p in (0, 1)]

    figure = new_figure(1.95)
    axes = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.35])
    titles = ("Node, colour: $Y$", f"Weights for {X1}", f"Weights for {X2}")
    for ax, shown, title in zip(axes, (uniform, *weights), titles, strict=False):
        _draw_points(ax, X, shown, y, cmap="cividis", vmin=-0.6, vmax=1.6)
        ax.axvline(earlier_split, color=FAINT, linewidth=1.0, zorder=0)
        ax.set_xlabel(X1)
        heading(ax, title)
    axes[0].set_ylabel(X2)
    for p in (0, 1):
        _describe_weights(axes[1 + p], X[:, p], X[:, [1 - p]], weights[p])
    weighted = [_decreases(X[:, p], y, weights[p], leaf) for p in (0, 1)]
    plain = [_decreases(X[:, p], y, uniform, leaf) for p in (0, 1)]
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
    """Draw the curves of both features; return the chosen feature and threshold."""
    dashed: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (3, 2))}
    for curve, without, name, colour in zip(
        weighted, plain, (X1, X2), (FIRST, SECOND), strict=True
    ):
        ax.plot(*without, color=colour, alpha=0.7, **dashed)
        ax.plot(*curve, color=colour, label=name)
    winner = int(max(weighted[1][1]) > max(weighted[0][1]))
    points, decreases = weighted[winner]
    best = int(np.argmax(decreases))
    ax.plot(points[best], decreases[best], marker="*", markersize=9, color=INK)
    ax.plot([], [], color=INK, label="unweighted", **dashed)
    ax.set_xlabel("split point")
    ax.set_ylabel("rel. impurity decrease")
    ax.set_ylim(0, 1.08 * max(max(curve[1]) for curve in (*plain, *weighted)))
    ax.set_box_aspect(1 / 1.35)
    ax.set_xlim(-_LIMIT, _LIMIT)
    ax.legend(loc="upper left", fontsize=6.8, handlelength=1.2, borderaxespad=0)
    # Adding zero turns a rounded -0 into 0.
    split = f"Split: {(X1, X2)[winner]} ≤ {round(points[best], 2) + 0.0:.2f}"
    heading(ax, split.replace("-", "−"))
    return winner, float(points[best])


def gradient_descent(study: Study, results: StudyResults) -> "Figure":
    """Draw a step of losawGD: importances, feature, weights, mini-batch (losaw, Figure 4).

    Everything shown is computed: a linear model of five features is trained for 40 steps, and
    the last one is drawn. X1 to X3 are correlated (.4, .8, .8), X4 and X5 independent, and
    Y = X1 + X2 + X4 + eps with standard normal eps.
    """
    n, n_steps = 200, 40
    rng = as_generator(5)
    correlation = np.eye(5)
    correlation[:2, 2] = correlation[2, :2] = 0.8
    correlation[0, 1] = correlation[1, 0] = 0.4
    X = rng.standard_normal((n, 5)) @ np.linalg.cholesky(correlation).T
    y = X[:, [0, 1, 3]].sum(axis=1) + rng.standard_normal(n)
    step = next(islice(descend(X, y, 32, ETA, rng), n_steps - 1, None))
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
    _draw_points(axes[2], pair, step.weights, FIRST)
    _describe_weights(axes[2], X[:, p], X[:, [other]], step.weights)
    _draw_points(axes[3], pair, np.full(n, 1 / n), FAINT)
    times = np.bincount(step.batch, minlength=n)
    drawn = times > 0
    _draw_points(axes[3], pair[drawn], 2 * times[drawn] / drawn.sum(), SECOND)
    for ax in axes[2:]:
        ax.set_xlabel(names[other])
        ax.set_ylabel(names[p])
    titles = ("Importances", f"Draw: {names[p]}", f"Weights for {names[p]}", "Mini-batch")
    for place, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        heading(ax, f"{place + 1}  {title}")
    _draw_arrow_back(figure, axes)
    return figure


def _draw_wheel(ax: "Axes", step: Step, names: list[str]) -> None:
    """Draw the probabilities of the features as a ring, the drawn one coloured."""
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


def _draw_arrow_back(figure: "Figure", axes: Any) -> None:
    """Draw the way back from the mini-batch to the importances, below the panels."""
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


class Layer(NamedTuple):
    """A layer: its label, the shape of its output, and its number of parameters."""

    name: str
    positions: int
    channels: int
    parameters: int


def network_layers(study: Study, results: StudyResults) -> "Figure":
    """Draw the layers of the convolutional network for 1,000 features (losaw, Figure 5).

    Heights are positions, on a log scale.
    """
    architecture = Architecture(1000)
    layers = layers_of(architecture)
    figure = new_figure(2.6)
    ax = figure.subplots()
    highest = np.log2(architecture.n_positions * architecture.filters[1] + 1)
    for place, layer in enumerate(layers):
        height = np.log2(layer.positions + 1) / highest
        colour = SECOND if "convolution" in layer.name else FIRST if layer.parameters else FAINT
        ax.bar(place, height, width=0.5, bottom=-height / 2, color=colour, alpha=0.75)
        channels = f" × {layer.channels}" if layer.channels > 1 else ""
        ax.text(place, height / 2 + 0.03, f"{layer.positions:,}{channels}", ha="center")
        count = f"\n{layer.parameters:,}\nparameters" if layer.parameters else ""
        ax.text(place, -0.56, layer.name + count, ha="center", va="top", fontsize=7)
        if place:
            arrow = {"arrowstyle": "->", "color": INK, "linewidth": 0.8}
            ax.annotate("", (place - 0.3, 0), (place - 0.7, 0), arrowprops=arrow)
    ax.set_title(
        f"{architecture.n_parameters:,} parameters for {architecture.n_features:,} features",
        loc="right",
    )
    ax.set_ylim(-0.95, 0.62)
    ax.set_xlim(-0.6, len(layers) - 0.4)
    ax.axis("off")
    return figure


def layers_of(architecture: Architecture) -> list[Layer]:
    """The layers in the order of a prediction; their parameters add up to the network's."""
    (k1, k2), (f1, f2) = architecture.kernel_sizes, architecture.filters
    u1, u2 = architecture.units
    flat = architecture.n_positions * f2
    return [
        Layer("features", architecture.n_features, 1, 0),
        Layer(
            f"convolution\nkernel {k1}, ReLU", architecture.n_features - k1 + 1, f1, (k1 + 1) * f1
        ),
        Layer(f"convolution\nkernel {k2}, ReLU", architecture.n_positions, f2, (k2 * f1 + 1) * f2),
        Layer("flat", flat, 1, 0),
        Layer("dense\nReLU", u1, 1, (flat + 1) * u1),
        Layer("dense\nReLU", u2, 1, (u1 + 1) * u2),
        Layer("dense\nprediction", 1, 1, u2 + 1),
    ]


def quantile_categories(study: Study, results: StudyResults) -> "Figure":
    """Draw how a normal variable becomes a category with effects (CPI, Figure 6).

    Left: the continuous values, coloured by level. Right: the effect of every level.
    """
    n_levels = 4
    rng = as_generator(0)
    values = rng.standard_normal(3000)
    category = cut_into_levels(values, n_levels, 0.5, "ordered", rng)
    codes = category.codes.astype(int)
    in_order = sorted(range(n_levels), key=lambda code: values[codes == code].min())
    letters = [chr(ord("A") + code) for code in in_order]  # codes are in the alphabet's order

    figure = new_figure(2.3)
    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1])
    left.hist(
        [values[codes == code] for code in in_order],
        bins=list(np.linspace(values.min(), values.max(), 60)),
        stacked=True,
        color=list(COLOURS[:n_levels]),
    )
    for place, (code, letter) in enumerate(zip(in_order, letters, strict=True)):
        inside = values[codes == code]
        if place:
            left.axvline(inside.min(), color=INK, linewidth=0.8, linestyle=":")
        left.text(np.median(inside), left.get_ylim()[1], letter, ha="center", va="bottom")
        right.bar(place, category.effect_of_code[code], color=COLOURS[place], width=0.6)
    right.axhline(0, color=INK, linewidth=0.6)
    right.set_xticks(range(n_levels), letters)
    right.set_ylabel("effect of the level")
    left.set_xlabel("continuous version")
    left.set_ylabel("rows")
    return figure


def traversal_splits(study: Study, results: StudyResults) -> "Figure":
    """Draw the splits of a small tree that the traversal rates of F count.

    F and G are normal, the responses 8 + 3 F + 2 G + normal noise, rounded.
    (Gerstorfer et al., Figure 1.)
    """
    from sklearn.ensemble import RandomForestRegressor

    rng = as_generator(1)
    X = rng.standard_normal((8, 2))
    y = np.rint(8 + 3.0 * X[:, 0] + 2 * X[:, 1] + rng.standard_normal(len(X)))
    forest = RandomForestRegressor(1, bootstrap=False, max_depth=3, random_state=0).fit(X, y)
    tree = forest.estimators_[0].tree_
    inside = forest.estimators_[0].decision_path(X).toarray().astype(bool)

    figure = new_figure(1.2 + 0.75 * tree.max_depth)
    ax = figure.subplots()
    responses = [y[inside[:, node]] for node in range(tree.node_count)]
    signs = _draw_node(ax, tree, responses, 0, (0.0, 1.0))
    rates = [
        rate(forest, feature_names=("F", "G")).scores[0]
        for rate in (absolute_traversal_rate, relative_traversal_rate)
    ]
    counted = " ".join("+1" if sign > 0 else "−1" if sign < 0 else "+0" for sign in signs)
    ax.set_title(
        f"ATR of F = ({counted}) / {len(signs)} = {rates[0]:.2f},  RTR of F = {rates[1]:.2f}",
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
    """Draw a node and what is below it; return the signs of the splits on F, from the top down."""
    middle = sum(span) / 2
    children = (tree.children_left[node], tree.children_right[node])
    values = "{" + ", ".join(f"{value:g}" for value in responses[node]) + "}"
    place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
    if children[0] < 0:
        plain = {"facecolor": "white", "linewidth": 0, "pad": 1.5}
        ax.text(middle, -depth, values, bbox=plain, **place)
        return []
    on_first = tree.feature[node] == 0
    words = f"{'FG'[tree.feature[node]]} ≤ {tree.threshold[node]:.2f}".replace("-", "−")
    signs = []
    if on_first:
        left, right = (responses[child].mean() for child in children)
        signs = [int(np.sign(right - left))]
        words += f"\nmean {left:.1f} | {right:.1f}"
    for child, part in zip(children, ((span[0], middle), (middle, span[1])), strict=True):
        ax.plot([middle, sum(part) / 2], [-depth, -depth - 1], color=FAINT, zorder=0)
        signs += _draw_node(ax, tree, responses, child, part, depth + 1)
    frame = {"boxstyle": "round,pad=0.3", "facecolor": "white"}
    frame["edgecolor"] = FIRST if on_first else NOISE
    ax.text(middle, -depth, f"{words}\n{values}", color=INK, bbox=frame, **place)
    return signs


def _correlated_pair(n_samples: int, rng: np.random.Generator) -> FloatArray:
    """Standard normal X1 and X2, shape (n_samples, 2)."""
    factor = np.linalg.cholesky([[1.0, CORRELATION], [CORRELATION, 1.0]])
    return np.asarray(rng.standard_normal((n_samples, 2)) @ factor.T)


def _weights_of(
    target: FloatArray, adjustment: FloatArray, eta: float, reference: FloatArray | None = None
) -> FloatArray:
    """Losaw weights with the paper's models for continuous features; eta = 0 does not cap them.

    The relative effective sample size is never below 1 / n_samples, so that a cap at half of
    this changes nothing.
    """
    return losaw_weights(
        target,
        adjustment,
        eta=eta or 0.5 / len(target),
        propensity=GaussianLinear(),
        stabilization=NormalDensity(),
        reference=reference,
    )


def _draw_points(
    ax: "Axes", points: FloatArray, weights: FloatArray, colour: Any, **keywords: Any
) -> None:
    """Draw points whose area is proportional to their weight; a mean weight is 1 / n_samples."""
    area = _AREA * len(weights) * weights
    # Heavy points first, so that they do not hide the light ones.
    order = np.argsort(-area, kind="stable")
    colours = colour if isinstance(colour, str) else np.asarray(colour)[order]
    x, y = points[order].T
    ax.scatter(x, y, s=area[order], c=colours, alpha=0.6, linewidths=0, **keywords)
    ax.set_xticks([-2, 0, 2])
    ax.set_yticks([-2, 0, 2])
    ax.set_xlim(-_LIMIT, _LIMIT)
    ax.set_ylim(-_LIMIT - _ROOM, _LIMIT)
    ax.set_box_aspect(1)


def _describe_weights(
    ax: "Axes", target: FloatArray, adjustment: FloatArray, weights: FloatArray
) -> None:
    """Write weighted correlation and effective sample size into the lower right corner."""
    correlation = weighted_correlations(target, adjustment, weights)[0]
    size = effective_sample_size(weights)
    text = f"correlation {correlation:.2f}\neff. sample {size:.0f} of {len(weights)}"
    ax.text(
        0.99,
        0.02,
        text.replace("-", "−"),
        transform=ax.transAxes,
        ha="right",
        va="bottom",
        fontsize=6.8,
        linespacing=1.3,
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1.0},
    )
