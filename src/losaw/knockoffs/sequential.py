"""Sequential knockoffs for mixed data (Kormaksson et al. 2021; Blesch et al. 2023, Algorithm 1)."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.knockoffs.base import MIN_ROWS, check_features, varying_columns
from losaw.knockoffs.elastic_net import fit_mean
from losaw.knockoffs.multinomial import fit_probabilities
from losaw.support.arguments import real_number, whole_number

# Discrete columns with at most so many values are drawn as levels, others from a normal law.
MAX_DISCRETE_LEVELS = 12


class _Block(NamedTuple):
    """One column as regressors: standardised, and raw with scales for sparse dummies."""

    standardised: FloatArray
    raw: FloatArray
    scales: FloatArray


class SequentialKnockoffs:
    """Knockoffs drawn column by column from estimated conditional laws,

        X~_j ~ N(mu_j, sigma_j^2)          for numbers, mu_j by penalised least squares,
        X~_j ~ Multinomial(pi_j)           for levels, pi_j by penalised multinomial regression,

    of X_j on all other columns and the knockoffs drawn before (conditional independent pairs,
    Candès et al. 2018, Algorithm 1). The order of the columns is drawn anew in every sample.

    Nominal columns are drawn as levels and enter the regressions as dummies without the first
    level; discrete columns enter as numbers and are drawn as levels if they have at most twelve
    values. The published "elastic net" is the lasso: the authors call glmnet with its default.

    Parameters
    ----------
    mixing : float, default 1.0
        Elastic-net mixing alpha in [0, 1]: 1 is the lasso, 0 the ridge.
    n_folds : int, default 10
        Folds of the cross-validation that chooses each penalty (least error, "lambda.min").
    n_penalties : int, default 100
        Penalties on the path, with equally spaced logarithms.
    smallest_ratio : float or None, default None
        Last penalty over the first; None as in glmnet: .0001, or .01 if there are fewer rows
        than regressors.
    patience : int or None, default 10
        A path ends when the held-out error has not improved for so many penalties. None runs
        every path to its end.
    tolerance : float, default 1e-6
        A regression ends when no coefficient's step changes its (standardised) objective by more.

    Attributes
    ----------
    penalties_ : array of shape (n_features,)
        Chosen in the last sample; NaN for constant columns.

    Notes
    -----
    Missing values (NaN) are drawn as well: of levels as one more level; of numbers first whether
    the value is missing, by multinomial regression, then the value where it is not, by a
    regression on the rows that have one. Together that is a draw from the estimated law of the
    column with its missing values given all others, as the knockoffs of complete columns are. As
    regressors such columns enter with the numbers and an indicator of what is missing, which
    have their mean there.

    A constant column is its own knockoff. A level of a single row is drawn with its estimated
    probability. A duplicated or collinear column is predicted almost exactly, its knockoff stays
    close to it, and nothing can be found out about it given its copy.

    Raises
    ------
    ValueError
        For a parameter out of range, or as :func:`losaw.knockoffs.base.check_features`.
    """

    handles_nominal = True
    handles_missing = True
    handles_threads = True

    def __init__(
        self,
        mixing: float = 1.0,
        n_folds: int = 10,
        n_penalties: int = 100,
        smallest_ratio: float | None = None,
        patience: int | None = 10,
        tolerance: float = 1e-6,
    ) -> None:
        real_number("mixing", mixing, 0, 1)
        whole_number("n_folds", n_folds, 2)
        whole_number("n_penalties", n_penalties, 2)
        if smallest_ratio is not None and not 0 < real_number("smallest_ratio", smallest_ratio) < 1:
            raise ValueError(f"smallest_ratio must be in (0, 1) or None, got {smallest_ratio!r}")
        if patience is not None:
            whole_number("patience", patience, 1, "or None")
        if not real_number("tolerance", tolerance) > 0:
            raise ValueError(f"tolerance must be positive, got {tolerance!r}")
        self.mixing = mixing
        self.n_folds = n_folds
        self.n_penalties = n_penalties
        self.smallest_ratio = smallest_ratio
        self.patience = patience
        self.tolerance = tolerance

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: np.random.Generator | None = None,
    ) -> Self:
        """Keep X and prepare its columns as regressors; the regressions wait for their order."""
        self._X, kinds = check_features(X, kinds, allow_missing=True)
        self._columns = varying_columns(self._X)
        self._kinds = kinds
        # NaN, sorted last, is a level of its own.
        levels = {j: np.unique(self._X[:, j]) for j in self._columns if kinds[j] != "continuous"}
        self._levels = {
            j: values
            for j, values in levels.items()
            if kinds[j] == "nominal" or (~np.isnan(values)).sum() <= MAX_DISCRETE_LEVELS
        }
        self._blocks = {j: self._block(j, self._X[:, j]) for j in self._columns}
        return self

    def sample(self, rng: np.random.Generator) -> FloatArray:
        """One draw, shape (n_samples, n_features)."""
        drawn = self._X.copy()
        self.penalties_ = np.full(self._X.shape[1], np.nan)
        copies: dict[int, _Block] = {}
        for j in rng.permutation(self._columns):
            regressors = [self._blocks[i] for i in self._columns if i != j]
            regressors += [copies[i] for i in copies]
            if j in self._levels:
                drawn[:, j] = self._draw_level(j, regressors, rng)
            else:
                drawn[:, j] = self._draw_number(j, regressors, rng)
            copies[j] = self._block(j, drawn[:, j])
        return drawn

    def _draw_number(
        self, j: int, regressors: list[_Block], rng: np.random.Generator
    ) -> FloatArray:
        n_rows = len(self._X)
        X = _joined([block.standardised for block in regressors], n_rows)
        missing = np.isnan(self._X[:, j])
        if missing.any():
            return self._draw_incomplete(j, X, regressors, missing, rng)
        fit = fit_mean(X, self._X[:, j], self._folds(rng), **self._options(X))
        self.penalties_[j] = fit.penalty
        return fit.mean + fit.residual_scale * rng.standard_normal(n_rows)

    def _draw_incomplete(
        self,
        j: int,
        X: FloatArray,
        regressors: list[_Block],
        missing: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draw which values are missing, by their probability, and numbers for the rest."""
        n_rows, known = len(missing), ~missing
        absent = self._draw_codes(missing.astype(np.int64), 2, regressors, rng)[0] == 1
        values = self._X[known, j]
        if np.ptp(values) == 0 or len(values) < MIN_ROWS:
            drawn = rng.choice(values, n_rows)
        else:
            mean, scale = X[known].mean(axis=0), X[known].std(axis=0)
            scale = np.where(scale > 0, scale, 1.0)
            Z = (X[known] - mean) / scale
            folds = rng.permutation(len(values)) % min(self.n_folds, len(values))
            fit = fit_mean(Z, values, folds, **self._options(Z))
            self.penalties_[j] = fit.penalty
            centre = fit.intercept + (X - mean) / scale @ fit.coefficients
            drawn = centre + fit.residual_scale * rng.standard_normal(n_rows)
        return np.where(absent, np.nan, drawn)

    def _draw_level(self, j: int, regressors: list[_Block], rng: np.random.Generator) -> FloatArray:
        levels = self._levels[j]
        codes = np.searchsorted(levels, self._X[:, j]).astype(np.int64)
        drawn, self.penalties_[j] = self._draw_codes(codes, len(levels), regressors, rng)
        return np.asarray(levels[drawn])

    def _draw_codes(
        self,
        codes: NDArray[np.int64],
        n_classes: int,
        regressors: list[_Block],
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.intp], float]:
        """Classes drawn with their estimated probabilities, and the penalty of these."""
        n_rows = len(self._X)
        X = _joined([block.raw for block in regressors], n_rows)
        scales = np.concatenate([np.empty(0), *(block.scales for block in regressors)])
        probabilities, penalty = fit_probabilities(
            X, scales, codes, n_classes, self._folds(rng), **self._options(X)
        )
        cumulative = np.cumsum(probabilities, axis=1)
        uniform = rng.random(n_rows) * cumulative[:, -1]
        drawn = (cumulative <= uniform[:, None]).sum(axis=1)
        return np.minimum(drawn, n_classes - 1), penalty

    def _folds(self, rng: np.random.Generator) -> NDArray[np.int64]:
        n_rows = len(self._X)
        return rng.permutation(n_rows) % min(self.n_folds, n_rows)

    def _options(self, X: FloatArray) -> dict[str, Any]:
        ratio = self.smallest_ratio
        if ratio is None:
            ratio = 1e-4 if len(X) > X.shape[1] else 1e-2
        return {
            "mixing": self.mixing,
            "n_penalties": self.n_penalties,
            "smallest_ratio": ratio,
            "patience": self.n_penalties if self.patience is None else self.patience,
            "tolerance": self.tolerance,
        }

    def _block(self, j: int, column: FloatArray) -> _Block:
        missing = np.isnan(column)
        if self._kinds[j] != "nominal" and np.isnan(self._X[:, j]).any():
            known = column[~missing]
            centre = known.mean() if len(known) else 0.0
            filled = self._number_block(np.where(missing, centre, column))
            indicator = missing.astype(float)[:, None]
            scale = indicator.std(axis=0)
            standard = (indicator - indicator.mean()) / np.where(scale > 0, scale, 1.0)
            return _Block(
                np.hstack([filled.standardised, standard]),
                np.hstack([filled.raw, indicator]),
                np.concatenate([filled.scales, scale]),
            )
        if self._kinds[j] == "nominal":
            levels = self._levels[j][1:]
            raw = (column[:, None] == levels).astype(float)
            raw[:, np.isnan(levels)] = missing[:, None]
            scales = raw.std(axis=0)
            safe = np.where(scales > 0, scales, 1.0)
            return _Block((raw - raw.mean(axis=0)) / safe, raw, scales)
        return self._number_block(column)

    @staticmethod
    def _number_block(column: FloatArray) -> _Block:
        scale = column.std()
        standardised = ((column - column.mean()) / (scale if scale > 0 else 1.0))[:, None]
        return _Block(standardised, standardised, np.array([1.0 if scale > 0 else 0.0]))


def _joined(blocks: list[FloatArray], n_rows: int) -> FloatArray:
    return np.hstack([np.empty((n_rows, 0)), *blocks])
