"""Which rows of a node go left, and the stable partition of its orders."""

import numpy as np

from losaw.forest.growing.arrays import ForestData, Sample
from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.trees import bit


@inlined_kernel()
def mark_left(
    data: ForestData,
    sample: Sample,
    feature: int,
    place: int,
    left_levels: np.uint64,
    start: int,
    end: int,
    goes_left: np.ndarray,
) -> tuple:
    """Fill ``goes_left`` by row; (rows on the left, with multiplicity, threshold, levels).

    ``place`` is the last level on the left of a discrete feature, or the number of rows on the
    left in the order of a continuous one; ``left_levels`` the set of levels on the left of a
    nominal one, to which levels without rows are added if the left child is the larger one.
    """
    p = data.position[feature]
    n_left = 0
    left_count = 0.0
    # A set: its levels go left. Levels without a row here go with the larger child.
    if data.is_nominal[feature]:
        count = 0.0
        present = np.uint64(0)
        for i in range(start, end):
            row = sample.rows[0, i]
            level = bit(sample.codes[row, p])
            present |= level
            go = (left_levels & level) != np.uint64(0)
            goes_left[row] = go
            n_left += go
            left_count += go * sample.pair[row, 0]
            count += sample.pair[row, 0]
        if 2.0 * left_count >= count:
            left_levels |= ~present
        return n_left, left_count, np.nan, left_levels
    # Ordered levels: up to a level. The level is the threshold.
    if data.is_discrete[feature]:
        for i in range(start, end):
            row = sample.rows[0, i]
            go = sample.codes[row, p] <= place
            goes_left[row] = go
            n_left += go
            left_count += go * sample.pair[row, 0]
        return n_left, left_count, float(place), np.uint64(0)
    # A continuous feature: its first rows in sorted order. The last of them gives the threshold.
    for i in range(start, start + place):
        row = sample.order[p, i]
        goes_left[row] = 1
        left_count += sample.pair[row, 0]
    for i in range(start + place, end):
        goes_left[sample.order[p, i]] = 0
    threshold = data.values[p, sample.tree_rows[sample.order[p, start + place - 1]]]
    return place, left_count, threshold, np.uint64(0)


@inlined_kernel()
def partition(
    order: np.ndarray,
    p: int,
    start: int,
    end: int,
    goes_left: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Stable partition of order[p, start:end], without branches."""
    left = start
    right = 0
    for i in range(start, end):
        row = order[p, i]
        go = goes_left[row]
        order[p, left] = row
        scratch[right] = row
        left += go
        right += 1 - go
    for i in range(right):
        order[p, left + i] = scratch[i]
