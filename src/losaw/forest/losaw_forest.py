"""The base of the losaw forests: parameters, checks of rows, access to the fitted trees."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.forest.fitting import FittedForest, fit_forest
from losaw.forest.forest_columns import Columns, Levels, read_columns
from losaw.forest.trees import Tree
from losaw.forest.validation import refuse_ambiguous_numbers
from losaw.support.arguments import check_finite, check_same_order, check_unique, unmasked
from losaw.support.outcomes import require_known


class LosawForest(BaseEstimator):
    """Parameters and fitted state of a losaw forest; see its two kinds for their meaning."""

    _fitted: FittedForest
    classes_: NDArray[Any]

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
        nominal_features: str | ArrayLike = "auto",
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | None = None,
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
        self.nominal_features = nominal_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _read(
        self, X: ArrayLike, y: ArrayLike, **checks: Any
    ) -> tuple[Columns, FloatArray, NDArray[Any]]:
        """Read the columns, the rows with codes in place of levels, and the responses."""
        check_unique(getattr(X, "columns", ()))
        check_same_order(X, "y", y)
        refuse_ambiguous_numbers(
            X, nominal_features=self.nominal_features, discrete_features=self.discrete_features
        )
        responses = np.asarray(unmasked(y))
        if responses.dtype.kind == "O" and responses.ndim:
            require_known(responses)
        columns, coded = read_columns(unmasked(X))
        rows, response = validate_data(
            self,
            coded,
            unmasked(y),
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            **checks,
        )
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return columns, rows, response

    def _fit_rows(
        self,
        columns: Columns,
        X: FloatArray,
        y: FloatArray,
        classes: NDArray[Any] | None = None,
    ) -> None:
        """Fit on rows whose shape and type are checked; ``y`` are places in ``classes``."""
        self.__dict__.pop("_fitted", None)  # an interrupted fit leaves an unfitted estimator
        names = getattr(self, "feature_names_in_", None)
        n_classes = 0 if classes is None else len(classes)
        self._fitted = fit_forest(self, X, y, names, columns, n_classes)
        if classes is not None:
            self.classes_ = classes

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    @property
    def _fit_result(self) -> FittedForest:
        check_is_fitted(self)
        return self._fitted

    def numeric_rows(self, X: ArrayLike) -> FloatArray:
        """Rows as the trees compare them, checked: float64 of shape (n_samples, n_features).

        A level of an ordered categorical column is its rank among the declared categories, one
        of a nominal feature its place in ``categories_``, 63 if the training sample has no such
        level.
        """
        check_is_fitted(self)
        columns = self._fitted.columns
        if hasattr(X, "columns"):  # levels are read by the column's place
            validate_data(self, X, reset=False, skip_check_array=True)
        rows = validate_data(
            self,
            columns.encode(unmasked(X)),
            reset=False,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return np.require(columns.code_numbers(rows), requirements=["C", "A", "W"])

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Leaf of every row in every tree, numbered within the tree: (n_samples, n_trees)."""
        return self._fit_result.forest.apply(self.numeric_rows(X))

    @property
    def forest_(self) -> Any:
        """The fitted trees in flat arrays."""
        return self._fit_result.forest

    @property
    def adjustment_(self) -> NDArray[np.bool_]:
        """Mask (n_features, n_features): target p is adjusted for feature q."""
        return self._fit_result.adjustment

    @property
    def is_discrete_(self) -> NDArray[np.bool_]:
        """Mask (n_features,) of the features that have levels, the nominal ones included."""
        return self._fit_result.is_discrete

    @property
    def is_nominal_(self) -> NDArray[np.bool_]:
        """Mask (n_features,) of the features that are split into sets of levels."""
        return self._fit_result.is_nominal

    @property
    def categories_(self) -> dict[Any, list[Any]]:
        """Levels in the order of their codes, by the name (or number) of the feature."""
        columns = self._fit_result.columns
        every = columns.levels | {
            column: Levels(tuple(values.tolist()), False)
            for column, values in columns.numbers.items()
        }
        names = getattr(self, "feature_names_in_", None)
        return {
            column if names is None else names[column]: list(levels.values)
            for column, levels in sorted(every.items())
        }

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of the standardised importances (losaw, Definition 4.6)."""
        return np.asarray(self._fit_result.forest.importances.mean(axis=0))

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The fitted trees."""
        return self._fit_result.forest.trees

    def in_bag_counts(self) -> NDArray[np.int64]:
        """Return how often each training row is in each tree's sample: (n_trees, n_samples)."""
        return self._fit_result.forest.in_bag_counts()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags
