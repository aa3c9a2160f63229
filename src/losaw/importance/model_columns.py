"""What a fitted model sees of a sample, so that single features can be exchanged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import Dataset, FloatArray
from losaw.outcomes import (
    Task,
    class_numbers,
    classes_of,
    finite_numbers,
    probabilities,
    task_of,
)

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
        Columns to means, or to probabilities as :mod:`losaw.importance.losses` has them.
    classes : array of shape (n_classes,) or None
        Of a classifier.
    """

    encode: Callable[[FloatArray], FloatArray]
    groups: tuple[NDArray[np.intp], ...]
    predict: Callable[[FloatArray], FloatArray]
    classes: NDArray[Any] | None = None

    @property
    def task(self) -> Task:
        return "regression" if self.classes is None else "classification"

    def response(self, y: ArrayLike) -> FloatArray:
        """y (n_samples,) as a loss compares it: numbers, or positions in ``classes``."""
        return finite_numbers(y) if self.classes is None else class_numbers(y, self.classes)

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
    ``predict_encoded(columns)``, which gives means or probabilities of the second class.

    Raises
    ------
    ValueError
        If the model is a classifier and the data are declared a regression, or the other way
        round; see :func:`losaw.outcomes.task_of`.
    """
    classes = classes_of(model) if task_of(model, data.task) == "classification" else None
    if hasattr(model, "predict_encoded"):
        return ModelColumns(model.encode, model.encoding_.groups, model.predict_encoded, classes)
    groups = tuple(np.array([j]) for j in range(len(data.feature_names)))
    if classes is None:
        return ModelColumns(_same, groups, lambda X: np.asarray(model.predict(X)))
    return ModelColumns(_same, groups, lambda X: probabilities(model, X, len(classes)), classes)


def _same(X: FloatArray) -> FloatArray:
    return X


def check_sample(X: FloatArray, y: ArrayLike, n_features: int) -> None:
    """Raise a ValueError for rows that no importance can be computed on."""
    if np.ndim(X) != 2 or X.shape[1] != n_features:
        raise ValueError(f"X has shape {np.shape(X)}, expected (n_samples, {n_features})")
    if np.shape(y) != (len(X),):
        raise ValueError(f"y has shape {np.shape(y)}, expected ({len(X)},): one for every row of X")
    if len(X) < 2:
        raise ValueError(f"the sample has {len(X)} row(s); an importance needs at least 2")
    bad = ~np.isfinite(X).all(axis=1)
    if bad.any():
        raise ValueError(
            f"the sample has {int(bad.sum())} rows with missing or infinite values (first: row "
            f"{int(np.flatnonzero(bad)[0])}). losaw does not impute; drop or impute them first, "
            "for example with sklearn.impute.SimpleImputer"
        )
