"""A binary confounder of X and Y (Blesch, Watson & Wright 2024, Figure 1)."""

from typing import Annotated

import numpy as np

from losaw.data import Dataset, Sample
from losaw.study.generators.generator import DataGenerator, at_least, data_of


class ConfounderGenerator(DataGenerator):
    """C drives both X and Y; X adds nothing to C,

        C ~ Bernoulli(1/2),   X = C + N(0, 1),   Y = C + N(0, 1).

    Half of the rows are the training sample, half the test sample.
    """

    examples = ({"n_samples": 600},)

    n_samples: Annotated[int, at_least(20)] = 200

    def sample(self, rng: np.random.Generator) -> Dataset:
        n = self.n_samples
        C = (rng.random(n) < 0.5).astype(float)
        noise = rng.standard_normal((2, n))
        X, y = np.column_stack([C, C + noise[0]]), C + noise[1]
        half = n // 2
        return data_of(
            Sample(X[:half], y[:half]),
            Sample(X[half:], y[half:]),
            (0,),
            names=("C", "X"),
            kinds=("nominal", "continuous"),
            noise_variance=1.0,
            function=lambda X: X[:, 0],
        )
