"""A random forest for either task that sees nominal features as dummies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.study.learners.encoded import Encoding
from losaw.study.learners.two_tasks import TwoTaskLearner
from losaw.trees.flat import FlatForest, mean_of_trees

TASKS = {"regression": RandomForestRegressor, "classification": RandomForestClassifier}


@dataclass(eq=False, repr=False, kw_only=True)
class RandomForest(TwoTaskLearner):
    """Scikit-learn's random forest, regressor or classifier, on one-hot encoded nominal features.

    ``forest_`` is fitted on the encoded columns, and ``feature_of_column_`` (n_columns,) says which
    feature each belongs to.
    """

    one_hot: Sequence[int] = ()  # columns of X with a dummy for each level of the training sample
    n_estimators: int = 100
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: int | None = None  # None: scikit-learn's default of the task

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest to X (n_samples, n_features) and y (n_samples,)."""
        rows, response = self._read(X, y)
        self._encoding = Encoding.learn(rows, self.one_hot, "one-hot")
        widths = [len(columns) for columns in self._encoding.groups]
        self.feature_of_column_ = np.repeat(np.arange(len(widths)), widths)
        drawn = {} if self.max_features is None else {"max_features": self.max_features}
        self.forest_ = TASKS[self.task](
            self.n_estimators,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
            **drawn,
        ).fit(self._encoding.encode(rows), response)
        return self

    def encode(self, X: ArrayLike) -> FloatArray:
        """The columns that the trees split, (n_samples, n_columns)."""
        check_is_fitted(self)
        return self._encoding.encode(validate_data(self, X, reset=False, dtype=np.float64))

    def mean_of_trees(self) -> FlatForest | None:
        """The trees on columns as :meth:`encode` gives them; None of a subclass."""
        inner = mean_of_trees(self.forest_) if type(self) is RandomForest else None
        return inner and replace(
            inner,
            encode=lambda rows: inner.encode(self.encode(rows)),
            feature_of_column=self.feature_of_column_,
        )

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Mean of the trees, or the most probable class, (n_samples,)."""
        return self.forest_.predict(self.encode(X))

    @available_if(lambda self: self._classifies)
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Class probabilities, (n_samples, n_classes)."""
        return self.forest_.predict_proba(self.encode(X))

    @property
    def feature_importances_(self) -> FloatArray:
        """Normalised mean decrease in impurity, a factor's dummies summed."""
        check_is_fitted(self)
        scores: FloatArray = self.forest_.feature_importances_
        return np.bincount(self.feature_of_column_, scores).astype(float)
