"""Steps of Adam, predictions and saliency of a network, compiled once per process.

Saliency maps are as tf-keras-vis computes them, which the paper uses (Simonyan et al. 2014):
``|d f(x) / d x_p|`` is scaled to 0-1 within its row (with 1e-7 added to the denominator), averaged
over rows, and scaled to 0-1 once more.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.network.architecture import Architecture, Parameters
from losaw.network.lookup import LookupForm
from losaw.network.shifts import ShiftsForm
from losaw.support import jax_backend
from losaw.support.arguments import real_number, whole_number
from losaw.support.extras import extra

ADAM_EPSILON = 1e-7  # Keras' default
# Adam's steps are in single precision, which ends here.
_SLOWEST = 1e-30
_PREDICTION_ROWS = 256
_SALIENCY_ROWS = 192
_ROW_EPSILON = 1e-7


class Network:
    """The compiled functions of an architecture, on inputs of a form."""

    def __init__(self, architecture: Architecture, form: Any, learning_rate: float) -> None:
        jax = jax_backend.load()
        with extra("network"):
            import optax

        self.architecture, self.learning_rate = architecture, learning_rate
        self.form = form(architecture)
        self._adam = optax.adam(learning_rate, eps=ADAM_EPSILON)
        # Donated: the parameters and both moments are updated in place.
        self._step = jax.jit(self._one_step, donate_argnums=(0, 1))
        self._predict = jax.jit(self.form.predict)
        self._saliency = jax.jit(self._row_saliency)

    def start(self, parameters: Parameters) -> tuple[Parameters, Any]:
        """Return parameters and Adam's state for the first :meth:`step`."""
        import jax.numpy as jnp

        on_device = {name: jnp.asarray(value) for name, value in parameters.items()}
        return on_device, self._adam.init(on_device)

    def hold(self, encoded: NDArray[Any]) -> Any:
        """Move an array that every step reads to the device of the computation."""
        import jax.numpy as jnp

        return jnp.asarray(encoded)

    def step(
        self, parameters: Parameters, moments: Any, encoded: Any, y: Any, rows: NDArray[Any]
    ) -> tuple[Parameters, Any]:
        """Return parameters and Adam's state after a mini-batch; the arguments are used up."""
        state: tuple[Parameters, Any] = self._step(parameters, moments, encoded, y, np.int32(rows))
        return state

    def predict(self, parameters: Parameters, X: NDArray[Any]) -> FloatArray:
        """Return the output (n_rows,) of inputs (n_rows, P)."""
        blocks = _blocks(X, _PREDICTION_ROWS)
        parts = [self._predict(parameters, self.form.encode(rows))[:n] for rows, n in blocks]
        return np.concatenate(parts).astype(np.float64) if parts else np.empty(0)

    def row_saliency(self, parameters: Parameters, encoded: NDArray[Any]) -> NDArray[np.float32]:
        """Return normalised absolute input gradients (n_rows, P) of encoded rows."""
        return np.asarray(self._saliency(parameters, encoded))

    def mean_row_saliency(self, parameters: Parameters, encoded: NDArray[Any]) -> FloatArray:
        """Return the mean normalised saliency of encoded rows, (P,)."""
        total = np.zeros(self.architecture.n_features)
        for rows, n in _blocks(encoded, _SALIENCY_ROWS):
            total += self.row_saliency(parameters, rows)[:n].sum(axis=0, dtype=np.float64)
        return total / len(encoded)

    def _one_step(
        self, parameters: Parameters, moments: Any, encoded: Any, y: Any, rows: Any
    ) -> tuple[Parameters, Any]:
        import jax
        import optax

        inputs, response = encoded[rows], y[rows]

        def loss(p: Parameters) -> Any:
            return ((self.form.predict(p, inputs) - response) ** 2).mean()

        updates, moments = self._adam.update(jax.grad(loss)(parameters), moments, parameters)
        return optax.apply_updates(parameters, updates), moments

    def _row_saliency(self, parameters: Parameters, encoded: Any) -> Any:
        return normalized_rows(self.form.input_gradients(parameters, encoded))


_compiled = functools.lru_cache(maxsize=8)(Network)


def network_for(settings: Any, rows: FloatArray) -> Network:
    """Return the network of a regressor's settings in the form for ``rows``."""
    architecture = Architecture(
        rows.shape[1],
        _pair("kernel_sizes", settings.kernel_sizes),
        _pair("filters", settings.filters),
        _pair("units", settings.units),
    )
    learning_rate = real_number("learning_rate", settings.learning_rate, _SLOWEST)
    return network_of(architecture, learning_rate, rows)


def network_of(architecture: Architecture, learning_rate: float, rows: FloatArray) -> Network:
    """Return the network in the form for ``rows``, compiled at its first use in a process."""
    form = LookupForm if LookupForm.suits(architecture, rows) else ShiftsForm
    return _compiled(architecture, form, learning_rate)


def normalized_rows(gradients: Any) -> Any:
    """Return ``(|g| - min |g|) / (max |g| - min |g| + 1e-7)`` of every row, shape (n_rows, P)."""
    size = abs(gradients)
    low = size.min(axis=1, keepdims=True)
    high = size.max(axis=1, keepdims=True)
    return (size - low) / (high - low + _ROW_EPSILON)


def normalized(scores: FloatArray) -> FloatArray:
    """Return scores (P,) scaled to 0-1; all zero if they are equal."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _pair(name: str, value: Any) -> tuple[int, int]:
    """Return a pair of positive integers."""
    if not isinstance(value, list | tuple | np.ndarray) or len(value) != 2:
        raise TypeError(f"{name} must be a pair of integers, got {value!r}")
    return whole_number(name, value[0], 1), whole_number(name, value[1], 1)


def _blocks(X: NDArray[Any], size: int) -> Any:
    """Yield (rows, number of rows that count), all of one shape for a single program."""
    for start in range(0, len(X), size):
        rows = X[start : start + size]
        n = len(rows)
        if n < size:
            rows = np.concatenate([rows, np.zeros((size - n, *X.shape[1:]), dtype=X.dtype)])
        yield rows, n
