"""Permutation importance of any model, on training or test rows, one score per fit."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray
from losaw.rng import as_generator
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult
from losaw.support.outcomes import (
    class_numbers,
    classes_of,
    finite_numbers,
    probabilities,
    task_of,
)
from losaw.support.words import unknown

ROWS = ("test", "train")


class PermutationImportance(Described):
    """How much worse the model predicts when a feature is permuted (Breiman 2001),

        PFI_j = mean over permutations pi of score(f, X, y) - score(f, X^(pi, j), y),

    where score is minus the mean squared error for regression and the area under the ROC curve for
    classes; of more than two the mean over all pairs of classes that y holds (Hand and Till 2001).
    (Zhou and Hooker, Equation (2); TreeInner, Section 4.4.)

    Parameters
    ----------
    rows : {"test", "train"}, default "test"
        The sample that is predicted. For in-bag and out-of-bag rows of each tree see
        :class:`losaw.importance.per_tree_permutation.TreePermutationImportance`.
    n_repeats : int, default 1
        Permutations per feature. With two or more, ``std_error`` is that of their mean.
    """

    def __init__(self, rows: str = "test", n_repeats: int = 1) -> None:
        if rows not in ROWS:
            raise ValueError(unknown("rows", rows, ROWS))
        if n_repeats < 1:
            raise ValueError(f"n_repeats must be at least 1, got {n_repeats}")
        self.rows = rows
        self.n_repeats = n_repeats

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores on ``data.test`` or ``data.train``; ``rng`` draws the permutations."""
        rng = as_generator(rng)
        X, y = data.test if self.rows == "test" else data.train
        score = score_of(model, y, data.task)
        reference = score(X)
        drops = np.empty((self.n_repeats, X.shape[1]))
        permuted = X.copy()
        for repeat in range(self.n_repeats):
            for column in range(X.shape[1]):
                permuted[:, column] = rng.permutation(X[:, column])
                drops[repeat, column] = reference - score(permuted)
                permuted[:, column] = X[:, column]
        error = kind = None
        if self.n_repeats > 1:
            error = drops.std(axis=0, ddof=1) / np.sqrt(self.n_repeats)
            kind = "over permutations"
        return ImportanceResult(drops.mean(axis=0), data.feature_names, error, kind)


def score_of(model: Any, y: ArrayLike, task: str | None) -> Callable[[FloatArray], float]:
    """``score(X)`` of the model's predictions of ``y``; larger is better."""
    if task_of(model, task) == "regression":
        response = finite_numbers(y)
        return lambda X: -float(((response - model.predict(X)) ** 2).mean())
    from sklearn.metrics import roc_auc_score

    classes = classes_of(model)
    numbers = class_numbers(y, classes)
    present = np.unique(numbers)
    if len(present) < 2:
        raise ValueError("the area under the curve is not defined: y holds one class only")
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{type(model).__name__} has no predict_proba, so that rows have no order")
    if len(classes) == 2:
        return lambda X: float(roc_auc_score(numbers, probabilities(model, X, 2)))

    def mean_over_pairs(X: FloatArray) -> float:
        predicted = probabilities(model, X, len(classes))
        areas = []
        for first, second in itertools.combinations(present.astype(int), 2):
            rows = (numbers == first) | (numbers == second)
            for number in (first, second):
                areas.append(roc_auc_score(numbers[rows] == number, predicted[rows, number]))
        return float(np.mean(areas))

    return mean_over_pairs
