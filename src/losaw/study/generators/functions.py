"""The regression functions of the losaw paper: f1-f7 (Table 1) and f8-f10 (Table 4)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from losaw.data import FloatArray


@dataclass(frozen=True)
class RegressionFunction:
    """A sum over terms of products over features, of values or of threshold indicators,

    f(X) = sum_t prod_{p in t} g(X_p),   g(x) = x  or  g(x) = 1(x >= threshold).
    """

    terms: tuple[tuple[int, ...], ...]  # 0-based columns of every product
    threshold: float | None = None  # None for g(x) = x

    @property
    def signal(self) -> tuple[int, ...]:
        """0-based columns of the signal features (Definition 2.3), ascending."""
        return tuple(sorted({column for term in self.terms for column in term}))

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return values, shape (n_samples,), of features ``X``, shape (n_samples, n_features)."""
        values = np.zeros(len(X))
        for term in self.terms:
            columns = X[:, term]
            if self.threshold is not None:
                columns = (columns >= self.threshold).astype(float)
            values += columns.prod(axis=1)
        return values

    def draw(self, X: FloatArray, noise_variance: float, rng: np.random.Generator) -> FloatArray:
        """Return responses with normal noise."""
        return self(X) + np.sqrt(noise_variance) * rng.standard_normal(len(X))


# The paper prints {1, 3, 201, 204, 601, 602, 603} and means 0-based columns: counted from 1, the
# first block would be in a single window of the network's convolution, which Table 5 excludes.
_NETWORK_SIGNAL = (1, 3, 201, 204, 601, 602, 603)

FUNCTIONS = {
    "f1": RegressionFunction(((3,),)),
    "f2": RegressionFunction(((0,), (3,))),
    "f3": RegressionFunction(((0,), (1,))),
    "f4": RegressionFunction(((0,), (1,), (3,))),
    "f5": RegressionFunction(((0, 1),), threshold=0.0),
    "f6": RegressionFunction(((0, 3),), threshold=0.0),
    "f7": RegressionFunction(((0, 1), (3,)), threshold=0.0),
    "f8": RegressionFunction(tuple((column,) for column in _NETWORK_SIGNAL)),
    "f9": RegressionFunction(tuple((column,) for column in _NETWORK_SIGNAL), threshold=1.0),
    "f10": RegressionFunction(((1, 3), (201, 204), (601, 602, 603)), threshold=1.0),
}
# Of the first four features.
OfForests = Literal["f1", "f2", "f3", "f4", "f5", "f6", "f7"]
