"""The schemes of the papers: what a method does, computed on a small sample.

Nothing of a study's results is shown, but for the curves of :func:`tradeoff`.
"""

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from losaw.data import FloatArray
from losaw.forest.as_printed.steps import relative_decrease
from losaw.network.architecture import Architecture
from losaw.network.gradient_descent import descend
from losaw.rng import as_generator
from losaw.study.errors import OptionError
from losaw.study.generators.category_effects import cut_into_levels
from losaw.study.report.drawings.panels import COLOURS, describe_panel, empty_figure
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FAINT, FIRST, INK, NOISE, SECOND, SIGNAL, new_figure
from losaw.study.report.typeset import math_label
from losaw.study.request.grid import Study
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
    metrics: Annotated[list[str], Field(min_length=2, max_length=2)],
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
    summary = results.summary
    of_importance = summary["importance"].isin(["", importance])
    summary = summary[(summary["learner"] == learner) & of_importance]
    figure = new_figure(3.5)
    grid = figure.add_gridspec(2, 3, width_ratios=[1, 1, 1.8])
    pair = _correlated_pair(200, as_generator(1))
    target, adjustment = pair[:, 1], pair[:, :1]
    caps = {1.0: ": unweighted", 0.5: "", 0.25: "", 0.0: ": no cap"}
    for number, (eta, remark) in enumerate(caps.items()):
        ax = figure.add_subplot(grid[divmod(number, 2)])
        weights = _weights_of(target, adjustment, eta)
        _draw_points(ax, pair, weights, FIRST)
        slope, intercept = np.polyfit(pair[:, 0], target, 1, w=np.sqrt(weights))
        ends = np.array([-3.0, 3.0])
        ax.plot(ends, intercept + slope * ends, color=INK, linewidth=1.0)
        _describe_weights(ax, target, adjustment, weights)
        ax.set(title=f"η = {eta:g}{remark}", xlabel=X1 if number > 1 else "")
        ax.set(ylabel="" if number % 2 else f"{X2}, the target")
    for row, (metric, colour) in enumerate(zip(metrics, (FIRST, SECOND), strict=True)):
        ax = figure.add_subplot(grid[row, 2])
        curve = summary[summary["metric"] == metric]
        if curve.empty:
            return empty_figure()
        if not pd.api.types.is_numeric_dtype(curve.get(axis)) or curve[axis].duplicated().any():
            raise OptionError(f"axis: the settings are not along {axis!r}, one at each number")
        curve = curve.sort_values(axis)
        half = 1.96 * curve["mc_se"].fillna(0.0)
        low, high = curve["mean"] - half, curve["mean"] + half
        ax.fill_between(curve[axis], low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(curve[axis], curve["mean"], color=colour, marker="o", markersize=3)
        describe_panel(ax, [("Prediction", "Interpretation")[row]], curve["n_seeds"])
        ax.set_ylabel(f"mean {math_label(study.show(metric))}", color=colour)
        ax.set(xlim=(0, None), xlabel=study.show(axis) if row else "")
    return figure


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
        ax.set(title=title, xlabel=X1)
    axes[0].set_ylabel(X2)
    dashed: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (3, 2))}
    best = (-np.inf, 0.0, 0)  # relative decrease, split point, feature
    for p, colour in enumerate((FIRST, SECOND)):
        _describe_weights(axes[1 + p], X[:, p], X[:, [1 - p]], weights[p])
        points = np.sort(X[:, p])[leaf - 1 : len(y) - leaf]
        plain, weighted = (
            [relative_decrease(w, y[:, None], X[:, p] <= point) for point in points]
            for w in (uniform, weights[p])
        )
        axes[3].plot(points, plain, color=colour, alpha=0.7, **dashed)
        axes[3].plot(points, weighted, color=colour, label=(X1, X2)[p])
        largest = int(np.argmax(weighted))
        best = max(best, (weighted[largest], points[largest], p))
    decrease, point, winner = best
    axes[3].plot(point, decrease, marker="*", markersize=9, color=INK)
    axes[3].plot([], [], color=INK, label="unweighted", **dashed)
    axes[3].legend(loc="upper left", fontsize=6.8, handlelength=1.2, borderaxespad=0)
    # Adding zero turns a rounded -0 into 0.
    split = f"Split: {(X1, X2)[winner]} ≤ {round(point, 2) + 0.0:.2f}".replace("-", "−")
    axes[3].set(title=split, xlabel="split point", ylabel="rel. impurity decrease")
    axes[3].set(xlim=(-_LIMIT, _LIMIT), ylim=(0, None), box_aspect=1 / 1.35)
    return figure


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
    axes = figure.subplots(1, 3)
    colours = [SIGNAL if index == p else NOISE for index in range(5)]
    axes[0].bar(names, step.saliency, color=colours, width=0.7)
    axes[0].tick_params(axis="x", length=0)
    axes[0].set(ylabel="$FI(d)$", box_aspect=1)
    pair = X[:, [other, p]]
    _draw_points(axes[1], pair, step.weights, FIRST)
    _describe_weights(axes[1], X[:, p], X[:, [other]], step.weights)
    _draw_points(axes[2], pair, np.full(n, 1 / n), FAINT)
    times = np.bincount(step.batch, minlength=n)
    drawn = times > 0
    _draw_points(axes[2], pair[drawn], 2 * times[drawn] / drawn.sum(), SECOND)
    for ax in axes[1:]:
        ax.set(xlabel=names[other], ylabel=names[p])
    titles = (f"Importances; {names[p]} drawn", f"Weights for {names[p]}", "Mini-batch")
    for number, (ax, title) in enumerate(zip(axes, titles, strict=True), 1):
        ax.set_title(f"{number}  {title}")
    return figure


