"""The best split of a node by the squared error, by the rules of scikit-learn's trees.

Features in 32 bits, values closer than 1e-7 not distinguished, thresholds half way, and of columns
with equally good splits one at random.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel

_TOO_CLOSE = np.float32(1e-7)
_NO_SPREAD = 2.220446049250313e-16  # variance of a node that is not split


class SortedRows(NamedTuple):
    """The training rows, column by column."""

    columns: NDArray[np.float32]  # (n_columns, n_rows)
    order: NDArray[np.int32]  # (n_columns, n_rows), rows by their value
    response: NDArray[np.float64]  # (n_rows,)


class GrowthLimits(NamedTuple):
    """The limits at which a node is no longer split."""

    max_depth: int
    min_rows: int  # of a node that is split
    min_rows_leaf: int


@inlined_kernel()
def _uniform(state: NDArray[np.uint64]) -> float:
    """The next number of a xorshift generator, in [0, 1)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@inlined_kernel()
def best_split(
    rows: SortedRows,
    weights: NDArray[np.float64],
    is_left_out: NDArray[np.bool_],
    limits: GrowthLimits,
    orders: NDArray[np.int32],
    first: int,
    end: int,
    random: NDArray[np.uint64],
) -> tuple[int, float]:
    """Column and threshold of the split that leaves the least squared error; column -1 for none.

    The node's rows are those from ``first`` to ``end`` of ``orders`` (n_columns, n_rows), by every
    column's value.
    """
    weight, total = 0.0, 0.0
    column, threshold, best, n_best = -1, 0.0, -np.inf, 0
    for j in range(len(is_left_out)):
        if is_left_out[j]:
            continue
        values, order = rows.columns[j], orders[j]
        if values[order[end - 1]] <= values[order[first]] + _TOO_CLOSE:
            continue
        if weight == 0.0:
            for i in range(first, end):
                weight += weights[order[i]]
                total += weights[order[i]] * rows.response[order[i]]
        left_weight, left = 0.0, 0.0
        of_column, at = -np.inf, -1
        x = values[order[first]]
        for i in range(first, end - 1):
            row = order[i]
            left_weight += weights[row]
            left += weights[row] * rows.response[row]
            following = values[order[i + 1]]
            is_separate = following > x + _TOO_CLOSE
            x = following
            if not is_separate:
                continue
            if i + 1 - first < limits.min_rows_leaf or end - i - 1 < limits.min_rows_leaf:
                continue
            right = total - left
            gain = left * left / left_weight + right * right / (weight - left_weight)
            if gain > of_column:
                of_column, at = gain, i
        if at < 0 or of_column < best:
            continue
        # Of columns that are equally good each is taken with the same probability.
        n_best = n_best + 1 if of_column == best else 1
        if n_best == 1 or _uniform(random) * n_best < 1.0:
            column, best = j, of_column
            threshold = float(values[order[at]]) / 2.0 + float(values[order[at + 1]]) / 2.0
    return column, threshold


@inlined_kernel()
def is_leaf_with_mean(
    rows: SortedRows,
    weights: NDArray[np.float64],
    limits: GrowthLimits,
    order: NDArray[np.int32],
    first: int,
    end: int,
    depth: int,
) -> tuple[bool, float]:
    """Return whether a node is a leaf, and the mean response of its rows."""
    weight, total, squares = 0.0, 0.0, 0.0
    for i in range(first, end):
        row = order[i]
        y = rows.response[row]
        weight += weights[row]
        total += weights[row] * y
        squares += weights[row] * y * y
    mean = total / weight
    is_leaf = (
        depth >= limits.max_depth
        or end - first < limits.min_rows
        or squares / weight - mean * mean <= _NO_SPREAD
    )
    return is_leaf, mean
