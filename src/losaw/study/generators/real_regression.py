"""FISH and HOUSING: rows of real data, mixed with noise on request."""

import numpy as np

from losaw.data import Dataset, FloatArray, Sample, Truth
from losaw.study.generators.noise_mixing import TARGETS, mix
from losaw.study.generators.real_rows import read_rows
from losaw.support.arguments import one_of, real_number

RESPONSES = {"fish": "Length1", "california_housing": "median_house_value"}


class RealRegressionGenerator:
    """A random part of the rows of a real data set (Gerstorfer et al., Sections 2.3 and 4).

    Parameters
    ----------
    data_set : {"fish", "california_housing"}
        See :func:`losaw.study.datasets.prepare`; responses are Length1 and median_house_value.
    fraction : float in (0, 1], default 1
        Share of the rows that is the training sample, drawn without replacement; the others are
        the test sample. With 1 the test sample is the training sample in another order, and no
        measure of prediction means anything.
    noise_share : float in [0, 1] or None, default None
        Mix the standardised features with noise; None: features and response as they are.
    target : {"kept", "shifted", "standardized", "mixed"}, default "standardized"
        Of the response when features are mixed; see
        :func:`losaw.study.generators.noise_mixing.mix`.

    Raises
    ------
    ValueError
        If a parameter is unknown or out of range; by ``sample`` if the data are not there.

    Notes
    -----
    The truth names no signal features, since they are unknown.
    """

    examples = (
        {"data_set": "fish", "fraction": 0.7},
        {"data_set": "fish", "noise_share": 0.4},
    )
    data_sets = tuple(RESPONSES)

    def __init__(
        self,
        *,
        data_set: str,
        fraction: float = 1.0,
        noise_share: float | None = None,
        target: str = "standardized",
    ) -> None:
        self.data_set = one_of("data_set", data_set, RESPONSES)
        self.fraction = real_number("fraction", fraction)
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction must be in (0, 1], got {fraction}")
        self.noise_share = noise_share
        if noise_share is not None:
            real_number("noise_share", noise_share, 0, 1)
        self.target = one_of("target", target, TARGETS)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a random part of the rows."""
        X, y, names, kinds = read_rows(self.data_set, RESPONSES[self.data_set])
        order = rng.permutation(len(y))
        n_train = max(2, round(self.fraction * len(y)))
        rest = order[n_train:] if n_train < len(y) - 1 else rng.permutation(len(y))
        return Dataset(
            train=self._part(X, y, order[:n_train], rng),
            test=self._part(X, y, rest, rng),
            truth=Truth(signal=(), n_features=len(names)),
            feature_names=names,
            feature_kinds=kinds,
        )

    def _part(
        self, X: FloatArray, y: FloatArray, rows: np.ndarray, rng: np.random.Generator
    ) -> Sample:
        if self.noise_share is None:
            return Sample(X[rows], y[rows])
        return Sample(*mix(X[rows], y[rows], self.noise_share, self.target, rng))
