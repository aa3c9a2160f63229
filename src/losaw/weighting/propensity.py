"""Propensity models: estimates of P(x_p | adjustment features) at the observations.

Continuous targets: :class:`GaussianLinear`; discrete ones: :class:`MultinomialLogit`.
"""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.kernels.inversion import padded
from losaw.kernels.logit.quasi_newton import fit_logit
from losaw.kernels.logit.terms import Size, make_logit
from losaw.support.arguments import as_floats, check_unit, truth_value
from losaw.weighting.checks import check_counts, check_pair
from losaw.weighting.levels import discrete_mask, helmert

# Of a multinomial logit. A factor of 63 levels, the most that a forest takes, with ten such
# adjustment features has 38,000; half as many take 12 s on 4,500 rows.
MOST_COEFFICIENTS = 50_000
# Squared distance to the optimum, in standard errors of the coefficients, at which a fit ends.
PRECISION = 1e-14


class PointMassError(ValueError):
    """An error: the target has no conditional density in the sample that could be inverted.

    A propensity model raises it in ``fit``; the forest then splits with uniform weights there.

    Examples
    --------
    >>> from losaw.weighting import PointMassError
    >>> issubclass(PointMassError, ValueError)
    True
    """


class TooManyCoefficientsError(ValueError):
    """An error, without its remedy in ``args``: a logit has more coefficients than are fitted."""

    def __str__(self) -> str:
        remedy = "merge levels, adjust for fewer features, or take propensity=GaussianLinear()"
        return f"{self.args[0]}: {remedy}"


