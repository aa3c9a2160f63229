"""Rows of real data sets, divided at random into a training and a test sample.

The truth names no signal features, since they are unknown. Of a data set that is used whole the
test sample is the training sample in another order, and no measure of prediction means anything.
"""

import functools
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple

import numpy as np

from losaw.data import Dataset, FeatureKind, FloatArray, Sample
from losaw.study.generators.generator import DataGenerator, Share, data_of
from losaw.study.generators.noisy_linear import Target, mix
from losaw.support.arguments import real_number
from losaw.support.models import Task

Fraction = Annotated[
    float, functools.partial(real_number, minimum=0, maximum=1, without_minimum=True)
]


class RealTable(NamedTuple):
    """The response, the task, whether a N(0, 1) feature is added, the share of training rows."""

    response: str
    task: Task = "regression"
    adds_random: bool = False
    share: float = 1.0


REAL_TABLES = {
    "rna_editing": RealTable("edit", "classification"),
    "adult": RealTable("income", "classification", adds_random=True, share=5000 / 27_504),
    "boston_housing": RealTable("MEDV", adds_random=True),
    "diamonds": RealTable("price"),
    "fish": RealTable("Length1"),
    "california_housing": RealTable("median_house_value"),
}


class RealForestDataGenerator(DataGenerator):
    """Rows of a real data set, text columns as level codes (Zhou and Hooker, Sections 5.2 to 5.4).

    Adult and Boston housing have an additional feature, "random" ~ N(0, 1), drawn every time, and
    Adult's training sample is 5000 random rows of 27,504. The others are used whole.
    """

    examples = ({"data_set": "rna_editing"}, {"data_set": "adult"}, {"data_set": "boston_housing"})

    data_set: Literal["rna_editing", "adult", "boston_housing"]
    real_data_set = property(attrgetter("data_set"))

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw rows and the random feature."""
        return _divided(self.data_set, REAL_TABLES[self.data_set].share, rng)


class DiamondsGenerator(DataGenerator):
    """A random part of 4,463 round diamonds for training, the others for the test.

    Nine features: carat, depth_perc, table, x_length, y_width, z_depth; and cut, color and
    clarity as codes in the order of the alphabet. The response is the price in US dollars
    (Blesch, Watson & Wright 2024, Section 3.3 and Appendix D). See
    :func:`losaw.study.datasets.frames.clean_diamonds` for how round is round.
    """

    examples = ({"fraction": 0.01},)
    real_data_set = "diamonds"
    # Share of the training sample; 1: all rows, which are then the test sample too.
    fraction: Fraction = 2 / 3

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a random division."""
        return _divided("diamonds", self.fraction, rng)


class RealRegressionGenerator(DataGenerator):
    """A random part of the rows of FISH or HOUSING, mixed with noise on request.

    (Gerstorfer et al., Sections 2.3 and 4; the responses are Length1 and median_house_value.)
    """

    examples = (
        {"data_set": "fish", "fraction": 0.7},
        {"data_set": "fish", "noise_share": 0.4},
        {"data_set": "california_housing", "fraction": 0.01},
    )

    data_set: Literal["fish", "california_housing"]  # see :func:`losaw.study.datasets.load_cleaned`
    # Share of the rows that is the training sample; the others are the test sample. 1: all rows,
    # which are then the test sample too.
    fraction: Fraction = 1.0
    # Mix the standardised features with noise; None: features and response as they are.
    noise_share: Share | None = None
    # Of the response when features are mixed; see :func:`losaw.study.generators.noisy_linear.mix`.
    target: Target = "standardized"
    real_data_set = property(attrgetter("data_set"))

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a random part of the rows."""
        return _divided(self.data_set, self.fraction, rng, self.noise_share, self.target)


def _divided(
    data_set: str,
    fraction: float,
    rng: np.random.Generator,
    noise_share: float | None = None,
    target: Target = "kept",
) -> Dataset:
    """Draw the training rows without replacement; the others, or all again, are the test sample."""
    table = REAL_TABLES[data_set]
    X, y, names, kinds = read_rows(data_set, table.response)
    if table.adds_random:
        X = np.column_stack([X, rng.standard_normal(len(X))])
        names, kinds = (*names, "random"), (*kinds, "continuous")
    order = rng.permutation(len(y))
    n_train = max(2, round(fraction * len(y)))
    if fraction < 1 and len(y) - n_train < 2:
        raise ValueError(
            f"fraction must leave 2 of {len(y)} rows for the test sample (at most "
            f"{len(y) - 2}/{len(y)}), or be 1 for all rows, got {fraction!r}"
        )
    rest = order[n_train:] if fraction < 1 else rng.permutation(len(y))
    samples = [Sample(X[rows], y[rows]) for rows in (order[:n_train], rest)]
    if noise_share is not None:
        samples = [Sample(*mix(*sample, noise_share, target, rng)) for sample in samples]
    train, test = samples
    return data_of(train, test, None, names=names, kinds=kinds, task=table.task)


@functools.cache
def read_rows(
    data_set: str, response: str
) -> tuple[FloatArray, FloatArray, tuple[str, ...], tuple[FeatureKind, ...]]:
    """Read a data set once: features, response, and the features' names and kinds.

    Text becomes level codes in the order of the alphabet.
    """
    import pandas as pd

    from losaw.study import datasets

    frame = datasets.load_cleaned(data_set)
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    codes = frame.assign(**{name: pd.factorize(frame[name], sort=True)[0] for name in text})
    X = codes.drop(columns=response)
    kinds: list[FeatureKind] = ["nominal" if name in text else "continuous" for name in X]
    y = codes[response].to_numpy(float)
    return np.ascontiguousarray(X, dtype=float), y, tuple(X), tuple(kinds)
