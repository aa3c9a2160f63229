"""Losaw gradient descent as the paper writes it (Algorithm 5.2), for a linear model.

The readable form of :mod:`losaw.network.mini_batches` and :mod:`losaw.network.training`, which do
the same for networks and many features. Nothing here needs JAX.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.weighting import GaussianLinear, NormalDensity, losaw_weights


@dataclass(frozen=True)
class Step:
    """The values computed in a step of losawGD."""

    saliency: FloatArray  # FI(d), the mean over the rows of the min-max normalised input gradient
    feature: int  # drawn with probability proportional to it
    weights: FloatArray  # (n_samples,), the losaw weights of that feature
    batch: Any  # rows drawn with these weights, with replacement


def descend(
    X: FloatArray,
    y: FloatArray,
    batch_size: int,
    eta: float,
    rng: np.random.Generator,
    learning_rate: float = 0.05,
) -> Iterator[Step]:
    """Yield the steps of Algorithm 5.2 for the linear model y = b'x, without end.

    A step draws a feature by its importance, rows by that feature's weights, and moves b against
    the gradient of the mean squared error on these rows. The input gradient of a linear model is
    b in every row. A step is given before b is moved. X (n_samples, n_features) are two or more
    continuous features, each adjusted for all others; ``eta`` is the smallest relative effective
    sample size.
    """
    n_samples, n_features = X.shape
    weights = [
        losaw_weights(
            X[:, p],
            np.delete(X, p, axis=1),
            eta=eta,
            propensity=GaussianLinear(),
            stabilization=NormalDensity(),
        )
        for p in range(n_features)
    ]
    b = 0.1 * rng.standard_normal((n_features,))
    while True:
        gradient = np.abs(b)
        saliency = (gradient - gradient.min()) / (np.ptp(gradient) + 1e-7)
        p = int(rng.choice(n_features, p=saliency / saliency.sum()))
        batch = rng.choice(n_samples, size=batch_size, p=weights[p])
        yield Step(saliency, p, weights[p], batch)
        residual = X[batch] @ b - y[batch]
        b = np.asarray(b - learning_rate * 2 / batch_size * X[batch].T @ residual)
