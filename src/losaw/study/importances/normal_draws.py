"""Conditional feature importance with draws from a normal distribution (Burk et al. 2026)."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.cpi import cpi
from losaw.scoring.result import ImportanceResult, checked_by
from losaw.support.arguments import whole_number


class NormalDraws:
    """Draws of every column given all others, as if the rows were normal,

        X~_j | X_-j ~ N(X_j - (P (X - mu))_j / P_jj, 1 / P_jj),   P = Sigma^-1,

    with mu and Sigma of the rows. The draws of different columns are no joint knockoffs.
    """

    handles_nominal = False

    def fit(self, X: ArrayLike, kinds: object = None, rng: object = None) -> Self:
        rows = np.asarray(X, dtype=float)
        covariance = np.atleast_2d(np.cov(rows, rowvar=False))
        spread = np.sqrt(np.diag(covariance))
        # The rank of the correlations, so that units do not count; a constant column has rank 0.
        scaled = covariance / np.outer(spread, spread) if spread.all() else np.zeros((1, 1))
        if np.linalg.matrix_rank(scaled, hermitian=True) < len(covariance):
            raise ValueError(
                "X has a column that the others determine, or a constant one, which has no normal "
                "draws given the others; leave it out"
            )
        precision = np.linalg.inv(covariance)
        self._deviation = 1 / np.sqrt(np.diag(precision))
        self._mean = rows - (rows - rows.mean(axis=0)) @ precision * self._deviation**2
        return self

    def sample(self, rng: np.random.Generator) -> FloatArray:
        return np.asarray(self._mean + self._deviation * rng.standard_normal(self._mean.shape))


def _check(n_draws: int) -> None:
    whole_number("n_draws", n_draws, 1)


@checked_by(_check)
def cfi_normal(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_draws: int = 5,
    feature_names: Sequence[str],
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """:func:`losaw.importance.cpi` with normal draws of each feature given all others.

    Mean and covariance are those of the scored rows. For numbers without exact linear dependence;
    of other distributions than the normal the draws leave the support.
    """
    return cpi(
        model,
        X,
        y,
        sampler=NormalDraws(),
        n_draws=n_draws,
        feature_names=feature_names,
        random_state=random_state,
    )
