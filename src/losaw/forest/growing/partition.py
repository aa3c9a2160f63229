"""Which rows of a node go left, and the stable partition of its orders."""

import numpy as np

from losaw.forest.growing.arrays import ForestData, Sample
from losaw.kernels.compiled import inlined


@inlined()
def mark_left(
    data: ForestData,
    sample: Sample,
    feature: int,
    place: int,
    start: int,
    end: int,
    goes_left: np.ndarray,
) -> tuple:
    """Fill ``goes_left`` by row; (rows on the left, their number with multiplicity, threshold).

    ``place`` is the last level on the left of a discrete feature, or the number of rows on the
    left in the order of a continuous one.
    """
    p = data.position[feature]
    n_left = 0
    left_count = 0.0
    if data.is_discrete[feature]:
        for i in range(start, end):
            row = sample.rows[0, i]
            go = sample.codes[row, p] <= place
            goes_left[row] = go
            n_left += go
            left_count += go * sample.pair[row, 0]
        return n_left, left_count, float(place)
    for i in range(start, start + place):
        row = sample.order[p, i]
        goes_left[row] = 1
        left_count += sample.pair[row, 0]
    for i in range(start + place, end):
        goes_left[sample.order[p, i]] = 0
    threshold = data.values[p, sample.tree_rows[sample.order[p, start + place - 1]]]
    return place, left_count, threshold


@inlined()
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
