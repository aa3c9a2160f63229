"""The data set of a design that a user writes as a function: rows, and which features matter."""

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import get_args

from numpy.typing import ArrayLike

from losaw.data import Dataset, Sample
from losaw.study.generators.generator import data_of
from losaw.support.arguments import (
    ArgumentTypeError,
    as_floats,
    check_same_order,
    one_of,
    real_number,
    whole_number,
)
from losaw.support.models import Task
from losaw.support.outcomes import finite_numbers, response_of
from losaw.support.words import unknown
from losaw.tables.columns import Kinds
from losaw.tables.table import read_table


def simulated(
    X: ArrayLike,
    y: ArrayLike,
    *,
    signal: Sequence[str] | None = None,
    n_train: int | None = None,
    kinds: Kinds = None,
    task: Task | None = None,
    noise_variance: float = float("nan"),
    mean: ArrayLike | None = None,
) -> Dataset:
    """Return a draw of a generator that is a function: the first rows train, the others test.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        The columns of a frame name the features; those of an array are X1, X2, ….
    y : array of shape (n_samples,)
    signal : sequence of str or None
        The features that matter, for metrics such as pr_auc and false_share; empty if none does.
        None: nobody knows.
    n_train : int or None
        Number of training rows; None: half of all rows.
    kinds : dict of feature to kind, sequence of kinds, or None
        None: text and categories are nominal, numbers with few values discrete, others continuous.
    task : {"regression", "classification"} or None
        None: classification if y is of text or booleans.
    noise_variance : float
        Of the additive noise of y, if it is known.
    mean : array of shape (n_samples,) or None
        The mean of y given X, or the probability of the second class: for the metric
        squared_error_of_mean.

    Raises
    ------
    ValueError
        If X is no table of numbers and levels, y or ``mean`` has another length or its rows in
        another order, ``signal`` names a feature that is not there, or a sample would have no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.study.generators.simulated import simulated
    >>> from losaw.study.registry import register
    >>> @register("generator", "two-normal")  # doctest: +SKIP
    ... def two_normal(rng, *, n=300, effect=1.0):
    ...     X = rng.standard_normal((n, 2))
    ...     y = effect * X[:, 0] + rng.standard_normal(n)
    ...     return simulated(X, y, signal=["X1"], n_train=200)
    >>> data = simulated(np.zeros((30, 2)), np.zeros(30), signal=["X1"], n_train=20)
    >>> len(data.train.y), data.truth.signal
    (20, (0,))
    """
    table = read_table(X, kinds=kinds)
    response = response_of(X, y, len(table))
    if task is not None:
        one_of("task", task, get_args(Task))
    is_unknown = isinstance(noise_variance, Real) and math.isnan(noise_variance)
    if not is_unknown:
        real_number("noise_variance", noise_variance, minimum=0)
    for name, rows in (("X", X), ("y", y)):
        check_same_order(rows, "mean", mean, name)
    means = None if mean is None else as_floats("mean", mean)
    if means is not None and means.shape != response.shape:
        raise ValueError(f"mean must have shape {response.shape}, as y has, got {means.shape}")
    if signal is not None and (isinstance(signal, str) or not isinstance(signal, Iterable)):
        raise ArgumentTypeError(f"signal must be a sequence of feature names, got {signal!r}")
    named = None if signal is None else list(signal)
    for name in named or ():
        if name not in table.names:
            raise ValueError(f"signal: {unknown('feature', name, table.names)}")
    first = whole_number("n_train", len(table) // 2 if n_train is None else n_train, 1)
    if first >= len(table):
        raise ValueError(f"n_train must leave test rows of {len(table)}, got {first}")
    labels = response.dtype.kind in "OUSb"
    is_classification = labels if task is None else task == "classification"
    if not is_classification:
        response = finite_numbers(response)
    elif not labels:
        response = response.astype(float)
    return data_of(
        Sample(table.codes[:first], response[:first]),
        Sample(table.codes[first:], response[first:]),
        None if named is None else [table.names.index(name) for name in named],
        kinds=table.kinds,
        names=table.names,
        task="classification" if is_classification else "regression",
        noise_variance=noise_variance,
        test_mean=None if means is None else means[first:],
    )
