"""The network on inputs of any kind: its convolutions as matrix products of shifted inputs.

Chunk by chunk, inside a scan: k1 shifts stacked and multiplied by the first kernel, k2 shifts
of the result concatenated and multiplied by the second. (A convolution inside a scan is ten
times slower, a gather outside it twice.)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.network.architecture import Architecture, Parameters, head


class ShiftsForm:
    """The output and input gradients of the network from the inputs themselves."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        a = architecture
        mask = np.zeros((a.n_filled, 1), dtype=np.float32)
        mask[: a.n_positions] = 1.0
        self._counts = mask.reshape(a.n_chunks, a.chunk, 1)

    def encode(self, X: NDArray[Any]) -> NDArray[np.float32]:
        """Return the inputs in single precision, (n_rows, P)."""
        return np.asarray(X, dtype=np.float32)

    def predict(self, parameters: Parameters, x: Any) -> Any:
        """Return the output (n_rows,) of inputs (n_rows, P)."""
        import jax
        import jax.numpy as jnp

        a = self.architecture
        (k1, k2), (f1, _) = a.kernel_sizes, a.filters
        filled = jnp.pad(x, ((0, 0), (0, a.n_filled - a.n_positions)))
        width = a.chunk + a.receptive_field - 1
        starts = range(0, a.n_filled, a.chunk)
        pieces = jnp.stack([filled[:, start : start + width] for start in starts])
        inner = a.chunk + k2 - 1

        @jax.checkpoint
        def chunk(sums: Any, inputs: Any) -> Any:
            piece, weights, counts = inputs
            hidden = jnp.stack([piece[:, s : s + inner] for s in range(k1)], axis=2)
            hidden = hidden.reshape(-1, k1) @ parameters["kernel1"] + parameters["kernel1_bias"]
            hidden = jax.nn.relu(hidden).reshape(len(piece), inner, f1)
            hidden = jnp.concatenate([hidden[:, s : s + a.chunk] for s in range(k2)], axis=2)
            hidden = hidden.reshape(-1, k2 * f1) @ parameters["kernel2"]
            hidden = jax.nn.relu(hidden + parameters["kernel2_bias"])
            hidden = hidden.reshape(len(piece), a.chunk, -1) * counts
            return sums + hidden.reshape(len(piece), -1) @ weights.T, None

        start = jnp.zeros((len(x), a.units[0]), dtype=jnp.float32)
        sums, _ = jax.lax.scan(chunk, start, (pieces, parameters["dense1"], self._counts))
        return head(parameters, sums)

    def input_gradients(self, parameters: Parameters, x: Any) -> Any:
        """Return gradients (n_rows, P) of every row's output with respect to its inputs."""
        import jax

        return jax.grad(lambda inputs: self.predict(parameters, inputs).sum())(x)
