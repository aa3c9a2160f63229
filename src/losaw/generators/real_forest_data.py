"""The real data of UFI's Figures 5 to 7: RNA editing, Adult and Boston housing."""

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FeatureKind, FloatArray, Sample, Truth
from losaw.support.arguments import one_of


class Design(NamedTuple):
    """The response, an added N(0, 1) feature or none, and rows drawn for training (None: all)."""

    response: str
    adds_random: bool
    n_samples: int | None = None


DESIGNS = {
    "rna_editing": Design("edit", adds_random=False),
    "adult": Design("income", adds_random=True, n_samples=5000),
    "boston_housing": Design("MEDV", adds_random=True),
}
TASKS = {"rna_editing": "classification", "adult": "classification", "boston_housing": "regression"}


class RealForestDataGenerator:
    """Rows of a real data set, text columns as level codes (Zhou and Hooker, Sections 5.2 to 5.4).

    Adult and Boston housing have an additional feature, "random" ~ N(0, 1), drawn every time, and
    Adult's training sample is 5000 random rows of 27,504, the test sample the others. RNA editing
    and Boston housing are used whole: the test sample is the training sample in another order,
    and no measure of prediction means anything.

    Parameters
    ----------
    data_set : {"rna_editing", "adult", "boston_housing"}
        See :func:`losaw.datasets.prepare`.

    Raises
    ------
    ValueError
        If the name is unknown; by ``prepare`` and ``sample`` if the data are not there.

    Notes
    -----
    The truth names no signal features, since they are unknown.
    """

    examples = tuple({"data_set": name} for name in DESIGNS)
    data_sets = tuple(DESIGNS)

    def __init__(self, *, data_set: str) -> None:
        self.data_set = one_of("data_set", data_set, DESIGNS)

    def prepare(self) -> None:
        """Read the data, so that missing files are reported before any fit."""
        read_coded(self.data_set)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw rows and the random feature."""
        X, y, names, is_nominal = read_coded(self.data_set)
        design = DESIGNS[self.data_set]
        kinds: list[FeatureKind] = [
            "nominal" if nominal else "continuous" for nominal in is_nominal
        ]
        if design.adds_random:
            X = np.column_stack([X, rng.standard_normal(len(X))])
            names, kinds = (*names, "random"), [*kinds, "continuous"]
        order = rng.permutation(len(y))
        n_train = design.n_samples or len(y)
        rest = order[n_train:] if n_train < len(y) else rng.permutation(len(y))
        task = TASKS[self.data_set]
        return Dataset(
            train=Sample(X[order[:n_train]], y[order[:n_train]]),
            test=Sample(X[rest], y[rest]),
            truth=Truth(signal=(), n_features=len(names)),
            feature_names=names,
            feature_kinds=tuple(kinds),
            task="regression" if task == "regression" else "classification",
        )


@functools.cache
def read_coded(name: str) -> tuple[FloatArray, FloatArray, tuple[str, ...], NDArray[np.bool_]]:
    """Return features with text as level codes, response, names, and which features are nominal."""
    import pandas as pd

    from losaw import datasets

    frame = datasets.prepare(name)
    coded = {}
    for column in frame.columns:
        values = frame[column]
        is_text = not pd.api.types.is_numeric_dtype(values)
        coded[column] = pd.factorize(values, sort=True)[0] if is_text else values
    response = DESIGNS[name].response
    features = [column for column in frame.columns if column != response]
    is_nominal = [not pd.api.types.is_numeric_dtype(frame[column]) for column in features]
    X = np.column_stack([np.asarray(coded[column], dtype=float) for column in features])
    return X, np.asarray(coded[response], dtype=float), tuple(features), np.array(is_nominal)
