"""What the losaw forests share: parameters, checks of rows, access to the fitted trees."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.forest.fitting import fit_forest
from losaw.forest.trees import Tree
from losaw.forest.validation import check_finite


class LosawForest(BaseEstimator):
    """Parameters and fitted state of a losaw forest; see its two kinds for their meaning."""

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 10,
        min_samples_leaf: int = 5,
        max_features: int | float | str | None = 1 / 3,
        eta: float = 0.25,
        n_adjustment: int = 10,
        correlation_threshold: float = 0.1,
        n_initial_estimators: int = 20,
        discrete_features: str | ArrayLike = "auto",
        propensity: Any = "auto",
        stabilization: Any = "auto",
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.eta = eta
        self.n_adjustment = n_adjustment
        self.correlation_threshold = correlation_threshold
        self.n_initial_estimators = n_initial_estimators
        self.discrete_features = discrete_features
        self.propensity = propensity
        self.stabilization = stabilization
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit_rows(self, X: FloatArray, y: FloatArray, n_classes: int = 0) -> None:
        """Fit on rows whose shape and type are checked."""
        self.__dict__.pop("forest_", None)  # an interrupted fit leaves an unfitted estimator
        names = getattr(self, "feature_names_in_", None)
        check_finite(X, names)
        fitted = fit_forest(self, X, y, names, n_classes)
        self.forest_ = fitted.forest
        self.adjustment_ = fitted.adjustment
        self.is_discrete_ = fitted.is_discrete

    def _check_rows(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self, "forest_")
        rows = validate_data(
            self, X, reset=False, dtype=np.float64, order="C", ensure_all_finite=False
        )
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return np.require(rows, requirements=["C", "A", "W"])

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Leaf of every row in every tree, numbered within the tree: (n_samples, n_trees)."""
        return self.forest_.apply(self._check_rows(X))

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of the standardised importances (losaw, Definition 4.6)."""
        check_is_fitted(self, "forest_")
        return np.asarray(self.forest_.importances.mean(axis=0))

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The fitted trees."""
        check_is_fitted(self, "forest_")
        return self.forest_.trees

    def in_bag_counts(self) -> NDArray[np.int64]:
        """How often each training row stands in each tree's sample: (n_trees, n_samples)."""
        check_is_fitted(self, "forest_")
        return self.forest_.in_bag_counts()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags
