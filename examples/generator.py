"""A generator: `losaw check generator.py`; in a study `generator: autoregressive`."""

import numpy as np

from losaw.data import Dataset, Sample, Truth, default_feature_names
from losaw.study.registry import register


@register("generator", "autoregressive")
class Autoregressive:
    """Autoregressive normal features, Y = X1 + X2 + N(0, noise_variance).

    Parameters
    ----------
    n_samples : int, default 500
    n_features : int, default 10
    correlation : float in (-1, 1), default 0.5
        Between neighbours.
    noise_variance : float, default 1.0
    """

    # The parameters that `losaw check` tries.
    examples = ({"n_samples": 200}, {"n_samples": 200, "n_features": 4, "correlation": -0.9})

    def __init__(self, *, n_samples=500, n_features=10, correlation=0.5, noise_variance=1.0):
        # A wrong value is refused here, before anything runs.
        if not -1 < correlation < 1:
            raise ValueError(f"correlation must lie between -1 and 1, got {correlation}")
        if n_features < 2:
            raise ValueError(f"n_features must be at least 2, got {n_features}")
        self.n_samples = n_samples
        self.n_features = n_features
        self.correlation = correlation
        self.noise_variance = noise_variance

    def sample(self, rng):
        """One Monte Carlo draw; ``rng`` is the only source of randomness."""
        independent = rng.standard_normal((1000, self.n_features))
        return Dataset(
            train=self._sample(self.n_samples, rng),
            test=self._sample(1000, rng),
            # Every feature from its own marginal, independently: for the metric r2_ind.
            independent=Sample(independent, regression_function(independent)),
            truth=Truth(
                signal=(0, 1),  # columns, counted from 0
                n_features=self.n_features,
                noise_variance=self.noise_variance,
                regression_function=regression_function,
            ),
            feature_names=default_feature_names(self.n_features),
            feature_kinds=("continuous",) * self.n_features,
        )

    def _sample(self, n_samples, rng):
        X = rng.standard_normal((n_samples, self.n_features))
        for column in range(1, self.n_features):
            X[:, column] *= np.sqrt(1 - self.correlation**2)
            X[:, column] += self.correlation * X[:, column - 1]
        noise = np.sqrt(self.noise_variance) * rng.standard_normal(n_samples)
        return Sample(X, regression_function(X) + noise)


def regression_function(X):
    """E[Y | X], shape (n_samples,)."""
    return X[:, 0] + X[:, 1]