class GaussianLinear(BaseEstimator):
    """A normal density around a linear regression: ``x | a ~ N(b_0 + b' a, sigma^2)``.

    Least squares, sigma^2 the mean squared residual (1/N). Discrete adjustment features enter by
    their levels.

    Parameters
    ----------
    discrete : "auto" or boolean mask (n_adjustment,), default "auto"
        Which adjustment features enter by levels; "auto": those with few distinct values.

    Attributes
    ----------
    variance_ : float
        Residual variance.
    encoder_ : callable
        Adjustment features (n, n_adjustment) -> the columns of the regression.

    References
    ----------
    losaw, Section 2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.weighting import GaussianLinear
    >>> model = GaussianLinear()
    >>> _ = model.fit(X[:, 0] + 2 * X[:, 1], X[:, 1:], np.ones(200))
    >>> bool(abs(model.variance_ - 1) < 0.3)
    True
    """

    def __init__(self, discrete: Any = "auto") -> None:
        self.discrete = discrete

    def fit(
        self, target: ArrayLike, adjustment: ArrayLike, counts: ArrayLike | None = None
    ) -> Self:
        """Fit the regression; raise a PointMassError where it leaves no residual variance."""
        t, a = check_pair(target, adjustment)
        check_unit("target", t)
        c = check_counts(counts, len(t))
        # Standardised: least squares would ignore what is small next to a large offset or unit.
        self.encoder_ = _Encoder(a, self.discrete, True, c)
        z = self.encoder_(a)
        root = np.sqrt(c)
        self._slopes = np.asarray(np.linalg.lstsq(z * root[:, None], t * root, rcond=None)[0])
        residual = t - z @ self._slopes
        self.variance_ = float(c @ residual**2 / c.sum())
        spread = float(c @ (t - c @ t / c.sum()) ** 2 / c.sum())
        # Rounding may leave a constant some spread.
        if np.ptp(t[c > 0]) == 0 or not self.variance_ > 1e-8 * spread:
            raise PointMassError(
                "the target is (almost) a linear function of the adjustment features: its "
                "propensity is a point mass and cannot be inverted; drop the collinear features"
            )
        return self

    def density(self, target: ArrayLike, adjustment: ArrayLike) -> FloatArray:
        """Return the normal density of the residuals."""
        scaled = -0.5 * self._residual(target, adjustment) ** 2 / self.variance_
        return np.asarray(np.exp(scaled) / np.sqrt(2 * np.pi * self.variance_))

    def log_density(self, target: ArrayLike, adjustment: ArrayLike) -> FloatArray:
        """Return the logarithm of the density, which is finite for outliers too."""
        squares = self._residual(target, adjustment) ** 2
        return np.asarray(-0.5 * (squares / self.variance_ + np.log(2 * np.pi * self.variance_)))

    def _residual(self, target: ArrayLike, adjustment: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        t, a = check_pair(target, adjustment)
        return np.asarray(t - self.encoder_(a) @ self._slopes)


class MultinomialLogit(BaseEstimator):
    """A penalised multinomial logit, ``P(x = k | a) ∝ exp(b_k' (1, a))``.

    It minimises the negative log-likelihood plus ``|b|^2 / 2`` (no intercepts), which is the
    default of scikit-learn. Discrete adjustment features enter by their levels.

    At most 50,000 coefficients: (levels - 1) times columns.

    Parameters
    ----------
    discrete : "auto" or boolean mask (n_adjustment,), default "auto"
    standardize : bool, default True
        Whether continuous adjustment features are put in units of their standard deviation, so
        that the penalty does not depend on theirs.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Sorted values of the target.
    coefficients_ : array of shape (n_classes - 1, 1 + n_columns)
        Of every class against the first class, intercept first.
    n_steps_ : int
        Steps to the optimum; -1 if it was not reached, of which ``fit`` warns.
    encoder_ : callable
        Adjustment features (n, n_adjustment) -> the columns of the regression.

    References
    ----------
    losaw, Section 2, Lemma 9.12.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.weighting import MultinomialLogit
    >>> model = MultinomialLogit()
    >>> _ = model.fit(np.sign(X[:, 0]), X[:, 1:], np.ones(200))
    >>> model.classes_.tolist()
    [-1.0, 1.0]
    """

    def __init__(self, discrete: Any = "auto", standardize: bool = True) -> None:
        self.discrete = discrete
        self.standardize = standardize

    def fit(
        self, target: ArrayLike, adjustment: ArrayLike, counts: ArrayLike | None = None
    ) -> Self:
        """Fit by a quasi-Newton method on the distinct (pattern, class) cells."""
        t, a = check_pair(target, adjustment)
        c = check_counts(counts, len(t))
        self.classes_, code = np.unique(t, return_inverse=True)
        n_classes = len(self.classes_)
        is_scaled = truth_value("standardize", self.standardize)
        self.encoder_ = _Encoder(a, self.discrete, is_scaled, c)
        patterns, pattern = np.unique(a, axis=0, return_inverse=True)
        cells = np.zeros((len(patterns), n_classes))
        np.add.at(cells, (pattern.ravel(), code), c)
        z = self.encoder_(patterns)
        n_patterns, width = z.shape
        if (n_classes - 1) * width > MOST_COEFFICIENTS:
            raise TooManyCoefficientsError(
                f"target has {n_classes} levels, their logit on {width} columns "
                f"{(n_classes - 1) * width} coefficients; at most {MOST_COEFFICIENTS} are fitted"
            )
        logit = make_logit(n_patterns, n_classes, width)
        logit.columns[:, :n_patterns] = z.T
        logit.counts[:, :n_patterns] = cells.T
        size = Size(n_patterns, n_classes, width, padded(width))
        self.n_steps_ = 0
        if n_classes > 1:
            self.n_steps_ = fit_logit(logit, size, PRECISION)
        if self.n_steps_ < 0:
            warnings.warn(
                "the multinomial logit has not reached its optimum: its probabilities are those of "
                "the last step. Adjustment features in units of their standard deviation "
                "(standardize=True) help",
                stacklevel=2,
            )
        coefficients = logit.coefficients.reshape(n_classes - 1, size.row)
        self.coefficients_ = coefficients[:, :width].copy()
        return self

    def probabilities(self, adjustment: ArrayLike) -> FloatArray:
        """Return P(x = k | a) for every row and class, (n, n_classes)."""
        p = np.exp(self._predictor(adjustment))
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def density(self, target: ArrayLike, adjustment: ArrayLike) -> FloatArray:
        """Return the probability of the class of each row."""
        check_is_fitted(self)
        t, a = check_pair(target, adjustment)
        code = class_codes(t, self.classes_, "target")
        return np.asarray(self.probabilities(a)[np.arange(len(t)), code])

    def log_density(self, target: ArrayLike, adjustment: ArrayLike) -> FloatArray:
        """Return the logarithm of the probability, which is finite for outliers too."""
        check_is_fitted(self)
        t, a = check_pair(target, adjustment)
        code = class_codes(t, self.classes_, "target")
        predictor = self._predictor(a)
        total = np.exp(predictor).sum(axis=1)
        return np.asarray(predictor[np.arange(len(t)), code] - np.log(total))

    def _predictor(self, adjustment: ArrayLike) -> FloatArray:
        """Logarithms of the probabilities but for a number of each row; the largest is 0."""
        check_is_fitted(self)
        a = as_floats("adjustment", adjustment)
        a = a[:, None] if a.ndim == 1 else a
        predictor = np.zeros((len(a), len(self.classes_)))
        predictor[:, 1:] = self.encoder_(a) @ self.coefficients_.T
        return np.asarray(predictor - predictor.max(axis=1, keepdims=True))


def class_codes(values: FloatArray, classes: FloatArray, name: str) -> NDArray[np.int64]:
    """Return the place of every value among the sorted classes; raise for others."""
    code = np.searchsorted(classes, values).clip(max=len(classes) - 1)
    if not np.array_equal(classes[code], values):
        unseen = values[classes[code] != values][0]
        raise ValueError(f"{name} value {unseen:g} was not seen in the fit (seen: {classes})")
    return np.asarray(code, dtype=np.int64)


class _Encoder:
    """The design matrix (1, levels as contrasts, values) of adjustment features."""

    def __init__(
        self, adjustment: FloatArray, discrete: Any, standardize: bool, counts: FloatArray
    ) -> None:
        check_unit("adjustment", adjustment)
        self.discrete = discrete_mask(discrete, adjustment, counts.sum())
        self.levels = [
            np.unique(column) if is_discrete else None
            for column, is_discrete in zip(adjustment.T, self.discrete, strict=True)
        ]
        self.location, spread = 0.0 * adjustment[0], np.ones(adjustment.shape[1])
        if standardize:
            self.location = np.average(adjustment, axis=0, weights=counts)
            squares = (adjustment - self.location) ** 2
            spread = np.sqrt(np.average(squares, axis=0, weights=counts))
        self.scale = np.where(np.ptp(adjustment, axis=0) > 0, spread, 1.0)

    def __call__(self, adjustment: FloatArray) -> FloatArray:
        if adjustment.shape[1] != len(self.levels):
            raise ValueError(
                f"adjustment has {adjustment.shape[1]} columns, but the fit had {len(self.levels)}"
            )
        blocks = [np.ones((len(adjustment), 1))]
        for j, levels in enumerate(self.levels):
            column = adjustment[:, j]
            if levels is None:
                blocks.append(((column - self.location[j]) / self.scale[j])[:, None])
            else:
                blocks.append(helmert(len(levels))[class_codes(column, levels, "adjustment")])
        return np.hstack(blocks)
