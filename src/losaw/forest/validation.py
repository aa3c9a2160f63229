"""Checks of the forest's input: parameters, training sample, rows to predict."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import MAX_LEVELS
from losaw.support.arguments import one_of, real_number, whole_number
from losaw.tables.columns import few_levels
from losaw.weighting.levels import chosen_columns

UNLIMITED = 2**31 - 1
# Of the standard deviation. Below it importances err by .001 and more: sums of squares of rows that
# are close together are differences of sums that far values dominate.
_SMALLEST_SPREAD = 2e-5


def check_labels(labels: NDArray[Any]) -> None:
    """Raise a ValueError at text among other class labels, with which it has no order."""
    texts = [isinstance(label, str) for label in labels] if labels.dtype.kind == "O" else []
    if any(texts) and not all(texts):
        text, other = labels[texts.index(True)], labels[texts.index(False)]
        raise ValueError(
            f"y has both text ({text!r}) and other labels ({other!r}); give all as text, for "
            "example numpy.asarray(y).astype(str)"
        )


def check_max_depth(value: Any) -> int:
    """Largest depth; None means until the leaves are pure or small."""
    return UNLIMITED if value is None else min(whole_number("max_depth", value, 1), UNLIMITED)


def check_n_trees(name: str, value: Any) -> int:
    """Number of trees of a forest."""
    return whole_number(name, value, 1, maximum=10**6)


def check_max_features(value: Any, n_features: int) -> int:
    """Number of features drawn at a node, from an int, a fraction, "sqrt", "log2" or None."""
    if value is None:
        return n_features
    if isinstance(value, str):
        known = {"sqrt": np.sqrt(n_features), "log2": np.log2(n_features)}
        return max(1, int(known[one_of("max_features", value, known)]))
    if isinstance(value, numbers.Integral):
        return min(whole_number("max_features", value, 1), n_features)
    share = real_number("max_features", value, 0, 1, without_minimum=True)
    return max(1, int(share * n_features + 1e-9))


def resolve_discrete(
    choice: Any,
    X: FloatArray,
    names: NDArray[np.object_] | None,
    categorical: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], list[FloatArray]]:
    """Mask of the discrete features, the ``categorical`` ones in any case, and sorted levels.

    "auto": at most 10 distinct values, each seen five times on average.
    """
    n_samples, n_features = X.shape
    named = chosen_columns("discrete_features", choice, n_features, names)
    few_of: dict[int, FloatArray | None] = {}
    if named is None:
        few_of = {int(p): few_levels(X[:, p]) for p in np.flatnonzero(~categorical)}
        named = np.array([few_of.get(p) is not None for p in range(n_features)])
    mask = categorical | named
    all_levels = []
    for p in np.flatnonzero(mask):
        levels = few_of.get(int(p))
        if levels is None:
            levels = np.unique(X[:, p])
        if len(levels) > min(MAX_LEVELS, max(1, n_samples // 2)):
            label = names[p] if names is not None else int(p)
            remedy = "merge rare levels" + ("" if categorical[p] else " or declare it continuous")
            raise ValueError(
                f"X: discrete column {label!r} has {len(levels)} levels in {n_samples} rows; at "
                f"most {MAX_LEVELS} are allowed, with two rows a level on average: {remedy}"
            )
        all_levels.append(levels)
    return mask, all_levels


def check_spread(
    X: FloatArray,
    scale: FloatArray,
    adjustment: NDArray[np.bool_],
    is_discrete: NDArray[np.bool_],
    names: NDArray[np.object_] | None,
) -> None:
    """Raise at a column of the nodes' regressions with a few values far out of all proportion.

    ``adjustment`` is the mask [target, adjustment feature], ``scale`` the standard deviations.
    """
    of_regressions = adjustment[~is_discrete]  # discrete targets have logits
    regressed = ~is_discrete & (adjustment.any(axis=1) | of_regressions.any(axis=0))
    for p in np.flatnonzero(regressed):
        distinct = np.unique(X[:, p])
        half = len(distinct) // 2
        spread = np.min(distinct[half:] - distinct[: len(distinct) - half])
        if spread < _SMALLEST_SPREAD * scale[p]:
            label = names[p] if names is not None else int(p)
            raise ValueError(
                f"X: column {label!r} has values so far out that the others' digits are lost in "
                f"regressions (standard deviation {scale[p]:.2g}, but half of its distinct values "
                f"within {spread:.2g}): replace codes for missing values, or give its ranks"
            )


def refuse_ambiguous_numbers(X: Any, **choices: Any) -> None:
    """Raise a ValueError for columns given by number where X has other numbers for labels."""
    labels = list(getattr(X, "columns", ()))
    if all(not isinstance(label, numbers.Integral) or label == j for j, label in enumerate(labels)):
        return
    for parameter, choice in choices.items():
        named = np.asarray([] if choice is None else choice)
        if named.size and named.dtype.kind in "iu":
            raise ValueError(
                f"{parameter}={choice!r} gives columns by their places, but the columns of X have "
                f"other numbers for labels ({', '.join(map(str, labels[:5]))}"
                f"{', …' if len(labels) > 5 else ''}); give a boolean mask, or make the labels text"
            )
