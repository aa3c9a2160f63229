"""How far covariances of knockoffs are from those that exchangeability demands."""

from typing import NamedTuple

import numpy as np

from losaw.data import FloatArray


class SecondMoments(NamedTuple):
    """Largest distances on the scale of correlations: Cov(X~) from Cov(X), and Cov(X, X~) from

    Cov(X) off the diagonal; and the correlation of every column with its own knockoff.
    """

    own: float
    cross: float
    self_correlation: FloatArray


def second_moments(X: FloatArray, knockoffs: FloatArray) -> SecondMoments:
    """Distances of the sample covariances of features and knockoffs, without constant columns."""
    scale = X.std(axis=0)
    Z, C = (X - X.mean(axis=0)) / scale, (knockoffs - knockoffs.mean(axis=0)) / scale
    own, copied, cross = (a.T @ b / len(X) for a, b in ((Z, Z), (C, C), (Z, C)))
    off_diagonal = ~np.eye(len(own), dtype=bool)
    return SecondMoments(
        float(np.abs(own - copied).max()),
        float(np.abs(own - cross)[off_diagonal].max()),
        np.diag(cross) / np.sqrt(np.diag(copied)),
    )
