"""Deep knockoffs (Romano, Sesia & Candès 2020), in JAX and optax."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from losaw.data import FeatureKind, FloatArray
from losaw.knockoffs.gaussian import GaussianKnockoffs
from losaw.knockoffs.sampler import check_features, fitted_rows, varying_columns
from losaw.rng import as_generator, seed_integer
from losaw.support import jax_backend
from losaw.support.arguments import whole_number
from losaw.support.extras import extra

with extra("network"):
    import jax
    import jax.numpy as jnp
    import optax

    from losaw.knockoffs.deep_losses import decorrelation_loss, second_moment_loss, swap_discrepancy

LEARNING_RATE, MOMENTUM = 0.01, 0.9
_RUNNING = 0.1  # weight of a new batch in the running moments of a normalised layer
_LONGEST_SCAN = 250  # training steps in one compiled call


class _Training(NamedTuple):
    """Everything that changes from step to step."""

    weights: Any
    moments: Any
    optimiser: Any
    key: jax.Array


class DeepKnockoffs(BaseEstimator):
    """Knockoffs from a neural network that is trained to make them exchangeable,

        X~ = f(X, eps),   eps ~ N(0, I) of the size of X,

    minimising, over batches, the maximum mean discrepancy between (X, X~) and the same with all
    columns swapped, and with a random set swapped; the distance of first and second moments from
    those of all rows; and the distance of corr(X_j, X~_j) to 1 - s_j of the Gaussian SDP knockoffs.

    The network has ``n_layers`` layers of linear map, batch normalisation and PReLU, ``width``
    units each, and a linear output. Columns are standardised. Every column is a real number to
    this sampler.

    Parameters
    ----------
    n_epochs : int, default 500
        Passes over the rows; the published code makes 500.
    batch_size : int, default 64
        Rows of a step; fewer if there are fewer rows.
    width : int or None, default None
        Units of a layer; None is ten times the columns, as the authors advise.
    n_layers : int, default 6
    max_steps : int, default 8000
        Training ends after so many steps, whatever the number of rows.

    Attributes
    ----------
    losses_ : array of shape (n_steps,)
        Training loss of every step.

    Notes
    -----
    The published code compares the moments within a batch and takes the columns as they are. The
    former pulls knockoffs towards their features, see
    :func:`losaw.knockoffs.deep_losses.second_moment_loss`: those of dummies, whose covariances
    are many, hardly moved, no forest distinguished them, and CPI was 0.

    Stochastic gradient descent, momentum .9, with a rate that falls from .01 to 0. The published
    one stays at .01: on 1,020 rows of 24 columns the loss over all rows is then .155 after 7,500
    steps, with a falling rate .152 after 2,000. More steps lower the loss little, but let CPI find
    weak features: one of ten levels, in dummies, in .15, .45 and .40 of 40 data sets of 1,000 rows
    with 2,000, 4,000 and 7,500 steps (500 passes), and in .46, .71, .79 and .88 of 24 of 2,333 rows
    with 2,000, 4,000, 8,000 and 17,000 (``benchmarks/knockoffs.py power``).

    In float32, on one thread (see :mod:`losaw.support.jax_backend`). A constant column is its own
    knockoff; collinear columns and more columns than rows need no special care (the target
    correlations come from a shrunk covariance). Knockoffs are drawn for the rows trained on, with
    the running moments of the normalised layers.
    """

    handles_nominal = False

    def __init__(
        self,
        n_epochs: int = 500,
        batch_size: int = 64,
        width: int | None = None,
        n_layers: int = 6,
        max_steps: int = 8000,
    ) -> None:
        self.n_epochs = whole_number("n_epochs", n_epochs, 1)
        self.max_steps = whole_number("max_steps", max_steps, 1)
        self.batch_size = whole_number("batch_size", batch_size, 4)
        self.width = None if width is None else whole_number("width", width, 1, "or None")
        self.n_layers = whole_number("n_layers", n_layers, 1)

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> Self:
        """Train the network on X; ``rng`` draws its start, the batches, the noise and the swaps."""
        type(self)(**self.get_params())  # checks what set_params has set
        jax_backend.load()
        self.__dict__.pop("_X", None)  # what is refused leaves nothing to draw from
        rows, _ = check_features(X, kinds)
        rng = as_generator(rng)
        self._columns = varying_columns(rows)
        varying = rows[:, self._columns]
        self._mean, self._scale = varying.mean(axis=0), varying.std(axis=0)
        self._Z = jnp.asarray((varying - self._mean) / self._scale, dtype=jnp.float32)
        if not len(self._columns):
            self.losses_, self._X = np.empty(0), rows
            return self
        target = jnp.asarray(1 - GaussianKnockoffs("sdp").fit(varying).s_, dtype=jnp.float32)
        # What is aimed at: the covariance of all rows, and corr(X_j, X~_j).
        aims = self._Z.T @ self._Z / len(self._Z), target
        n_rows, p = self._Z.shape
        batch = min(self.batch_size, n_rows)
        key, start = jax.random.split(jax.random.key(seed_integer(rng)))
        weights, moments = _initial(start, p, self.width or 10 * p, self.n_layers)
        state = _Training(weights, moments, _OPTIMISER.init(weights), key)
        batches = np.concatenate(
            [
                rng.permutation(n_rows)[: n_rows // batch * batch].reshape(-1, batch)
                for _ in range(min(self.n_epochs, -(-self.max_steps // (n_rows // batch))))
            ]
        ).astype(np.int32)[: self.max_steps]
        rates = np.linspace(LEARNING_RATE, 0.0, len(batches), endpoint=False, dtype=np.float32)
        n_calls = -(-len(batches) // _LONGEST_SCAN)
        losses = []
        calls = [np.array_split(array, n_calls) for array in (batches, rates)]
        for steps in zip(*calls, strict=True):
            state, loss = _train(state, self._Z, *map(jnp.asarray, steps), aims)
            losses.append(np.asarray(loss))
        self.losses_ = np.concatenate(losses)
        self._weights, self._moments = state.weights, state.moments
        if not np.isfinite(self.losses_[-1]):
            raise ValueError(
                "X gives deep knockoffs whose training diverges (its loss is NaN), as columns do "
                "that hardly vary for a double; put them in units of their standard deviation"
            )
        self._X = rows
        return self

    def sample(self, rng: int | np.random.Generator | None) -> FloatArray:
        """One draw, shape (n_samples, n_features)."""
        drawn = fitted_rows(self)
        if len(self._columns):
            noise = jnp.asarray(as_generator(rng).standard_normal(self._Z.shape), dtype=jnp.float32)
            copies, _ = _network(self._weights, self._moments, self._Z, noise, training=False)
            drawn[:, self._columns] = self._mean + np.asarray(copies, dtype=float) * self._scale
        return drawn


_OPTIMISER = optax.trace(MOMENTUM)


def _initial(key: jax.Array, p: int, width: int, n_layers: int) -> tuple[Any, Any]:
    """Uniform weights of the usual width 1 / sqrt(inputs), and empty running moments."""
    layers, moments = [], []
    inputs = 2 * p
    for _ in range(n_layers):
        key, own_key = jax.random.split(key)
        bound = inputs**-0.5
        layers.append(
            {
                "map": jax.random.uniform(own_key, (inputs, width), minval=-bound, maxval=bound),
                "scale": jnp.ones(width),
                "shift": jnp.zeros(width),
                "slope": jnp.asarray(0.25, dtype=jnp.float32),
            }
        )
        moments.append({"mean": jnp.zeros(width), "variance": jnp.ones(width)})
        inputs = width
    key, own_key = jax.random.split(key)
    bound = inputs**-0.5
    output = {
        "map": jax.random.uniform(own_key, (inputs, p), minval=-bound, maxval=bound),
        "shift": jnp.zeros(p),
    }
    return {"layers": layers, "output": output}, moments


@partial(jax.jit, static_argnames="training")
def _network(
    weights: Any, moments: Any, X: jax.Array, noise: jax.Array, training: bool
) -> tuple[jax.Array, Any]:
    """Knockoffs, and the running moments after this batch."""
    signal = jnp.concatenate([X, noise], axis=1)
    updated = []
    for layer, running in zip(weights["layers"], moments, strict=True):
        signal = signal @ layer["map"]
        mean, variance = running["mean"], running["variance"]
        if training:
            mean, variance = signal.mean(axis=0), signal.var(axis=0)
            unbiased = variance * (len(X) / (len(X) - 1))
            updated.append(
                {
                    "mean": running["mean"] + _RUNNING * (mean - running["mean"]),
                    "variance": running["variance"] + _RUNNING * (unbiased - running["variance"]),
                }
            )
        signal = (signal - mean) * (layer["scale"] / jnp.sqrt(variance + 1e-5)) + layer["shift"]
        signal = jnp.where(signal > 0, signal, layer["slope"] * signal)
    output = weights["output"]
    return signal @ output["map"] + output["shift"], updated


def _loss(
    weights: Any,
    moments: Any,
    X: jax.Array,
    noise: jax.Array,
    swapped: jax.Array,
    covariance: jax.Array,
    correlations: jax.Array,
) -> tuple[jax.Array, Any]:
    copies, updated = _network(weights, moments, X, noise, training=True)
    value = (
        swap_discrepancy(X, copies, jnp.ones(X.shape[1]))
        + swap_discrepancy(X, copies, swapped)
        + second_moment_loss(X, copies, covariance)
        + decorrelation_loss(X, copies, correlations)
    )
    return value, updated


@jax.jit
def _train(
    state: _Training,
    Z: jax.Array,
    batches: jax.Array,
    rates: jax.Array,
    aims: tuple[jax.Array, jax.Array],
) -> tuple[_Training, jax.Array]:
    """One step for each row of ``batches`` (n_steps, batch_size); all in one compiled loop."""

    def step(state: _Training, batch: tuple[jax.Array, jax.Array]) -> tuple[_Training, jax.Array]:
        rows, rate = batch
        key, for_noise, for_swaps = jax.random.split(state.key, 3)
        X = Z[rows]
        noise = jax.random.normal(for_noise, X.shape)
        swapped = jax.random.bernoulli(for_swaps, 0.5, (X.shape[1],)).astype(X.dtype)
        (value, moments), gradient = jax.value_and_grad(_loss, has_aux=True)(
            state.weights, state.moments, X, noise, swapped, *aims
        )
        change, optimiser = _OPTIMISER.update(gradient, state.optimiser, state.weights)
        weights = jax.tree.map(lambda old, moved: old - rate * moved, state.weights, change)
        return _Training(weights, moments, optimiser, key), value

    return jax.lax.scan(step, state, (batches, rates))
