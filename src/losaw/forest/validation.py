"""Checks of the forest's input: parameters, training sample, rows to predict."""

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import MAX_LEVELS
from losaw.support.arguments import whole_number
from losaw.support.words import did_you_mean
from losaw.tables.columns import few_levels

_CODES = range(11, 51)  # numbers of distinct whole numbers that may well be codes of categories

_UNLIMITED = 2**31 - 1


def check_max_depth(value: Any) -> int:
    """Largest depth; None means until the leaves are pure or small."""
    return _UNLIMITED if value is None else whole_number("max_depth", value, 1)


def check_max_features(value: Any, n_features: int) -> int:
    """Number of features drawn at a node, from an int, a fraction, "sqrt", "log2" or None."""
    if value is None:
        return n_features
    if isinstance(value, str):
        known = {"sqrt": np.sqrt(n_features), "log2": np.log2(n_features)}
        if value not in known:
            raise ValueError(
                f"max_features {value!r} is unknown{did_you_mean(value, known)} "
                "(allowed: an int, a fraction in (0, 1], 'sqrt', 'log2', None)"
            )
        return max(1, int(known[value]))
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        if int(value) < 1:
            raise ValueError(f"max_features must be at least 1, got {value}")
        return min(int(value), n_features)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        if not 0.0 < float(value) <= 1.0:
            raise ValueError(f"max_features as a fraction must lie in (0, 1], got {value}")
        return max(1, int(float(value) * n_features + 1e-9))
    raise TypeError(
        f"max_features must be an int, a fraction, 'sqrt', 'log2' or None, got {value!r}"
    )


def check_n_jobs(value: Any) -> int:
    """Number of threads: None is 1, -1 all cores, -2 all but one, ..."""
    if value is None:
        return 1
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value == 0:
        raise ValueError(
            f"n_jobs must be None, a positive integer or -1 (all cores), got {value!r}"
        )
    if value < 0:
        import os

        return max(1, (os.cpu_count() or 1) + 1 + int(value))
    return int(value)


def check_training_rows(n_samples: int, min_samples_leaf: int) -> None:
    """Raise where not even the root could be split."""
    if n_samples < 2 * min_samples_leaf:
        raise ValueError(
            f"n_samples={n_samples} is fewer than 2 * min_samples_leaf = {2 * min_samples_leaf}: "
            "no tree could have a split; give more rows or a smaller min_samples_leaf"
        )


def resolve_discrete(
    choice: Any,
    X: FloatArray,
    names: NDArray[np.object_] | None,
    categorical: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], list[FloatArray]]:
    """Mask of the discrete features and their sorted levels.

    "auto": at most 10 distinct values, each seen five times on average. Otherwise a boolean mask
    (n_features,), column numbers, or names of columns. ``categorical`` ones are discrete anyway.
    """
    n_samples, n_features = X.shape
    if isinstance(choice, str):
        if choice != "auto":
            raise ValueError(
                f"discrete_features must be 'auto', a boolean mask, column numbers or names; got "
                f"the string {choice!r}{did_you_mean(choice, ['auto'])}"
            )
        mask = categorical.copy()
        few_of = {int(p): few_levels(X[:, p]) for p in np.flatnonzero(~categorical)}
        mask[[p for p, few in few_of.items() if few is not None]] = True
        warn_of_codes(X, mask, names)
    else:
        few_of = {}
        mask = categorical | _explicit_mask("discrete_features", choice, n_features, names)
    all_levels = []
    for p in np.flatnonzero(mask):
        levels = few_of.get(int(p))
        if levels is None:
            levels = np.unique(X[:, p])
        label = names[p] if names is not None else int(p)
        remedy = "merge rare levels" + ("" if categorical[p] else " or declare it continuous")
        if len(levels) > max(1, n_samples // 2):
            raise ValueError(
                f"X: discrete column {label!r} has {len(levels)} levels in {n_samples} rows: too "
                f"few rows per level to estimate propensities; {remedy}"
            )
        if len(levels) > MAX_LEVELS:
            raise ValueError(
                f"X: discrete column {label!r} has {len(levels)} levels, at most {MAX_LEVELS} "
                f"are allowed; {remedy}"
            )
        all_levels.append(levels)
    return mask, all_levels


def resolve_nominal(
    choice: Any, categorical: list[int], n_features: int, names: NDArray[np.object_] | None
) -> NDArray[np.bool_]:
    """Mask of the nominal features: the unordered ``categorical`` columns, and those named."""
    if isinstance(choice, str) and choice != "auto":
        raise ValueError(
            f"nominal_features must be 'auto', a boolean mask, column numbers or names; got the "
            f"string {choice!r}{did_you_mean(choice, ['auto'])}"
        )
    named = [] if isinstance(choice, str) else choice
    mask = _explicit_mask("nominal_features", named, n_features, names)
    mask[categorical] = True
    return mask


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


def warn_of_codes(
    X: FloatArray, mask: NDArray[np.bool_], names: NDArray[np.object_] | None
) -> None:
    """Warn of columns outside ``mask`` that look like codes of categories: 11 to 50 whole numbers.

    Ages and counts look so, too; who names the discrete features is not warned.
    """
    if mask.all():
        return
    head = X[: 2 * _CODES.stop]
    suspects = ~mask & (head == np.floor(head)).all(axis=0)
    n_codes = {}
    for column in np.flatnonzero(suspects):
        values = np.unique(X[:, column])
        if len(values) in _CODES and (values == np.floor(values)).all():
            n_codes[str(names[column] if names is not None else column)] = len(values)
    if n_codes:
        shown = ", ".join(f"{name} ({n})" for name, n in list(n_codes.items())[:8])
        warnings.warn(
            f"columns with 11 to 50 different whole numbers are split and weighted as continuous "
            f"features: {shown}{', ...' if len(n_codes) > 8 else ''}. If these are codes of "
            "categories, name them in nominal_features (or give them the dtype category); if they "
            "are few ordered levels, in discrete_features; a list of discrete_features, which may "
            "be empty, ends this warning",
            stacklevel=6,
        )


def _explicit_mask(
    parameter: str, choice: ArrayLike, n_features: int, names: NDArray[np.object_] | None
) -> NDArray[np.bool_]:
    named = np.asarray([] if choice is None else choice)
    mask = np.zeros(n_features, dtype=bool)
    if named.size == 0:
        return mask
    if named.dtype == bool:
        if named.shape != (n_features,):
            raise ValueError(
                f"{parameter} is a mask of shape {named.shape}, expected ({n_features},)"
            )
        return named.copy()
    if named.dtype.kind in "iu":
        bad = named[(named < 0) | (named >= n_features)]
        if bad.size:
            raise ValueError(
                f"{parameter} names column {bad[0]}, allowed are 0 to {n_features - 1}"
            )
        mask[named] = True
        return mask
    if names is None:
        raise ValueError(
            f"{parameter} gives names, but X has none: pass a data frame, or a boolean mask"
        )
    known = [str(name) for name in names]
    for name in named.ravel():
        if str(name) not in known:
            raise ValueError(
                f"{parameter}: no column {str(name)!r} in X{did_you_mean(str(name), known)} "
                f"(columns: {', '.join(known[:20])}{', ...' if len(known) > 20 else ''})"
            )
        mask[known.index(str(name))] = True
    return mask
