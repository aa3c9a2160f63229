"""A weak binary signal among features of growing cardinality (Zhou and Hooker, Section 5.1)."""

from typing import Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.generator import DataGenerator, data_of, draw_response
from losaw.support.models import Task

NOISE = 5.0
N_SAMPLES, N_FEATURES = 1000, 10


class BinarySignalGenerator(DataGenerator):
    """1000 rows of X_i uniform on {0, …, i}, i = 1 … 10, independent; only the binary X1 matters,

        regression:      Y = X1 + 5 eps,   eps ~ N(0, 1),
        classification:  P(Y = 1) = .45 + .1 X1.

    The test sample has 1000 rows, too.
    """

    examples = (
        {"task": "regression"},
        {"task": "classification", "levels": "zero-to-i-minus-1"},
    )

    task: Task
    # The paper prints {0, …, i - 1}, which makes X1 constant; its code has {0, …, i}. The second
    # reading agrees with the published values for a binary X1.
    levels: Literal["zero-to-i", "zero-to-i-minus-1"] = "zero-to-i"

    def regression_function(self, X: FloatArray) -> FloatArray:
        """Return the mean of the response, or its probability of class 1, (n_samples,)."""
        return X[:, 0] if self.task == "regression" else 0.45 + 0.1 * X[:, 0]

    def sample(self, rng: np.random.Generator) -> Dataset:
        return data_of(
            self._sample(rng),
            self._sample(rng),
            (0,),
            kinds="discrete",
            task=self.task,
            noise_variance=NOISE**2,
            function=self.regression_function,
        )

    def _sample(self, rng: np.random.Generator) -> Sample:
        extra = 1 if self.levels == "zero-to-i" else 0
        counts = [max(2, index + extra) for index in range(1, N_FEATURES + 1)]
        X = np.column_stack([rng.integers(c, size=N_SAMPLES) for c in counts]).astype(float)
        return Sample(X, draw_response(self.task, self.regression_function(X), NOISE, rng))
