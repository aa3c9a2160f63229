"""The base of learners for mixed data: an encoding before a scikit-learn model.

Nominal features are integer codes, dummies without the first level, or dummies of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.study.learners.two_tasks import TwoTaskLearner
from losaw.support.arguments import one_of

ENCODINGS = ("codes", "dummies", "one-hot")


def nominal_columns(nominal: Sequence[int], n_features: int) -> list[int]:
    """Return the columns with level codes; a ValueError names one that X does not have."""
    for column in nominal:
        if column not in range(n_features):
            raise ValueError(
                f"there is no nominal column {column}; X has columns 0 to {n_features - 1}"
            )
    return list(map(int, nominal))


@dataclass(frozen=True)
class Encoding:
    """A fixed map from features to columns."""

    # The levels of each feature that have a column, sorted; None of one that stays as it is.
    levels: tuple[FloatArray | None, ...]

    @classmethod
    def learn(cls, X: FloatArray, nominal: Sequence[int], encoding: str) -> "Encoding":
        """Learn the encoding of the training sample X (n_samples, n_features).

        Codes leave X as it is. Dummies leave out the first level of a nominal column, one-hot none.
        """
        one_of("encoding", encoding, ENCODINGS)
        n_features = X.shape[1]
        columns = nominal_columns(nominal, n_features)
        cut = set(columns) if encoding != "codes" else set()
        first = 1 if encoding == "dummies" else 0
        return cls(
            tuple(np.unique(X[:, j])[first:] if j in cut else None for j in range(n_features))
        )

    @property
    def groups(self) -> tuple[NDArray[np.intp], ...]:
        """The columns of each feature; a factor with a single level has none."""
        widths = [1 if levels is None else len(levels) for levels in self.levels]
        ends = np.cumsum([0, *widths])
        return tuple(np.arange(ends[j], ends[j + 1]) for j in range(len(widths)))

    def encode(self, X: FloatArray) -> FloatArray:
        """Return columns (n_samples, n_columns) of X.

        A level that the training sample does not have is all zeros, as the first level of dummies
        is: the model cannot know anything else about it.
        """
        if all(levels is None for levels in self.levels):
            return X
        return np.hstack(
            [
                X[:, [j]] if levels is None else (X[:, [j]] == levels).astype(float)
                for j, levels in enumerate(self.levels)
            ]
        )


@dataclass(eq=False, repr=False, kw_only=True)
class EncodedLearner(TwoTaskLearner):
    """A model on the encoded columns of mixed data; subclasses choose it, and its encoding.

    A fit leaves ``encoding_``, an :class:`Encoding`, and the fitted ``model_``.
    """

    encoding = "dummies"  # of the class; no parameter
    nominal: Sequence[int] = ()  # columns of X with level codes

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
