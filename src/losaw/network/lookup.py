"""The network on inputs in {-1, 0, 1}: its convolutions as a table of patterns.

An output position of the two convolutions sees r = k1 + k2 - 1 inputs, hence one of 3^r
patterns. Both convolutions are applied to all patterns once a step; rows look their positions up.
Nothing is approximated, and gradients flow through the table.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.network.architecture import Architecture, Parameters, first_layer_slopes, head

MOST_PATTERNS = 3**8


class LookupForm:
    """The output and input gradients of the network from pattern codes."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        field = architecture.receptive_field
        self._patterns = np.array(
            list(itertools.product((-1.0, 0.0, 1.0), repeat=field)), dtype=np.float32
        )
        # Code of the positions that only fill the last chunk up: a row of zeros in every table.
        self._nothing = len(self._patterns)

    @staticmethod
    def suits(architecture: Architecture, X: NDArray[Any]) -> bool:
        """Return whether all inputs are -1, 0 or 1, and the patterns few enough for a table."""
        return 3**architecture.receptive_field <= MOST_PATTERNS and all(
            bool(((rows == 0) | (np.abs(rows) == 1)).all())
            for rows in np.array_split(X, max(1, len(X) // 1000))
        )

    def encode(self, X: NDArray[Any]) -> NDArray[np.int16]:
        """Return the pattern of every row and position, shape (n_rows, chunks, chunk)."""
        a = self.architecture
        digits = (X + 1.0).astype(np.int16)
        codes = np.full((len(X), a.n_filled), self._nothing, dtype=np.int16)
        inner = codes[:, : a.n_positions]
        inner[:] = 0
        for shift in range(a.receptive_field):
            inner *= 3
            inner += digits[:, shift : shift + a.n_positions]
        return codes.reshape(len(X), a.n_chunks, a.chunk)

    def predict(self, parameters: Parameters, codes: Any) -> Any:
        """Return the output (n_rows,) for codes (n_rows, chunks, chunk)."""
        _, second = self._hidden(parameters)
        return head(parameters, self._sums(parameters, second, codes))

    def input_gradients(self, parameters: Parameters, codes: Any) -> Any:
        """Gradients (n_rows, P) of every row's output with respect to its inputs.

        Backpropagation position by position; which ReLUs are active is looked up by pattern.
        """
        import jax
        import jax.numpy as jnp

        a = self.architecture
        first, second = self._hidden(parameters)
        # Tables of active ReLUs, a byte each, so that looking up is quick.
        active1, active2 = _with_nothing(first > 0), _with_nothing(second > 0)
        slopes = first_layer_slopes(parameters, self._sums(parameters, second, codes))
        onto_inputs = self._first_kernel_onto_inputs(parameters)

        def chunk(carry: None, inputs: Any) -> Any:
            codes_here, weights = inputs
            code = codes_here.reshape(-1)
            backward = (slopes @ weights).reshape(len(code), -1)
            backward = jnp.where(active2[code], backward, 0.0)
            backward = jnp.where(active1[code], backward @ parameters["kernel2"].T, 0.0)
            return carry, (backward @ onto_inputs).reshape(*codes_here.shape, -1)

        _, parts = jax.lax.scan(chunk, None, (jnp.swapaxes(codes, 0, 1), parameters["dense1"]))
        parts = jnp.swapaxes(parts, 0, 1).reshape(len(codes), a.n_filled, a.receptive_field)
        gradients = jnp.zeros((len(codes), a.n_features), dtype=jnp.float32)
        for shift in range(a.receptive_field):
            positions = slice(shift, shift + a.n_positions)
            gradients = gradients.at[:, positions].add(parts[:, : a.n_positions, shift])
        return gradients

    def _hidden(self, parameters: Parameters) -> tuple[Any, Any]:
        """Return values before both ReLUs of all patterns: (patterns, k2 f1) and (patterns, f2)."""
        import jax
        import jax.numpy as jnp

        k1, k2 = self.architecture.kernel_sizes
        windows = jnp.stack([self._patterns[:, s : s + k1] for s in range(k2)], axis=1)
        first = windows @ parameters["kernel1"] + parameters["kernel1_bias"]
        first = first.reshape(len(self._patterns), -1)
        second = jax.nn.relu(first) @ parameters["kernel2"] + parameters["kernel2_bias"]
        return first, second

    def _first_kernel_onto_inputs(self, parameters: Parameters) -> Any:
        """Return the first convolution as a matrix (k2 f1, r): filters of each shift, inputs."""
        import jax.numpy as jnp

        (k1, k2), f1 = self.architecture.kernel_sizes, self.architecture.filters[0]
        matrix = jnp.zeros((k2, f1, self.architecture.receptive_field), dtype=jnp.float32)
        for shift in range(k2):
            matrix = matrix.at[shift, :, shift : shift + k1].set(parameters["kernel1"].T)
        return matrix.reshape(k2 * f1, -1)

    def _sums(self, parameters: Parameters, second: Any, codes: Any) -> Any:
        """Return the sums of the first dense layer, (n_rows, u1), added up chunk by chunk."""
        import jax
        import jax.numpy as jnp

        table = _with_nothing(jax.nn.relu(second))

        @jax.checkpoint
        def chunk(sums: Any, inputs: Any) -> Any:
            code, weights = inputs
            return sums + table[code].reshape(len(code), -1) @ weights.T, None

        start = jnp.zeros((len(codes), self.architecture.units[0]), dtype=jnp.float32)
        chunks = (jnp.swapaxes(codes, 0, 1), parameters["dense1"])
        sums, _ = jax.lax.scan(chunk, start, chunks)
        return sums


def _with_nothing(table: Any) -> Any:
    """Return a table (patterns + 1, …) with zeros for the positions that only fill up."""
    import jax.numpy as jnp

    return jnp.concatenate([table, jnp.zeros_like(table[:1])])
