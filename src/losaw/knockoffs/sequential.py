"""Sequential knockoffs for mixed data (Kormaksson et al. 2021; Blesch et al. 2024, Algorithm 1)."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from losaw.data import FeatureKind, FloatArray
from losaw.knockoffs import lasso, multinomial
from losaw.knockoffs.conditional_mean import joined
from losaw.knockoffs.sampler import check_features, fitted_rows, varying_columns
from losaw.rng import as_generator
from losaw.support.arguments import whole_number

# Discrete columns with at most so many values are drawn as levels, others from a normal law.
MAX_DISCRETE_LEVELS = 12
# A regression ends when no step of a coefficient changes its standardised objective by more; those
# that only choose the penalty of a multinomial one end earlier.
_TOLERANCE, _COARSE_TOLERANCE = 1e-6, 1e-5


class SequentialKnockoffs(BaseEstimator):
    """Knockoffs drawn column by column from estimated conditional laws,

        X~_j ~ N(mu_j, sigma_j^2)          for numbers, mu_j by penalised least squares,
        X~_j ~ Multinomial(pi_j)           for levels, pi_j by penalised multinomial regression,

    of X_j on all other columns and the knockoffs drawn before (conditional independent pairs,
    Candès et al. 2018, Algorithm 1). The order of the columns is drawn anew in every sample.

    Nominal columns are drawn as levels and enter the regressions as dummies without the first
    level; discrete columns enter as numbers and are drawn as levels if they have at most twelve
    values. The published "elastic net" is the lasso: the authors call glmnet with its default. The
    last penalty of a path over the first is glmnet's, too: .0001, or .01 if there are fewer rows
    than regressors.

    Parameters
    ----------
    n_folds : int, default 5
        Folds of the cross-validation that chooses each penalty (least error, "lambda.min").
    n_penalties : int, default 50
        Penalties on the path, with equally spaced logarithms.
    patience : int, default 5
        A path ends when the held-out error has not improved for so many penalties.

    Attributes
    ----------
    penalties_ : array of shape (n_features,)
        Of every column; NaN for constant ones.

    Notes
    -----
    The penalty of a column is chosen once, on all other columns: the knockoffs that join them at a
    draw are new to the regression, and depend on the column only through the others. A draw starts
    from the coefficients at that penalty.

    A constant column is its own knockoff. A level of a single row is drawn with its estimated
    probability. A duplicated or collinear column is predicted almost exactly, its knockoff stays
    close to it, and nothing can be found out about it given its copy.
    """

    handles_nominal = True

    def __init__(self, n_folds: int = 5, n_penalties: int = 50, patience: int = 5) -> None:
        self.n_folds = whole_number("n_folds", n_folds, 2)
        self.n_penalties = whole_number("n_penalties", n_penalties, 2)
        self.patience = whole_number("patience", patience, 1)

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> Self:
        """Choose the penalty of every column's regression on the others; ``rng`` draws folds."""
        type(self)(**self.get_params())  # checks what set_params has set
        self._X, kinds = check_features(X, kinds)
        rng = as_generator(rng)
        self._columns = varying_columns(self._X)
        self._kinds = kinds
        levels = {j: np.unique(self._X[:, j]) for j in self._columns if kinds[j] != "continuous"}
        self._levels = {
            j: values
            for j, values in levels.items()
            if kinds[j] == "nominal" or len(values) <= MAX_DISCRETE_LEVELS
        }
        self._blocks = {j: self._block(j, self._X[:, j]) for j in self._columns}
        self.penalties_ = np.full(self._X.shape[1], np.nan)
        self._of_codes: dict[int, tuple[float, FloatArray, FloatArray]] = {}
        self._of_means: dict[int, tuple[float, FloatArray]] = {}
        for j in self._columns.tolist():
            others = self._regressors(j, [])
            if j in self._levels:
                codes, n_classes = self._codes(j)
                options = {**self._options(others), "tolerance": _COARSE_TOLERANCE}
                self._of_codes[j] = multinomial.choose_penalty(
                    others, codes, n_classes, self._folds(len(codes), rng), **options
                )
                self.penalties_[j] = self._of_codes[j][0]
            else:
                Z = _standardised(others)
                self._of_means[j] = lasso.choose_penalty(
                    Z, self._X[:, j], self._folds(len(Z), rng), **self._options(Z)
                )
                self.penalties_[j] = self._of_means[j][0]
        return self

    def sample(self, rng: int | np.random.Generator | None) -> FloatArray:
        """One draw, shape (n_samples, n_features)."""
        drawn, rng = fitted_rows(self), as_generator(rng)
        copies: dict[int, FloatArray] = {}
        for j in rng.permutation(self._columns):
            X = self._regressors(j, copies.values())
            if j in self._levels:
                drawn[:, j] = self._levels[j][self._draw_codes(j, X, rng)]
            else:
                drawn[:, j] = self._draw_number(j, X, rng)
            copies[j] = self._block(j, drawn[:, j])
        return drawn

    def _regressors(self, j: int, copies: Iterable[FloatArray]) -> FloatArray:
        others = (self._blocks[i] for i in self._columns if i != j)
        return joined([*others, *copies], len(self._X))

    def _codes(self, j: int) -> tuple[NDArray[np.int64], int]:
        """Return the levels of a column by number."""
        levels = self._levels[j]
        return np.searchsorted(levels, self._X[:, j]).astype(np.int64), len(levels)

    def _draw_number(self, j: int, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw numbers from the normal law around their regression."""
        Z = _standardised(X)
        fit = lasso.fit_mean(Z, self._X[:, j], *self._of_means[j], _TOLERANCE)
        centre = fit.intercept + Z @ fit.coefficients
        return np.asarray(centre + fit.residual_scale * rng.standard_normal(len(X)))

    def _draw_codes(self, j: int, X: FloatArray, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw classes with their estimated probabilities."""
        codes, n_classes = self._codes(j)
        probabilities = multinomial.fit_probabilities(X, codes, *self._of_codes[j], _TOLERANCE)
        cumulative = np.cumsum(probabilities, axis=1)
        uniform = rng.random(len(X)) * cumulative[:, -1]
        return np.minimum((cumulative <= uniform[:, None]).sum(axis=1), n_classes - 1)

    def _folds(self, n_rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
        return rng.permutation(n_rows) % min(self.n_folds, n_rows)

    def _options(self, X: FloatArray) -> dict[str, Any]:
        return {
            "n_penalties": self.n_penalties,
            "smallest_ratio": 1e-4 if len(X) >= X.shape[1] else 1e-2,
            "patience": self.patience,
            "tolerance": _TOLERANCE,
        }

    def _block(self, j: int, column: FloatArray) -> FloatArray:
        """Return a column as regressors: a standardised number, or dummies."""
        if self._kinds[j] == "nominal":
            return np.asarray(column[:, None] == self._levels[j][1:], dtype=float)
        return ((column - column.mean()) / (column.std() or 1.0))[:, None]


def _standardised(X: FloatArray) -> FloatArray:
    """Return columns with mean 0 and variance 1."""
    mean, scale = X.mean(axis=0), X.std(axis=0)
    return np.asarray((X - mean) / np.where(scale > 0, scale, 1.0))
