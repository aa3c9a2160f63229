"""The base of learners for mixed data: an encoding before a scikit-learn model."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.learners.encoding import Encoding
from losaw.support.words import unknown

TASKS = ("regression", "classification")


def _is_classifier(learner: "EncodedLearner") -> bool:
    return learner.task == "classification"


class EncodedLearner(BaseEstimator):
    """A model on the encoded columns of mixed data; subclasses choose it.

    Parameters
    ----------
    task : {"regression", "classification"}
        Classes are 0 and 1.
    encoding : {"codes", "dummies"}
        How nominal features enter.
    nominal : sequence of int
        Columns of X with level codes.
    random_state : int, Generator or None

    Attributes
    ----------
    encoding_ : Encoding
    model_ : fitted scikit-learn estimator
    """

    def __init__(
        self,
        task: str = "regression",
        encoding: str = "codes",
        nominal: Sequence[int] = (),
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.task = task
        self.encoding = encoding
        self.nominal = nominal
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to X (n_samples, n_features) and y (n_samples,).

        Raises
        ------
        ValueError
            For an unknown task or encoding, wrong shapes, missing or infinite values, or classes
            other than 0 and 1.
        """
        if self.task not in TASKS:
            raise ValueError(unknown("task", self.task, TASKS))
        numeric = self.task == "regression"
        features, response = validate_data(self, X, y, dtype=np.float64, y_numeric=numeric)
        if self.task == "classification":
            self.classes_ = np.unique(response)
            if not np.array_equal(self.classes_, [0, 1]):
                raise ValueError(
                    f"classes must be 0 and 1, both of them; y holds {self.classes_.tolist()[:5]}"
                )
        self.encoding_ = Encoding.learn(features, self.nominal, self.encoding)
        self.model_ = self._make().fit(self.encoding_.encode(features), response)
        return self

    def encode(self, X: FloatArray) -> FloatArray:
        """Return the columns that the model sees."""
        check_is_fitted(self)
        return self.encoding_.encode(validate_data(self, X, dtype=np.float64, reset=False))

    def predict_encoded(self, columns: FloatArray) -> FloatArray:
        """Return the mean, or the probability of class 1, of columns from :meth:`encode`."""
        if self.task == "classification":
            return np.asarray(self.model_.predict_proba(columns)[:, 1])
        return np.asarray(self.model_.predict(columns))

    def predict(self, X: FloatArray) -> FloatArray:
        """Return means, or the more probable class."""
        predictions = self.predict_encoded(self.encode(X))
        return (predictions > 0.5).astype(float) if self.task == "classification" else predictions

    @available_if(_is_classifier)
    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the probabilities of the classes 0 and 1, shape (n_samples, 2)."""
        probabilities = self.predict_encoded(self.encode(X))
        return np.column_stack([1 - probabilities, probabilities])

    def _make(self) -> Any:
        """Return the unfitted model."""
        raise TypeError(f"{type(self).__name__} does not say which model it fits")
