"""What a fitted model sees of a sample, so that single features can be exchanged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.arguments import beyond_range
from losaw.data import Dataset, FloatArray

# Rows predicted in one call; more are cut into several.
_CHUNK = 200_000


@dataclass(frozen=True)
class ModelColumns:
    """A model's own columns.

    Attributes
    ----------
    encode : callable
        Features (n_samples, n_features) to columns (n_samples, n_columns).
    groups : tuple of array
        Columns of each feature.
    predict : callable
        Columns to means, or probabilities of class 1.
    """

    encode: Callable[[FloatArray], FloatArray]
    groups: tuple[NDArray[np.intp], ...]
    predict: Callable[[FloatArray], FloatArray]

    def predict_each(self, matrices: Sequence[FloatArray]) -> list[FloatArray]:
        """Predictions of several matrices of columns, in as few calls of the model as possible."""
        found: list[FloatArray] = []
        waiting: list[FloatArray] = []
        for index, matrix in enumerate(matrices):
            waiting.append(matrix)
            last = index + 1 == len(matrices)
            if last or sum(map(len, waiting)) + len(matrices[index + 1]) > _CHUNK:
                ends = np.cumsum([len(one) for one in waiting])[:-1]
                found += np.split(np.asarray(self.predict(np.vstack(waiting))), ends)
                waiting = []
        return found


def columns_of(model: Any, data: Dataset) -> ModelColumns:
    """The columns of a fitted model: its encoding if it has one, else the features themselves.

    A model with an encoding has ``encode(X)``, ``encoding_.groups`` and
    ``predict_encoded(columns)``.
    """
    if hasattr(model, "predict_encoded"):
        return ModelColumns(model.encode, model.encoding_.groups, model.predict_encoded)
    n_features = len(data.feature_names)
    groups = tuple(np.array([j]) for j in range(n_features))
    if data.task == "classification":
        return ModelColumns(_same, groups, lambda X: np.asarray(model.predict_proba(X)[:, 1]))
    return ModelColumns(_same, groups, lambda X: np.asarray(model.predict(X)))


def _same(X: FloatArray) -> FloatArray:
    return X


def check_sample(X: FloatArray, y: FloatArray, n_features: int) -> None:
    """Raise a ValueError for rows that no importance can be computed on."""
    if X.ndim != 2 or X.shape[1] != n_features:
        raise ValueError(f"X has shape {X.shape}, expected (n_samples, {n_features})")
    if np.shape(y) != (len(X),):
        raise ValueError(f"y has shape {np.shape(y)}, expected ({len(X)},) as X has rows")
    if len(X) < 2:
        raise ValueError(f"the sample has {len(X)} row(s); an importance needs at least 2")
    bad = beyond_range(X).any(axis=1) | beyond_range(y)
    if bad.any():
        raise ValueError(
            f"the sample has {int(bad.sum())} rows with missing or infinite values in X or y "
            f"(NaN, inf, beyond 1e150; first: row {int(np.flatnonzero(bad)[0])}). losaw does not "
            "impute; drop or impute them first, for example with sklearn.impute.SimpleImputer"
        )
