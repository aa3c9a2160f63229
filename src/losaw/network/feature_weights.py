"""Row weights that decorrelate a feature of a training sample, computed at its first draw.

The weights of a feature depend on the sample only, not on the network (losaw, Algorithm 5.2):
each is computed at most once. Between discrete features everything happens on the cells of a
contingency table, (pattern of the adjustment features) x (class of the target).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import finite_rows, real_number, whole_number
from losaw.support.words import counted
from losaw.tables.columns import few_levels
from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    MultinomialLogit,
    NormalDensity,
    PointMassError,
    cap_weights,
    effective_sample_size,
)
from losaw.weighting.checks import check_eta
from losaw.weighting.levels import chosen_columns, pattern_codes
from losaw.weighting.losaw_weights import density_ratio
from losaw.weighting.propensity import TooManyCoefficientsError

_COLUMNS = 64  # handled together, so that copies stay small


class FeatureWeights:
    """The losaw weights of any feature of a sample.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    eta : float in (0, 1]
        Smallest relative effective sample size of the weights.
    correlation_threshold : float in [0, 1]
        A feature is adjusted for all others whose absolute Pearson correlation with it is larger
        (Remark 4.9 with Q = P).
    discrete_features : "auto" or boolean mask (n_features,), default "auto"
        Features with a multinomial logit and levels; "auto": those with at most 10 distinct
        values, each seen five times on average.

    Notes
    -----
    A feature without adjustment features has uniform weights, and so has a continuous one that is
    a linear function of them. Memory: 8 bytes a row for every feature that was drawn, a byte a row
    for every discrete feature.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.network import FeatureWeights
    >>> rng = np.random.default_rng(0)
    >>> first = rng.standard_normal(1000)
    >>> X = np.column_stack([first, first + rng.standard_normal(1000)])
    >>> weights = FeatureWeights(X, eta=0.1, correlation_threshold=0.1)
    >>> bool(abs(np.cov(X.T, aweights=weights(0))[0, 1]) < 0.3 * np.cov(X.T)[0, 1])
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        eta: float,
        correlation_threshold: float,
        discrete_features: Any = "auto",
    ) -> None:
        self.X, _ = finite_rows(X, 1)
        self.eta = check_eta(eta)
        n_samples, n_features = self.X.shape
        self._digits = np.zeros((n_features, n_samples), dtype=np.int8)
        self._levels: list[FloatArray | None] = []
        self._read_levels(
            chosen_columns("discrete_features", discrete_features, n_features, only_mask=True)
        )
        threshold = real_number("correlation_threshold", correlation_threshold, 0, 1)
        self._adjacent = np.abs(_correlations(self.X)) > threshold
        np.fill_diagonal(self._adjacent, False)
        self._known: dict[int, FloatArray] = {}

    @property
    def is_discrete(self) -> NDArray[np.bool_]:
        """The mask (n_features,) of the features that are treated as discrete."""
        return np.array([levels is not None for levels in self._levels])

    def adjustment_features(self, feature: int) -> NDArray[np.intp]:
        """Return the columns that ``feature`` is adjusted for, ascending."""
        return np.flatnonzero(self._adjacent[self._column(feature)])

    def __call__(self, feature: int) -> FloatArray:
        """Return the weights (n_samples,) of a feature; they sum to 1."""
        feature = self._column(feature)
        if feature not in self._known:
            weights = self._compute(feature)
            weights.setflags(write=False)
            self._known[feature] = weights
        return self._known[feature]

    def relative_effective_sample_size(self, feature: int) -> float:
        """Return ``s(w) / N`` of a feature's weights, in [eta, 1]."""
        return effective_sample_size(self(feature)) / len(self.X)

    def _column(self, feature: int) -> int:
        return whole_number("feature", feature, 0, maximum=self.X.shape[1] - 1)

    def _compute(self, feature: int) -> FloatArray:
        adjustment = self.adjustment_features(feature)
        uniform = np.full(len(self.X), 1.0 / len(self.X))
        if len(adjustment) == 0 or self.eta == 1.0:
            return uniform
        try:
            if self._levels[feature] is not None and self.is_discrete[adjustment].all():
                return self._on_cells(feature, adjustment)
            return self._on_rows(feature, adjustment)
        except PointMassError:  # no residual variance: there is no density to divide by
            return uniform
        except TooManyCoefficientsError as error:  # its remedy is no parameter of ours
            others = counted(len(adjustment), "adjustment [feature|features]")
            raise ValueError(
                f"feature {feature} and its {others}: {error.args[0]}: merge levels, leave it out "
                "of discrete_features, or raise correlation_threshold"
            ) from None

    def _on_rows(self, feature: int, adjustment: NDArray[np.intp]) -> FloatArray:
        is_discrete = self._levels[feature] is not None
        target, others = self.X[:, feature], self.X[:, adjustment]
        model = MultinomialLogit if is_discrete else GaussianLinear
        propensity = model(discrete=self.is_discrete[adjustment]).fit(target, others)
        stabilization = (ClassFrequency if is_discrete else NormalDensity)().fit(target)
        return cap_weights(density_ratio(stabilization, propensity, target, others), self.eta)

    def _on_cells(self, feature: int, adjustment: NDArray[np.intp]) -> FloatArray:
        columns = ((self._digits[j], self._n_levels(j)) for j in np.append(adjustment, feature))
        cell, n_cells = pattern_codes(columns, len(self.X))
        counts = np.bincount(cell, minlength=n_cells).astype(float)
        example = np.zeros(n_cells, dtype=np.intp)
        example[cell] = np.arange(len(cell))
        seen = np.flatnonzero(counts)
        target = self.X[example[seen], feature]
        others = self.X[np.ix_(example[seen], adjustment)]
        everything = np.ones(len(adjustment), dtype=bool)
        model = MultinomialLogit(discrete=everything).fit(target, others, counts[seen])
        total = np.zeros(self._n_levels(feature))
        level = np.asarray(self._digits[feature, example[seen]])
        np.add.at(total, level, counts[seen])
        ratio = total[level] / len(self.X) / model.density(target, others)
        weights = np.zeros(n_cells)
        weights[seen] = cap_weights(ratio, self.eta, counts[seen])
        return weights[cell]

    def _n_levels(self, feature: int) -> int:
        levels = self._levels[feature]
        return 0 if levels is None else len(levels)

    def _read_levels(self, discrete: NDArray[np.bool_] | None) -> None:
        for start in range(0, self.X.shape[1], _COLUMNS):
            for j, column in enumerate(np.ascontiguousarray(self.X[:, start : start + _COLUMNS].T)):
                if discrete is None:
                    levels = few_levels(column)
                else:
                    levels = np.unique(column) if discrete[start + j] else None
                if levels is not None and len(levels) > 127:
                    raise ValueError(
                        f"discrete feature {start + j} has {len(levels)} levels, at most 127 are "
                        "allowed; declare it continuous or merge levels"
                    )
                self._levels.append(levels)
                if levels is not None:
                    self._digits[start + j] = np.searchsorted(levels, column)


def _correlations(X: ArrayLike) -> NDArray[np.float32]:
    """Return Pearson correlations (P, P) in single precision; zero for constant columns."""
    rows: Any = np.asarray(X)
    location, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale <= 1e-14 * np.abs(location)] = np.inf
    product = np.zeros((rows.shape[1], rows.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), 4096):
        scaled = ((rows[start : start + 4096] - location) / scale).astype(np.float32)
        product += scaled.T @ scaled
    product /= np.float32(len(rows))
    return product
