"""The convolutional network of Figure 5: its shape, its parameters and its last layers.

    x (P) -> convolution (k1, f1), ReLU -> convolution (k2, f2), ReLU -> flatten (position, filter)
      -> dense u1, ReLU -> dense u2, ReLU -> dense 1

The convolutions are "valid" with stride 1, so that an output position sees k1 + k2 - 1 inputs
and there are P - k1 - k2 + 2 positions. The first dense layer has nearly all parameters. It is
stored in chunks of positions, transposed against the usual order: its gradient is then a product
that matrix libraries are fast at, and no array of all positions of a mini-batch is ever needed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

LONGEST_CHUNK = 71  # positions; 994 = 14 * 71 for P = 1,000

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Architecture:
    """The sizes of the network's layers."""

    n_features: int  # P, at least ``receptive_field``
    kernel_sizes: tuple[int, int] = (5, 3)
    filters: tuple[int, int] = (32, 64)
    units: tuple[int, int] = (64, 32)  # of the two hidden dense layers

    def __post_init__(self) -> None:
        if self.n_positions < 1:
            k1, k2 = self.kernel_sizes
            raise ValueError(
                f"X has {self.n_features} features; convolutions with kernels of {k1} and {k2} "
                f"need at least {self.receptive_field}: give more features or smaller kernel_sizes"
            )

    @property
    def receptive_field(self) -> int:
        """The number of inputs that an output position of the convolutions sees."""
        return sum(self.kernel_sizes) - 1

    @property
    def n_positions(self) -> int:
        """The number of output positions of the convolutions."""
        return self.n_features - self.receptive_field + 1

    @property
    def n_chunks(self) -> int:
        return math.ceil(self.n_positions / LONGEST_CHUNK)

    @property
    def chunk(self) -> int:
        """The number of positions in a chunk; the last chunk is filled up with zero weight."""
        return math.ceil(self.n_positions / self.n_chunks)

    @property
    def n_filled(self) -> int:
        """The number of positions of all chunks, those of zero weight included."""
        return self.n_chunks * self.chunk

    @property
    def n_parameters(self) -> int:
        """The number of trainable parameters; 4,080,001 for P = 1,000."""
        (k1, k2), (f1, f2), (u1, u2) = self.kernel_sizes, self.filters, self.units
        convolutions = (k1 + 1) * f1 + (k2 * f1 + 1) * f2
        return convolutions + (self.n_positions * f2 + 1) * u1 + (u1 + 1) * u2 + u2 + 1

    def initial_parameters(self, rng: np.random.Generator) -> Parameters:
        """Draw Glorot's weights, ``U(-a, a)`` with ``a² = 6 / (fan in + fan out)``; biases are 0.

        Shapes: ``kernel1`` (k1, f1), ``kernel2`` (k2 f1, f2), ``dense1`` (chunks, u1, chunk f2),
        ``dense2`` (u1, u2), ``output`` (u2, 1), and ``…_bias``.
        """
        (k1, k2), (f1, f2), (u1, u2) = self.kernel_sizes, self.filters, self.units

        def glorot(shape: tuple[int, ...], fan_in: int, fan_out: int) -> np.ndarray:
            bound = math.sqrt(6.0 / (fan_in + fan_out))
            return ((2.0 * rng.random(shape, dtype=np.float32) - 1.0) * bound).astype(np.float32)

        dense1 = glorot((u1, self.n_positions, f2), self.n_positions * f2, u1)
        filled = np.zeros((u1, self.n_filled, f2), dtype=np.float32)
        filled[:, : self.n_positions] = dense1
        chunks = filled.reshape(u1, self.n_chunks, self.chunk * f2).swapaxes(0, 1)
        weights = {
            "kernel1": glorot((k1, f1), k1, k1 * f1),
            "kernel2": glorot((k2 * f1, f2), k2 * f1, k2 * f2),
            "dense1": np.ascontiguousarray(chunks),
            "dense2": glorot((u1, u2), u1, u2),
            "output": glorot((u2, 1), u2, 1),
        }
        sizes = {"kernel1": f1, "kernel2": f2, "dense1": u1, "dense2": u2, "output": 1}
        biases = {f"{name}_bias": np.zeros(size, np.float32) for name, size in sizes.items()}
        return {**weights, **biases}


def head(parameters: Parameters, dense1: Any) -> Any:
    """Return the output (n_rows,) from the first dense layer's sums (n_rows, u1) without bias."""
    import jax

    hidden = jax.nn.relu(dense1 + parameters["dense1_bias"])
    hidden = jax.nn.relu(hidden @ parameters["dense2"] + parameters["dense2_bias"])
    return (hidden @ parameters["output"] + parameters["output_bias"])[:, 0]


def first_layer_slopes(parameters: Parameters, dense1: Any) -> Any:
    """Return derivatives (n_rows, u1) of every output with respect to the first dense sums."""
    import jax

    return jax.grad(lambda sums: head(parameters, sums).sum())(dense1)
