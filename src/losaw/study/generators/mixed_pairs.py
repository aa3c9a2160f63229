"""Six relevant features, each with an irrelevant twin (Blesch et al. 2024, Section 3.2 and C.1)."""

from typing import Annotated

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.category_effects import Weights, cut_into_levels
from losaw.study.generators.conditional_dag import TRAIN_SHARE
from losaw.study.generators.generator import DataGenerator, at_least, data_of, draw_response
from losaw.support.arguments import between_0_and_1, whole_number
from losaw.support.models import Task

N_FEATURES = 12
BETA = np.array([0.0, 1.0, 0.0, 3.0] * 3)
NONLINEAR, CATEGORICAL = range(4, 8), range(8, 12)
QUARTILE = 0.6744897501960817  # of N(0, 1)
# Mean probability of the less probable class, and the search for the slope that gives it.
BAYES_ERROR, LARGEST_SLOPE = 0.2, 5.0


class MixedPairsGenerator(DataGenerator):
    """Twelve normal variables in pairs of correlation rho; X1, X3, … have no effect of their own,

        signal = sum_j beta_j g_j(X_j),   beta = (0, 1, 0, 3) for each of the three types,

    g is the identity for X1 to X4, 1 between the quartiles and -1 outside for X5 to X8, and the
    level's effect in [-1, 1] for X9 to X12, which are cut into categories. Y = signal + noise of
    half its variance (signal-to-noise ratio 2), or P(Y = 1) = 1 / (1 + exp(-b signal)) with b in
    [0, 5] such that the less probable class has probability .2 on average.
    """

    examples = (
        {"n_samples": 600, "rho": 0.8, "n_levels": 5},
        {
            "n_samples": 600,
            "rho": 0.5,
            "n_levels": 2,
            "outcome": "classification",
            "weights": "ordered",
        },
    )

    n_samples: int  # rows of training (66 %) and test sample together, as the paper counts
    rho: Annotated[float, between_0_and_1]  # correlation within a pair
    n_levels: Annotated[int, at_least(2)]  # of X9 to X12
    outcome: Task = "regression"
    # Effects of the quantile bins: shuffled as in the published code, ordered as in the text. See
    # :func:`losaw.study.generators.category_effects.cut_into_levels`.
    weights: Weights = "shuffled"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("n_samples", self.n_samples, max(6, 2 * self.n_levels), "two rows per level")

    def sample(self, rng: np.random.Generator) -> Dataset:
        n = self.n_samples
        X = rng.standard_normal((n, N_FEATURES))
        X[:, 1::2] = self.rho * X[:, ::2] + np.sqrt(1 - self.rho**2) * X[:, 1::2]
        effects = {}
        for j in CATEGORICAL:
            X[:, j], effects[j] = cut_into_levels(X[:, j], self.n_levels, 1.0, self.weights, rng)

        def signal(X: FloatArray) -> FloatArray:
            parts = X.copy()
            parts[:, NONLINEAR] = np.where(np.abs(X[:, NONLINEAR]) <= QUARTILE, 1.0, -1.0)
            for j in CATEGORICAL:
                parts[:, j] = effects[j][X[:, j].astype(int)]
            return np.asarray(parts @ BETA)

        strength = signal(X)
        variance = float(strength.var(ddof=1)) / 2
        slope = 0.0 if self.outcome == "regression" else _slope(strength)

        def mean(X: FloatArray) -> FloatArray:
            if self.outcome == "regression":
                return signal(X)
            return np.asarray(1 / (1 + np.exp(-slope * signal(X))))

        expected = mean(X)
        y = draw_response(self.outcome, expected, np.sqrt(variance), rng)
        if self.outcome == "regression":
            optimum = 1 - variance / float(y.var(ddof=1))
        else:
            optimum = float(np.maximum(expected, 1 - expected).mean())
        train, test = np.split(rng.permutation(n), [round(TRAIN_SHARE * n)])
        return data_of(
            Sample(X[train], y[train]),
            Sample(X[test], y[test]),
            np.flatnonzero(BETA).tolist(),
            kinds=("continuous",) * 8 + ("nominal",) * 4,
            task=self.outcome,
            noise_variance=variance,
            function=mean,
            details={"optimum": optimum},
        )


def _slope(strength: FloatArray) -> float:
    """Find b with mean min(p, 1 - p) = .2, or the largest b, by bisection: the mean falls in b."""

    def error(b: float) -> float:
        return float((1 / (1 + np.exp(b * np.abs(strength)))).mean())

    low, high = 0.0, LARGEST_SLOPE
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle) > BAYES_ERROR else (low, middle)
    return (low + high) / 2
