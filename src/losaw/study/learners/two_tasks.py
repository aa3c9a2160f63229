"""The base of learners of a number, or of the classes 0 and 1."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from losaw.data import FloatArray
from losaw.support.arguments import one_of

TASKS = ("regression", "classification")


# Parameters are fields: scikit-learn reads them from the __init__ that dataclass writes.
@dataclass(eq=False, repr=False)
class TwoTaskLearner(BaseEstimator):
    """A learner of the mean, or of the probability of class 1, by its ``task``: classes 0 and 1."""

    task: str = "regression"
    _: KW_ONLY
    random_state: Any = None

    @property
    def _classifies(self) -> bool:
        return self.task == "classification"

    def _read(self, X: ArrayLike, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
        """Return the rows (n_samples, n_features) and responses of a fit, if they suit it."""
        one_of("task", self.task, TASKS)
        rows, response = validate_data(self, X, y, dtype=np.float64, y_numeric=not self._classifies)
        if self._classifies:
            if not np.array_equal(np.unique(response), [0, 1]):
                raise ValueError(
                    f"y must hold the classes 0 and 1, both of them, got {np.unique(response)[:5]}"
                )
            self.classes_ = np.array([0, 1])
        return rows, response

    def _outcome(self, X: ArrayLike) -> FloatArray:
        """Return means, or probabilities of class 1, (n_samples,)."""
        raise TypeError(f"{type(self).__name__} does not say what it predicts")

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted mean, or the more probable class, (n_samples,)."""
        outcome = self._outcome(X)
        return (outcome > 0.5).astype(int) if self._classifies else outcome

    @available_if(lambda self: self._classifies)
    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the probabilities of the classes 0 and 1, (n_samples, 2)."""
        outcome = self._outcome(X)
        return np.column_stack([1 - outcome, outcome])
