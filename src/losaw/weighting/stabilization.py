"""Stabilising densities: estimates of P(x_p) on the full training sample."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.support.arguments import check_unit, finite_vector
from losaw.weighting.propensity import class_codes


class NormalDensity(BaseEstimator):
    """A normal density with the sample's mean and variance (1/N): the paper's, for continuous.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.weighting import NormalDensity
    >>> target = np.random.default_rng(0).standard_normal(1000)
    >>> model = NormalDensity()
    >>> _ = model.fit(target)
    >>> round(float(model.density(np.zeros(1))[0]), 1)
    0.4
    """

    def fit(self, target: ArrayLike) -> Self:
        """Take mean and variance of the values."""
        t = finite_vector("target", target)
        check_unit("target", t)
        self.mean_ = float(t.mean())
        self.variance_ = float(t.var())
        if np.ptp(t) == 0 or not self.variance_ > 0:  # rounding may leave some variance
            raise ValueError("the target is constant: it has no density")
        return self

    def density(self, target: ArrayLike) -> FloatArray:
        """Return phi((x - mean) / sd) / sd."""
        scaled = self._scaled(target)
        return np.asarray(np.exp(-0.5 * scaled) / np.sqrt(2 * np.pi * self.variance_))

    def log_density(self, target: ArrayLike) -> FloatArray:
        """Return the logarithm of the density, which is finite for outliers too."""
        scaled = self._scaled(target)
        return np.asarray(-0.5 * (scaled + np.log(2 * np.pi * self.variance_)))

    def _scaled(self, target: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray((finite_vector("target", target) - self.mean_) ** 2 / self.variance_)


class ClassFrequency(BaseEstimator):
    """The relative frequency of each value: the paper's, for discrete features.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.weighting import ClassFrequency
    >>> target = np.array([0.0, 0.0, 0.0, 1.0])
    >>> model = ClassFrequency()
    >>> _ = model.fit(target)
    >>> model.density(target).tolist()
    [0.75, 0.75, 0.75, 0.25]
    """

    def fit(self, target: ArrayLike) -> Self:
        """Count the values."""
        t = finite_vector("target", target)
        self.classes_, counts = np.unique(t, return_counts=True)
        self.frequencies_ = counts / len(t)
        return self

    def density(self, target: ArrayLike) -> FloatArray:
        """Return the frequency of each value; raise for a value that was not seen."""
        check_is_fitted(self)
        t = finite_vector("target", target)
        return np.asarray(self.frequencies_[class_codes(t, self.classes_, "target")])

    def log_density(self, target: ArrayLike) -> FloatArray:
        """Return the logarithm of each frequency."""
        return np.asarray(np.log(self.density(target)))
