"""A weak binary signal among features of growing cardinality (Zhou and Hooker, Section 5.1)."""

import numpy as np

from losaw.data import Dataset, FeatureKind, FloatArray, Sample, Truth, default_feature_names
from losaw.study.generators.generator import draw_response, task_of
from losaw.support.arguments import one_of, whole_number

READINGS = ("zero-to-i", "zero-to-i-minus-1")
NOISE = 5.0
N_FEATURES = 10
KIND: FeatureKind = "discrete"


class BinarySignalGenerator:
    """X_i uniform on {0, …, i}, i = 1 … 10, independent; only the binary X1 matters,

        regression:      Y = X1 + 5 eps,   eps ~ N(0, 1),
        classification:  P(Y = 1) = .45 + .1 X1.

    Parameters
    ----------
    task : {"regression", "classification"}
    levels : {"zero-to-i", "zero-to-i-minus-1"}, default "zero-to-i"
        The paper prints {0, …, i - 1}, which makes X1 constant; its code has {0, …, i}. The
        second reading agrees with the published values for a binary X1.
    n_samples : int, default 1000
        Rows of the training sample, and of the test sample.

    Raises
    ------
    ValueError
        If a parameter is unknown or out of range.
    """

    examples = (
        {"task": "regression"},
        {"task": "classification", "levels": "zero-to-i-minus-1"},
    )

    def __init__(
        self,
        *,
        task: str,
        levels: str = "zero-to-i",
        n_samples: int = 1000,
    ) -> None:
        self.task = task_of("task", task)
        self.levels = one_of("levels", levels, READINGS)
        self.n_samples = whole_number("n_samples", n_samples, 2)

    def regression_function(self, X: FloatArray) -> FloatArray:
        """Return the mean of the response, or its probability of class 1, (n_samples,)."""
        return X[:, 0] if self.task == "regression" else 0.45 + 0.1 * X[:, 0]

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a Monte Carlo sample."""
        return Dataset(
            train=self._sample(rng),
            test=self._sample(rng),
            truth=Truth(
                signal=(0,),
                n_features=N_FEATURES,
                noise_variance=NOISE**2 if self.task == "regression" else float("nan"),
                regression_function=self.regression_function,
            ),
            feature_names=default_feature_names(N_FEATURES),
            feature_kinds=(KIND,) * N_FEATURES,
            task=self.task,
        )

    def _sample(self, rng: np.random.Generator) -> Sample:
        extra = 1 if self.levels == "zero-to-i" else 0
        counts = [max(2, index + extra) for index in range(1, N_FEATURES + 1)]
        X = np.column_stack([rng.integers(c, size=self.n_samples) for c in counts]).astype(float)
        return Sample(X, draw_response(self.task, self.regression_function(X), NOISE, rng))
