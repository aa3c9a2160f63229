"""The real data of UFI's Figures 5 to 7: RNA editing, Adult and Boston housing."""

from typing import NamedTuple

import numpy as np

from losaw.data import Dataset, Sample, Truth
from losaw.study.generators.generator import Task
from losaw.study.generators.real_rows import read_rows
from losaw.support.arguments import one_of


class ForestData(NamedTuple):
    """The response, the task, an added N(0, 1) feature, and training rows (None: all)."""

    response: str
    task: Task
    adds_random: bool
    n_samples: int | None = None


DESIGNS = {
    "rna_editing": ForestData("edit", "classification", adds_random=False),
    "adult": ForestData("income", "classification", adds_random=True, n_samples=5000),
    "boston_housing": ForestData("MEDV", "regression", adds_random=True),
}


class RealForestDataGenerator:
    """Rows of a real data set, text columns as level codes (Zhou and Hooker, Sections 5.2 to 5.4).

    Adult and Boston housing have an additional feature, "random" ~ N(0, 1), drawn every time, and
    Adult's training sample is 5000 random rows of 27,504, the test sample the others. RNA editing
    and Boston housing are used whole: the test sample is the training sample in another order,
    and no measure of prediction means anything.

    Parameters
    ----------
    data_set : {"rna_editing", "adult", "boston_housing"}
        See :func:`losaw.study.datasets.prepare`.

    Raises
    ------
    ValueError
        If the name is unknown; by ``sample`` if the data are not there.

    Notes
    -----
    The truth names no signal features, since they are unknown.
    """

    examples = tuple({"data_set": name} for name in DESIGNS)
    data_sets = tuple(DESIGNS)

    def __init__(self, *, data_set: str) -> None:
        self.data_set = one_of("data_set", data_set, DESIGNS)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw rows and the random feature."""
        design = DESIGNS[self.data_set]
        X, y, names, kinds = read_rows(self.data_set, design.response)
        if design.adds_random:
            X = np.column_stack([X, rng.standard_normal(len(X))])
            names, kinds = (*names, "random"), (*kinds, "continuous")
        order = rng.permutation(len(y))
        n_train = design.n_samples or len(y)
        rest = order[n_train:] if n_train < len(y) else rng.permutation(len(y))
        return Dataset(
            train=Sample(X[order[:n_train]], y[order[:n_train]]),
            test=Sample(X[rest], y[rest]),
            truth=Truth(signal=(), n_features=len(names)),
            feature_names=names,
            feature_kinds=kinds,
            task=design.task,
        )
