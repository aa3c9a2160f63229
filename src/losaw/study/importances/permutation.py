"""Permutation importance of any model, on training or test rows, one score per fit."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.scoring.result import ImportanceResult, checked_by
from losaw.support.arguments import whole_number
from losaw.support.models import classes_of, task_of
from losaw.support.outcomes import class_numbers, finite_numbers, means, probabilities


def _check(n_repeats: int) -> None:
    whole_number("n_repeats", n_repeats, 1)


@checked_by(_check)
def permutation(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_repeats: int = 1,
    feature_names: Sequence[str],
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Fall of a model's score when a feature is permuted (Breiman 2001),

        PFI_j = mean over permutations pi of score(f, X, y) - score(f, X^(pi, j), y),

    where score is minus the mean squared error for regression and the area under the ROC curve for
    classes; for more than two classes the mean over all pairs of classes in y (Hand and Till 2001).
    (Zhou and Hooker, Equation (2); TreeInner, Section 4.4.) For in-bag and out-of-bag rows of each
    tree see :func:`losaw.importance.tree_permutation`. In a study the rows are those of the test
    sample, unless ``rows: train`` is given. Of two repeats or more ``std_error`` is that of their
    mean.
    """
    rng = as_generator(random_state)
    X = np.asarray(X)
    score = score_of(model, y)
    reference = score(X)
    drops = np.empty((n_repeats, X.shape[1]))
    permuted = X.copy()
    for repeat in range(n_repeats):
        for column in range(X.shape[1]):
            permuted[:, column] = rng.permutation(X[:, column])
            drops[repeat, column] = reference - score(permuted)
            permuted[:, column] = X[:, column]
    error = kind = None
    if n_repeats > 1:
        error = drops.std(axis=0, ddof=1) / np.sqrt(n_repeats)
        kind = "over permutations"
    return ImportanceResult(drops.mean(axis=0), tuple(feature_names), error, kind)


def score_of(model: Any, y: ArrayLike) -> Callable[[FloatArray], float]:
    """``score(X)`` of the model's predictions of ``y``; larger is better."""
    if task_of(model) == "regression":
        response = finite_numbers(y)
        return lambda X: -float(((response - means(model, X)) ** 2).mean())
    from sklearn.metrics import roc_auc_score

    classes = classes_of(model)
    numbers = class_numbers(y, classes)
    if len(np.unique(numbers)) < 2:
        raise ValueError("the area under the curve is not defined: y has one class only")
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{type(model).__name__} has no predict_proba, so that rows have no order")
    if len(classes) == 2:
        return lambda X: float(roc_auc_score(numbers, probabilities(model, X, 2)))

    return lambda X: float(
        roc_auc_score(
            numbers,
            probabilities(model, X, len(classes)),
            multi_class="ovo",
            labels=np.arange(len(classes)),
        )
    )
