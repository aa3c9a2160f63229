"""Four features in two chains towards Y (Blesch, Watson & Wright 2024, Section 3.1 and B.1)."""

from functools import partial
from typing import Annotated

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.category_effects import cut_into_levels
from losaw.study.generators.generator import DataGenerator, at_least, data_of
from losaw.support.arguments import one_of, real_number, whole_number
from losaw.support.models import Task

CATEGORICAL: dict[str, tuple[int, ...]] = {
    "none": (),
    "X1": (0,),
    "X3": (2,),
    "X1+X3": (0, 2),
    "all": (0, 1, 2, 3),
}
TRAIN_SHARE = 0.66


class ConditionalDagGenerator(DataGenerator):
    """X1 -> X4 -> Y <- X3 <- X2: all four are relevant marginally, X3 and X4 conditionally,

        X1, X2 ~ N(0, 1),   X3 = e(X2) + N(0, 1),   X4 = e(X1) + N(0, 1),
        Y = e(X3) + e(X4) + N(0, 1),   or   P(Y = 1) = 1 / (1 + exp(e(X4) - e(X3))).

    e(x) = beta x for numbers. A categorical feature is its continuous version cut at its sample
    quantiles, under random letters, and e is the level's effect, between -beta and beta
    (:func:`losaw.study.generators.category_effects.cut_into_levels`). Level codes are in the
    order of the alphabet.
    """

    examples = (
        {"n_samples": 600, "categorical": "X1+X3", "n_levels": 4},
        {"n_samples": 600, "categorical": "all", "n_levels": 2, "outcome": "classification"},
    )

    # Rows of training (66 %) and test sample together, as the paper counts; two or more for each
    # level, if a feature has levels.
    n_samples: int
    categorical: Annotated[str, partial(one_of, allowed=CATEGORICAL)]
    n_levels: Annotated[int, at_least(2)] = 10
    beta: Annotated[float, real_number] = 0.5
    outcome: Task = "regression"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("n_samples", self.n_samples, 6)
        if CATEGORICAL[self.categorical]:
            whole_number("n_samples", self.n_samples, 2 * self.n_levels, "two rows per level")

    def sample(self, rng: np.random.Generator) -> Dataset:
        n, categorical = self.n_samples, CATEGORICAL[self.categorical]
        noise = rng.standard_normal((5, n))
        X = np.empty((n, 4))
        effect_of_code: dict[int, FloatArray] = {}

        def effect(X: FloatArray, feature: int) -> FloatArray:
            if feature in effect_of_code:
                return effect_of_code[feature][X[:, feature].astype(int)]
            return self.beta * X[:, feature]

        for feature, parent in ((0, None), (1, None), (2, 1), (3, 0)):
            X[:, feature] = noise[feature] + (0.0 if parent is None else effect(X, parent))
            if feature in categorical:
                X[:, feature], effect_of_code[feature] = cut_into_levels(
                    X[:, feature], self.n_levels, self.beta, "ordered", rng
                )

        def mean(X: FloatArray) -> FloatArray:
            if self.outcome == "regression":
                return effect(X, 2) + effect(X, 3)
            return np.asarray(1 / (1 + np.exp(effect(X, 3) - effect(X, 2))))

        expected, regression = mean(X), self.outcome == "regression"
        y = expected + noise[4] if regression else (rng.random(n) < expected).astype(float)
        train, test = np.split(rng.permutation(n), [round(TRAIN_SHARE * n)])
        # R^2* = SNR / (SNR + 1) with SNR = Var(Y) - 1, as B.4 has it; accuracy* of the test rows.
        accuracy = np.maximum(expected, 1 - expected)[test].mean()
        optimum = 1 - 1 / y.var(ddof=1) if regression else accuracy
        return data_of(
            Sample(X[train], y[train]),
            Sample(X[test], y[test]),
            (2, 3) if self.beta else (),
            kinds=["nominal" if j in categorical else "continuous" for j in range(4)],
            task=self.outcome,
            noise_variance=1.0,
            function=mean,
            details={"optimum": float(optimum)},
        )