def network_layers(study: Study, results: StudyResults) -> "Figure":
    """Draw the layers of the convolutional network for 1,000 features (losaw, Figure 5).

    Heights are positions.
    """
    architecture = Architecture(1000)
    figure = new_figure(2.8)
    ax = figure.subplots()
    for name, n_positions, n_channels, n_parameters in layers_of(architecture):
        colour = SECOND if "convolution" in name else FIRST if n_parameters else FAINT
        channels = f" × {n_channels}" if n_channels > 1 else ""
        label = f"{name}\n{n_parameters:,}" if n_parameters else name
        ax.bar_label(ax.bar(label, n_positions, 0.5, color=colour), [f"{n_positions:,}{channels}"])
    ax.set(yscale="log", ylabel="positions", xlabel="layer, and its number of parameters")
    sizes = f"{architecture.n_parameters:,} parameters for {architecture.n_features:,} features"
    ax.set_title(sizes, loc="right")
    return figure


def layers_of(architecture: Architecture) -> list[tuple[str, int, int, int]]:
    """Label, positions and channels of the output, and parameters of each layer, in their order.

    The parameters add up to the network's.
    """
    (k1, k2), (f1, f2) = architecture.kernel_sizes, architecture.filters
    u1, u2 = architecture.units
    flat = architecture.n_positions * f2
    return [
        ("features", architecture.n_features, 1, 0),
        (f"convolution\nkernel {k1}, ReLU", architecture.n_features - k1 + 1, f1, (k1 + 1) * f1),
        (f"convolution\nkernel {k2}, ReLU", architecture.n_positions, f2, (k2 * f1 + 1) * f2),
        ("flat", flat, 1, 0),
        ("dense\nReLU", u1, 1, (flat + 1) * u1),
        ("dense\nReLU", u2, 1, (u1 + 1) * u2),
        ("dense\nprediction", 1, 1, u2 + 1),
    ]


def quantile_categories(study: Study, results: StudyResults) -> "Figure":
    """Draw how a normal variable becomes a category with effects (CPI, Figure 6).

    Left: the continuous values, coloured by level. Right: the effect of every level.
    """
    n_levels = 4
    rng = as_generator(0)
    values = rng.standard_normal(3000)
    levels, effect_of_level = cut_into_levels(values, n_levels, 0.5, "ordered", rng)
    codes = levels.astype(int)
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
    for code, letter, colour in zip(in_order, letters, COLOURS, strict=False):
        inside = values[codes == code]
        if code != in_order[0]:
            left.axvline(inside.min(), color=INK, linewidth=0.8, linestyle=":")
        left.text(np.median(inside), left.get_ylim()[1], letter, ha="center", va="bottom")
        right.bar(letter, effect_of_level[code], color=colour, width=0.6)
    right.axhline(0, color=INK, linewidth=0.6)
    right.set_ylabel("effect of the level")
    left.set(xlabel="continuous version", ylabel="rows")
    return figure


def traversal_splits(study: Study, results: StudyResults) -> "Figure":
    """Draw the splits of a small tree that the traversal rates of F count.

    F and G are normal, the responses 8 + 3 F + 2 G + normal noise, rounded.
    (Gerstorfer et al., Figure 1.)
    """
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.tree import plot_tree

    rng = as_generator(1)
    X = rng.standard_normal((8, 2))
    y = np.rint(8 + 3.0 * X[:, 0] + 2 * X[:, 1] + rng.standard_normal(len(X)))
    forest = RandomForestRegressor(1, bootstrap=False, max_depth=3, random_state=0).fit(X, y)
    tree, names = forest.estimators_[0].tree_, ("F", "G")
    means = tree.value[:, 0, 0]
    on_first = tree.feature == 0
    signs = np.sign(means[tree.children_right[on_first]] - means[tree.children_left[on_first]])
    counted = " ".join("+1" if sign > 0 else "−1" if sign < 0 else "+0" for sign in signs)
    rates = [rate(forest).scores[0] for rate in (absolute_traversal_rate, relative_traversal_rate)]
    figure = new_figure(3.2)
    ax = figure.subplots()
    plot_tree(forest.estimators_[0], ax=ax, feature_names=names, impurity=False, fontsize=7)
    absolute = f"ATR of F = ({counted}) / {len(signs)} = {rates[0]:.2f}"
    ax.set_title(f"{absolute},  RTR of F = {rates[1]:.2f}")
    return figure


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
    limits = {"xlim": (-_LIMIT, _LIMIT), "ylim": (-_LIMIT - _ROOM, _LIMIT)}
    ax.set(xticks=[-2, 0, 2], yticks=[-2, 0, 2], box_aspect=1, **limits)


def _describe_weights(
    ax: "Axes", target: FloatArray, adjustment: FloatArray, weights: FloatArray
) -> None:
    """Write weighted correlation and effective sample size into the lower right corner."""
    correlation = weighted_correlations(target, adjustment, weights)[0]
    size = effective_sample_size(weights)
    text = f"correlation {correlation:.2f}\neff. sample {size:.0f} of {len(weights)}"
    look: dict[str, Any] = {"ha": "right", "va": "bottom", "fontsize": 6.8, "linespacing": 1.3}
    box = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1.0}
    ax.text(0.99, 0.02, text.replace("-", "−"), transform=ax.transAxes, bbox=box, **look)
