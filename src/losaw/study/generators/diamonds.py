"""Prices of round diamonds (Blesch, Watson & Wright 2024, Section 3.3 and Appendix D)."""

import numpy as np

from losaw.data import Dataset, Sample, Truth
from losaw.study.generators.real_rows import read_rows
from losaw.support.arguments import real_number

RESPONSE = "price"


class DiamondsGenerator:
    """A random two thirds of 4,463 round diamonds for training, the others for the test.

    Nine features: carat, depth_perc, table, x_length, y_width, z_depth; and cut, color and
    clarity as codes in the order of the alphabet. The response is the price in US dollars. See
    :func:`losaw.study.datasets.cleaning.clean_diamonds` for how round is round.

    Parameters
    ----------
    fraction : float in (0, 1), default 2/3
        Share of the training sample.

    Raises
    ------
    ValueError
        If ``fraction`` is out of range; by ``sample`` if the data are not there.

    Notes
    -----
    The truth names no signal features, since they are unknown.
    """

    examples = ({"fraction": 0.5},)
    data_sets = ("diamonds",)

    def __init__(self, *, fraction: float = 2 / 3) -> None:
        self.fraction = real_number("fraction", fraction)
        if not 0 < self.fraction < 1:
            raise ValueError(f"fraction must be between 0 and 1, got {fraction}")

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a random split."""
        X, y, names, kinds = read_rows("diamonds", RESPONSE)
        rows = rng.permutation(len(y))
        train, test = np.split(rows, [round(self.fraction * len(y))])
        return Dataset(
            train=Sample(X[train], y[train]),
            test=Sample(X[test], y[test]),
            truth=Truth(signal=(), n_features=len(names)),
            feature_names=names,
            feature_kinds=kinds,
        )
