"""The encoding of nominal features: integer codes, dummies without the first level, or of all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import unknown

ENCODINGS = ("codes", "dummies", "one-hot")


@dataclass(frozen=True)
class Encoding:
    """A fixed map from features to columns.

    Attributes
    ----------
    levels : tuple of (array or None)
        The levels of each feature that have a column, sorted; None of one that stays as it is.
    """

    levels: tuple[FloatArray | None, ...]

    @classmethod
    def learn(cls, X: FloatArray, nominal: Sequence[int], encoding: str) -> "Encoding":
        """Learn the encoding of the training sample X (n_samples, n_features).

        Codes leave X as it is. Dummies leave out the first level of a nominal column, one-hot none.
        """
        if encoding not in ENCODINGS:
            raise ValueError(unknown("encoding", encoding, ENCODINGS))
        n_features = X.shape[1]
        for column in nominal:
            if not 0 <= column < n_features:
                raise ValueError(
                    f"there is no nominal column {column}; X has columns 0 to {n_features - 1}"
                )
        cut = set(nominal) if encoding != "codes" else set()
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
