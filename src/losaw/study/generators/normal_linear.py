"""Normal features with a named correlation matrix (losaw, Example 1.1 and Figure 2)."""

from typing import Annotated

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.correlation import cholesky_factor, correlation_matrix, draw_normal
from losaw.study.generators.functions import FUNCTIONS, OfForests
from losaw.study.generators.generator import DataGenerator, NotNegative, Rows, at_least, data_of
from losaw.study.generators.losaw import N_OTHERS


class NormalLinearGenerator(DataGenerator):
    """Normal features and a response with normal noise,

        X ~ N(0, R),   Y = f(X) + eps,   eps ~ N(0, noise_variance).

    Figure 1 (Example 1.1) has P = 5 and the correlations identity, homogeneous and heterogeneous,
    the last for at most five features; Figure 2 has P = 10 and six-features. Both have N = 1000,
    Y = X1 + X2 + eps and unit noise. Of 1000 rows each are a test sample, with noise, and one of
    independent features, without.
    """

    examples = (
        {"correlation": "heterogeneous", "n_samples": 400},
        {"correlation": "six-features", "n_samples": 400, "n_features": 10, "function": "f7"},
    )

    correlation: str  # R by name: see :func:`correlation_matrix`
    n_samples: Rows = 1000  # of the training sample
    n_features: Annotated[int, at_least(4, "f1 to f7 are of four features")] = 5  # P
    function: OfForests = "f3"  # Table 1; f3 is X1 + X2
    noise_variance: NotNegative = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._factor = cholesky_factor(correlation_matrix(self.correlation, self.n_features))
        self.f = FUNCTIONS[self.function]

    def sample(self, rng: np.random.Generator) -> Dataset:
        train = self._sample(self.n_samples, rng)
        test = self._sample(N_OTHERS, rng)
        independent = rng.standard_normal((N_OTHERS, self.n_features))
        return data_of(
            train,
            test,
            self.f.signal,
            kinds="continuous",
            noise_variance=self.noise_variance,
            function=self.f,
            independent=Sample(independent, self.f(independent)),
        )

    def _sample(self, n_samples: int, rng: np.random.Generator) -> Sample:
        X: FloatArray = draw_normal(self._factor, n_samples, self.n_features, rng)
        return Sample(X, self.f.draw(X, self.noise_variance, rng))
