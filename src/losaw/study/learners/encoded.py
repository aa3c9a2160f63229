"""The base of learners for mixed data: an encoding before a scikit-learn model."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.study.learners.encoding import Encoding
from losaw.study.learners.two_tasks import TwoTaskLearner


class EncodedLearner(TwoTaskLearner):
    """A model on the encoded columns of mixed data; subclasses choose it, and its encoding.

    Parameters
    ----------
    task : {"regression", "classification"}
        Classes are 0 and 1.
    nominal : sequence of int
        Columns of X with level codes.
    random_state : int, Generator or None

    Attributes
    ----------
    encoding_ : Encoding
    model_ : fitted scikit-learn estimator
    """

    encoding = "dummies"

    def __init__(
        self,
        task: str = "regression",
        nominal: Sequence[int] = (),
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.task = task
        self.nominal = nominal
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to X (n_samples, n_features) and y (n_samples,)."""
        features, response = self._read(X, y)
        self.encoding_ = Encoding.learn(features, self.nominal, self.encoding)
        self.model_ = self.make().fit(self.encoding_.encode(features), response)
        return self

    def encode(self, X: ArrayLike) -> FloatArray:
        """Return the columns that the model sees."""
        check_is_fitted(self)
        return self.encoding_.encode(validate_data(self, X, dtype=np.float64, reset=False))

    def predict_encoded(self, columns: FloatArray) -> FloatArray:
        """Return the mean, or the probability of class 1, of columns from :meth:`encode`."""
        if self._classifies:
            return np.asarray(self.model_.predict_proba(columns)[:, 1])
        return np.asarray(self.model_.predict(columns))

    def _outcome(self, X: ArrayLike) -> FloatArray:
        return self.predict_encoded(self.encode(X))

    def make(self) -> Any:
        """Return the unfitted model."""
        raise TypeError(f"{type(self).__name__} does not say which model it fits")
