"""The base of the forests that losaw grows: rows as the trees compare them, and fitted trees."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.forest.ensemble import Forest
from losaw.forest.trees import Tree
from losaw.support.arguments import estimator_rows


class GrownForest(BaseEstimator):
    """An estimator whose ``fit`` sets ``forest_``, its trees."""

    forest_: Forest

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    def numeric_rows(self, X: ArrayLike) -> FloatArray:
        """Rows as the trees compare them, checked: float64 of shape (n_samples, n_features)."""
        check_is_fitted(self)
        return np.require(estimator_rows(self, X, reset=False), requirements=["C", "A", "W"])

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags
