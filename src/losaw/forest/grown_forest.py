"""The base of the forests that losaw grows: rows as the trees compare them, and fitted trees."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.forest.ensemble import Forest
from losaw.forest.precision import Precision, as_of_fit, precision_of
from losaw.forest.trees import Tree
from losaw.support.arguments import estimator_rows


class GrownForest(BaseEstimator):
    """An estimator whose ``fit`` sets ``forest_``, its trees."""

    forest_: Forest
    is_nominal_: NDArray[np.bool_]
    _precision: Precision  # of the columns of the fit

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    def numeric_rows(self, X: ArrayLike) -> FloatArray:
        """Rows as the trees compare them, checked: float64 of shape (n_samples, n_features).

        A level of an ordered categorical column is its rank among the declared categories, one
        of a nominal feature its place in ``categories_``, 63 if the training sample has no such
        level.
        """
        check_is_fitted(self)
        rows = np.require(self._read_rows(X), requirements=["C", "A", "W"])
        return as_of_fit(rows, precision_of(X, self.is_nominal_), self._precision)

    def _read_rows(self, X: ArrayLike) -> Any:
        return estimator_rows(self, X, reset=False)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Mean of the trees' leaf means, (n_samples,)."""
        rows = self.numeric_rows(X)
        return self.forest_.predict(rows)

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Leaf of every row in every tree, numbered within the tree: (n_samples, n_trees)."""
        rows = self.numeric_rows(X)
        return self.forest_.apply(rows)

    def in_bag_counts(self) -> NDArray[np.int64]:
        """Return how often each training row is in each tree's sample: (n_trees, n_samples)."""
        check_is_fitted(self)
        return self.forest_.in_bag_counts()

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The fitted trees."""
        check_is_fitted(self)
        return self.forest_.trees
