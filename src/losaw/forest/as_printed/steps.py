"""The definitions and algorithms of losawRF as the paper states them, by their numbers.

Weights and responses are given row by row; rows that the bootstrap drew twice are there twice.
Responses have columns: one, or an indicator for each class, over which impurities are summed.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray


def relative_size(w: FloatArray) -> float:
    """Return the relative effective sample size ``(sum w)^2 / (N sum w^2)`` (Definition 3.1)."""
    return float(w.sum() ** 2 / (w**2).sum() / len(w))


def redistribute(w: FloatArray, theta: float) -> FloatArray:
    """Cut normalised weights at theta and share the excess among the others (Algorithm 9.7)."""
    w = w.copy()
    while w.max() > theta * (1 + 1e-15):
        above = w >= theta
        if above.all():
            return np.full_like(w, 1 / len(w))
        excess = (w[above] - theta).sum()
        w[above] = theta
        w[~above] += excess / (~above).sum()
    return w


def cap(w: FloatArray, eta: float, steps: int = 200) -> FloatArray:
    """Raise the relative effective sample size of weights to ``eta`` (Algorithms 3.2 and 9.9).

    As published, Algorithm 9.9 compares the weights of the previous threshold, and often does not
    converge. Here the weights of the new threshold are compared.
    """
    w = w / w.sum()
    if relative_size(w) >= eta:
        return w
    low, high = 1 / len(w), 1.0
    for _ in range(steps):
        theta = (low + high) / 2
        if relative_size(redistribute(w, theta)) >= eta:
            low = theta
        else:
            high = theta
        if high - low < 1e-15 * high:
            break
    return redistribute(w, low)


def impurity(w: FloatArray, y: FloatArray) -> float:
    """Return MSE_w of Definition 4.1, summed over the columns of y.

    With class indicators as columns it is the Gini impurity of the weighted class shares.
    """
    w = w / w.sum()
    return float((w @ y**2 - (w @ y) ** 2).sum())


def relative_decrease(w: FloatArray, y: FloatArray, left: NDArray[np.bool_]) -> float:
    """Return Delta_w^rel of a split, term by term (Definition 4.1)."""
    w = w / w.sum()
    whole = impurity(w, y)
    if not (w[left].sum() > 0 and w[~left].sum() > 0 and whole > 0):
        return 0.0
    parts = (w[side].sum() * impurity(w[side], y[side]) for side in (left, ~left))
    return (whole - sum(parts)) / whole


@dataclass(frozen=True)
class SplitAsPrinted:
    """A split of a feature at a threshold, or into a set of ``levels`` and the others."""

    feature: int
    decrease: float  # Delta_w^rel
    threshold: float  # the largest value that goes left; NaN if levels go left
    levels: tuple[float, ...] = ()

    def goes_left(self, X: FloatArray) -> NDArray[np.bool_]:
        """Mask of the rows that go left."""
        values = X[:, self.feature]
        return np.isin(values, self.levels) if self.levels else values <= self.threshold


def best_split(
    p: int, w: FloatArray, y: FloatArray, x: FloatArray, min_samples_leaf: int, is_nominal: bool
) -> SplitAsPrinted | None:
    """Find the best split of feature p with values x at a node; None if there is none.

    Algorithms 9.3 and 9.4, which differ in their speed only. With W the weight on the left, T_L its
    weighted response and T that of the node (Lemma 9.2, whose minus sign is a misprint),

        Delta_w = T_L^2 / W + (T - T_L)^2 / (1 - W) - T^2.
    """
    whole, total = impurity(w, y), w @ y
    best, best_decrease = None, 0.0
    for left, threshold, levels in _possible_splits(x, is_nominal):
        weight = w[left].sum()
        if min(left.sum(), (~left).sum()) < min_samples_leaf or not 0 < weight < 1:
            continue
        on_left = w[left] @ y[left]
        terms = on_left**2 / weight + (total - on_left) ** 2 / (1 - weight) - total**2
        if whole > 0 and terms.sum() > best_decrease:
            best_decrease = float(terms.sum())
            best = SplitAsPrinted(p, best_decrease / whole, threshold, levels)
    return best


def _possible_splits(
    x: FloatArray, is_nominal: bool
) -> Iterator[tuple[NDArray[np.bool_], float, tuple[float, ...]]]:
    """Masks of the rows on the left, with the threshold or the set of levels."""
    values = np.unique(x)
    if not is_nominal:
        for value in values[:-1]:
            yield x <= value, float(value), ()
        return
    for size in range(len(values) - 1):  # every set once: the one with the smallest level
        for others in itertools.combinations(values[1:].tolist(), size):
            levels = (float(values[0]), *others)
            yield np.isin(x, levels), float("nan"), levels
