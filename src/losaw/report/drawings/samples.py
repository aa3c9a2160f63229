"""The small samples that explain the method, and how weighted points are drawn."""

from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.data import FloatArray
from losaw.weighting import effective_sample_size, losaw_weights, weighted_correlations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AREA = 8.0  # square points of a point with the mean weight
_LIMIT = 3.4
_ROOM = 0.9  # below the points, for a text


def correlated_pair(n_samples: int, correlation: float, rng: np.random.Generator) -> FloatArray:
    """Standard normal X1 and X2, shape (n_samples, 2)."""
    factor = np.linalg.cholesky([[1.0, correlation], [correlation, 1.0]])
    return np.asarray(rng.standard_normal((n_samples, 2)) @ factor.T)


def weights_of(
    target: FloatArray, adjustment: FloatArray, eta: float, reference: FloatArray | None = None
) -> FloatArray:
    """Losaw weights with the paper's models for continuous features; eta = 0 does not cap them.

    The relative effective sample size is never below 1 / n_samples, so that a cap at half of
    this changes nothing. ``reference``: as in :func:`losaw.weighting.losaw_weights`.
    """
    return losaw_weights(
        target,
        adjustment,
        eta=eta or 0.5 / len(target),
        propensity="gaussian",
        stabilization="normal",
        reference=reference,
    )


def draw_points(
    ax: "Axes", points: FloatArray, weights: FloatArray, colour: Any, **keywords: Any
) -> None:
    """Points whose area is proportional to their weight; a mean weight is 1 / n_samples."""
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


def describe_weights(
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
