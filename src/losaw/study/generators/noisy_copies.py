"""SYN2 and SYN3: noisy copies of a feature (Gerstorfer et al., Section 2.3)."""

from functools import partial
from typing import Annotated, Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.generator import DataGenerator, Rows, data_of
from losaw.support.arguments import one_of, whole_number

DATA_SETS = {
    "syn2": ("X0", "X1", "X2", "A0", "A1", "A2"),
    "syn3": ("X0", "A0", "A1", "A2"),
}


class NoisyCopiesGenerator(DataGenerator):
    """Independent features, copies of the first with noise, and a response without noise,

        X0 ~ 3 N(0, 1),   X1 ~ 2 N(0, 1),   X2 ~ N(0, 1),
        A0 = X0 + N(0, 1),   A1 = X0 + 10 N(0, 1),   A2 = X0^2 + 10 N(0, 1),
        SYN2: Y = 4 X0^1.5 + 2 X1 + 0.5 X2^2,   SYN3: Y = 4 X0^1.5, without X1 and X2.

    Training and test sample have as many rows.
    """

    examples = (
        {"data_set": "syn2"},
        {"data_set": "syn3", "power": "absolute"},
        {"data_set": "syn2", "power": "half-normal"},
    )

    data_set: Annotated[str, partial(one_of, allowed=DATA_SETS)]
    n_samples: Rows = 100
    # The paper does not define X0^1.5 for negative X0: ``sign(X0) |X0|^1.5``, ``|X0|^1.5``, ``X0 =
    # 3 |N(0, 1)|``, or rows with a negative X0 dropped, about half of them, of 40 or more: Python
    # gives their response no value.
    power: Literal["signed", "absolute", "half-normal", "dropped"] = "signed"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power == "dropped":  # of 40 rows fewer than two are left once in 10^10 samples
            whole_number("n_samples", self.n_samples, 40, "half of the rows are dropped")

    def sample(self, rng: np.random.Generator) -> Dataset:
        names = DATA_SETS[self.data_set]
        return data_of(
            self._sample(rng),
            self._sample(rng),
            range(sum(name.startswith("X") for name in names)),
            names=names,
            kinds="continuous",
            noise_variance=0.0,
            function=self.regression_function,
        )

    def regression_function(self, X: FloatArray) -> FloatArray:
        """Return Y of features (n_samples, n_features)."""
        x0 = X[:, 0]
        sign = 1.0 if self.power == "absolute" else np.sign(x0)
        response: FloatArray = 4 * sign * np.abs(x0) ** 1.5
        if self.data_set == "syn2":
            response = response + 2 * X[:, 1] + 0.5 * X[:, 2] ** 2
        return response

    def _sample(self, rng: np.random.Generator) -> Sample:
        x0, x1, x2, noise_0, noise_1, noise_2 = rng.standard_normal((6, self.n_samples))
        x0 = 3 * (np.abs(x0) if self.power == "half-normal" else x0)
        columns = {
            "X0": x0,
            "X1": 2 * x1,
            "X2": x2,
            "A0": x0 + noise_0,
            "A1": x0 + 10 * noise_1,
            "A2": x0**2 + 10 * noise_2,
        }
        X = np.column_stack([columns[name] for name in DATA_SETS[self.data_set]])
        if self.power == "dropped":
            X = X[x0 >= 0]
        return Sample(X, self.regression_function(X))
