"""The encoding of nominal features: as integer codes, or as dummies without the first level."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import unknown

ENCODINGS = ("codes", "dummies")


@dataclass(frozen=True)
class Encoding:
    """A fixed map from features to columns.

    Attributes
    ----------
    levels : tuple of (array or None)
        Levels of each feature that enters as dummies, sorted; None for the others.
    """

    levels: tuple[FloatArray | None, ...]

    @classmethod
    def learn(cls, X: FloatArray, nominal: Sequence[int], encoding: str) -> "Encoding":
        """Learn the encoding of the training sample X (n_samples, n_features).

        Parameters
        ----------
        nominal : sequence of int
            Columns with level codes.
        encoding : {"codes", "dummies"}
            Codes leave X as it is.

        Raises
        ------
        ValueError
            For an unknown encoding or a column that X does not have.
        """
        if encoding not in ENCODINGS:
            raise ValueError(unknown("encoding", encoding, ENCODINGS))
        n_features = X.shape[1]
        for column in nominal:
            if not 0 <= column < n_features:
                raise ValueError(
                    f"nominal names column {column}; X has the columns 0 to {n_features - 1}"
                )
        dummies = set(nominal) if encoding == "dummies" else set()
        return cls(tuple(np.unique(X[:, j]) if j in dummies else None for j in range(n_features)))

    @property
    def groups(self) -> tuple[NDArray[np.intp], ...]:
        """The columns of each feature; a factor with a single level has none."""
        widths = [1 if levels is None else len(levels) - 1 for levels in self.levels]
        ends = np.cumsum([0, *widths])
        return tuple(np.arange(ends[j], ends[j + 1]) for j in range(len(widths)))

    def encode(self, X: FloatArray) -> FloatArray:
        """Return columns (n_samples, n_columns) of X.

        A level that the training sample does not have is all zeros, as the first level is: the
        model cannot know anything else about it.
        """
        if all(levels is None for levels in self.levels):
            return X
        return np.hstack(
            [
                X[:, [j]] if levels is None else (X[:, [j]] == levels[1:]).astype(float)
                for j, levels in enumerate(self.levels)
            ]
        )
