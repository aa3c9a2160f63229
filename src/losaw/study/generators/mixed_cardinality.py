"""A continuous feature and factors of 2, 4, 10 and 20 levels (Zhou and Hooker, Section 3.3)."""

from typing import Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.generator import DataGenerator, Rows, Share, data_of, draw_response
from losaw.support.models import Task

LEVELS = (2, 4, 10, 20)


class MixedCardinalityGenerator(DataGenerator):
    """X1 ~ N(0, 1), X2 … X5 uniform on 2, 4, 10 and 20 levels, independent; X2 is the signal,

        regression:      Y = rho X2 + eps,   eps ~ N(0, 1),
        classification:  Y = X2, flipped with probability (1 - rho) / 2.

    With rho = 0 the response is independent of all features (Figures 1, 3, 8 and 10); rho from
    0 to 1 is the signal strength of Figures 2, 4, 9 and 11.
    """

    examples = (
        {"task": "regression", "rho": 0.5},
        {"task": "classification", "rho": 0.5, "factors": "discrete"},
        {"task": "classification"},
    )

    task: Task
    rho: Share = 0.0
    # Whether X2 … X5 are level codes, which a learner may turn into dummies, or ordered integers
    # (Appendix B). The numbers are the same.
    factors: Literal["nominal", "discrete"] = "nominal"
    n_samples: Rows = 1000  # rows of the training sample, and of the test sample

    def regression_function(self, X: FloatArray) -> FloatArray:
        """Return the mean of the response, or its probability of class 1, (n_samples,)."""
        if self.task == "regression":
            return self.rho * X[:, 1]
        return (1 - self.rho) / 2 + self.rho * X[:, 1]

    def sample(self, rng: np.random.Generator) -> Dataset:
        return data_of(
            self._sample(rng),
            self._sample(rng),
            (1,) if self.rho > 0 else (),
            kinds=("continuous", *[self.factors] * len(LEVELS)),
            task=self.task,
            noise_variance=1.0,
            function=self.regression_function,
        )

    def _sample(self, rng: np.random.Generator) -> Sample:
        columns = [rng.standard_normal(self.n_samples)]
        columns += [rng.integers(levels, size=self.n_samples).astype(float) for levels in LEVELS]
        X = np.column_stack(columns)
        return Sample(X, draw_response(self.task, self.regression_function(X), 1.0, rng))
