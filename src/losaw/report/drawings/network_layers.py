"""The layers of the convolutional network, with shapes and parameters (losaw, Figure 5)."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from losaw.network.architecture import Architecture
from losaw.report.options import whole_number
from losaw.report.results import StudyResults
from losaw.report.style import FAINT, FIRST, INK, SECOND, new_figure
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Layer(NamedTuple):
    """A layer: its label, the shape of its output, and its number of parameters."""

    name: str
    positions: int
    channels: int
    parameters: int


def draw(study: Study, results: StudyResults, *, n_features: int = 1000) -> "Figure":
    """Boxes from the features to the prediction; heights are positions, on a log scale.

    Parameters
    ----------
    n_features : int, default 1000
        P; sizes of kernels and layers are the defaults of the learner.

    Raises
    ------
    OptionError
        If there are fewer features than an output position sees.
    """
    fewest = Architecture(n_features=1).receptive_field
    architecture = Architecture(whole_number("n_features", n_features, fewest))
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
            ax.annotate(
                "",
                (place - 0.3, 0),
                (place - 0.7, 0),
                arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 0.8},
            )
    ax.set_title(
        f"{architecture.n_parameters:,} parameters for {n_features:,} features", loc="right"
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
