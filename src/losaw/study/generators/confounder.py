"""A binary confounder of X and Y (Blesch, Watson & Wright 2024, Figure 1)."""

import numpy as np

from losaw.data import Dataset, FeatureKind, FloatArray, Sample, Truth
from losaw.support.arguments import whole_number

KINDS: tuple[FeatureKind, ...] = ("nominal", "continuous")


class ConfounderGenerator:
    """C drives both X and Y; X adds nothing to C,

        C ~ Bernoulli(1/2),   X = C + N(0, 1),   Y = C + N(0, 1).

    Parameters
    ----------
    n_samples : int, default 200
        Rows of training and test sample together, half each.

    Raises
    ------
    ValueError
        If there are fewer than 20 rows.
    """

    examples = ({"n_samples": 600},)

    def __init__(self, *, n_samples: int = 200) -> None:
        self.n_samples = whole_number("n_samples", n_samples, 20)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a Monte Carlo sample."""
        n = self.n_samples
        C = (rng.random(n) < 0.5).astype(float)
        noise = rng.standard_normal((2, n))
        X, y = np.column_stack([C, C + noise[0]]), C + noise[1]
        half = n // 2
        return Dataset(
            train=Sample(X[:half], y[:half]),
            test=Sample(X[half:], y[half:]),
            truth=Truth(signal=(0,), n_features=2, noise_variance=1.0, regression_function=_mean),
            feature_names=("C", "X"),
            feature_kinds=KINDS,
        )


def _mean(X: FloatArray) -> FloatArray:
    return X[:, 0]
