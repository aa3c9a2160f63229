"""The split of a node by the rules of scikit-learn's random forest, compiled.

It is the one that lowers the variance most among the drawn features. It lies in the middle between
two values of the node, and leaves ``min_samples_leaf`` different rows on each side: a row that the
bootstrap drew twice counts once there, and twice in sums. (A losaw tree counts it twice in both.)
While all drawn features are constant in the node, drawing goes on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import MAX_LEVELS, STACK, ForestData, Sample, Settings
from losaw.forest.growing.bootstrap import next_index
from losaw.kernels.compiled import inlined_kernel

# Two features often part a small node alike, and their decreases are equal but for rounding.
_TIE = 1e-9


class Room(NamedTuple):
    """Scratch arrays of a tree."""

    state: NDArray[np.uint64]  # (1,), the random stream
    stack: NDArray[np.int64]  # (4, STACK), node, first row, last row, depth
    features: NDArray[np.int64]  # a permutation of the P features; the drawn ones first
    goes_left: NDArray[np.uint8]
    scratch: NDArray[np.uint32]
    values: NDArray[np.float64]  # (P_discrete, MAX_LEVELS), of the levels
    ones: NDArray[np.float64]  # (N, 2), one for each row, and its count
    # (pending nodes, levels, 2, padded P_discrete): rows with their counts, counts with responses.
    rows: NDArray[np.float64]
    sums: NDArray[np.float64]
    level: NDArray[np.float64]  # (3, MAX_LEVELS), rows, counts and responses of one feature's


def make_room(data: ForestData, levels: list[FloatArray]) -> Room:
    """Scratch arrays for trees on ``data``, whose discrete features have these ``levels``."""
    n = len(data.response)
    values = np.zeros((len(levels), MAX_LEVELS))
    for p, of_feature in enumerate(levels):
        values[p, : len(of_feature)] = of_feature
    pending = n.bit_length() + 1  # the smaller child is grown first
    sums = np.zeros((pending, int(max(data.n_levels, default=1)), 2, data.codes.shape[1]))
    return Room(
        state=np.empty(1, dtype=np.uint64),
        stack=np.empty((4, STACK), dtype=np.int64),
        features=np.empty(len(data.is_discrete), dtype=np.int64),
        goes_left=np.empty(n, dtype=np.uint8),
        scratch=np.empty(n, dtype=np.uint32),
        values=values,
        ones=np.ones((n, 2)),
        rows=sums,
        sums=sums.copy(),
        level=np.zeros((3, MAX_LEVELS)),
    )


@inlined_kernel()
def _scan_order(
    data: ForestData,
    sample: Sample,
    p: int,
    start: int,
    end: int,
    total: float,
    mean: float,
    min_leaf: int,
) -> tuple:
    """Best split in the order of a continuous feature: (decrease, rows on the left).

    With W_L, T_L the count and the response on the left, W the count and m the mean of the node,
    the variance falls by (T_L - m W_L)^2 / (W_L (W - W_L)). Minus one where no split is allowed.
    """
    order = sample.order
    pair = sample.pair
    tree_rows = sample.tree_rows
    values = data.values
    has_ties = data.has_ties[p]
    best = -1
    best_numerator = -1.0
    best_denominator = 1.0
    count = 0.0
    response = 0.0
    for i in range(start, min(start + min_leaf - 1, end)):
        count += pair[order[p, i], 0]
        response += pair[order[p, i], 1]
    for i in range(start + min_leaf - 1, end - min_leaf):
        row = order[p, i]
        count += pair[row, 0]
        response += pair[row, 1]
        difference = response - mean * count
        numerator = difference * difference
        denominator = count * (total - count)
        if numerator * best_denominator > best_numerator * denominator and (
            not has_ties or values[p, tree_rows[row]] < values[p, tree_rows[order[p, i + 1]]]
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i + 1 - start
    return best_numerator / best_denominator, best


@inlined_kernel()
def _scan_levels(
    room: Room,
    slot: int,
    p: int,
    n_levels: int,
    n_rows: int,
    total: float,
    mean: float,
    min_leaf: int,
) -> tuple:
    """Best split between two levels of a node: (decrease, level below, level above, constant)."""
    level = room.level
    level[0, 0] = n_rows
    level[1, 0] = total
    level[2, 0] = total * mean
    for k in range(1, n_levels):
        level[0, k] = room.rows[slot, k, 0, p]
        level[1, k] = room.rows[slot, k, 1, p]
        level[2, k] = room.sums[slot, k, 1, p]
        for j in range(3):
            level[j, 0] -= level[j, k]
    best = -1.0
    below = -1
    above = -1
    last = -1
    n_left = 0.0
    count = 0.0
    response = 0.0
    n_present = 0
    for k in range(n_levels):
        if level[0, k] == 0.0:
            continue
        n_present += 1
        if n_left >= min_leaf and n_rows - n_left >= min_leaf:
            difference = response - mean * count
            decrease = difference * difference / (count * (total - count))
            if decrease > best:
                best = decrease
                below = last
                above = k
        n_left += level[0, k]
        count += level[1, k]
        response += level[2, k]
        last = k
    return best, below, above, n_present < 2


@inlined_kernel()
def find_split(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    room: Room,
    slot: int,
    start: int,
    end: int,
    total: float,
    mean: float,
) -> tuple:
    """Draw features; the best split among them: (feature or -1, decrease, place, level above)."""
    n_features = len(data.is_discrete)
    min_leaf = settings.min_samples_leaf
    wanted = min(settings.max_features, n_features)
    best_feature = -1
    best = -1.0
    best_place = 0
    best_above = 0
    n_constant = 0
    drawn = 0
    while drawn < wanted or (drawn == n_constant and drawn < n_features):
        swap = drawn + next_index(room.state, n_features - drawn)
        feature = room.features[swap]
        room.features[swap] = room.features[drawn]
        room.features[drawn] = feature
        drawn += 1
        p = data.position[feature]
        above = -1
        if data.is_discrete[feature]:
            decrease, place, above, is_constant = _scan_levels(
                room, slot, p, data.n_levels[p], end - start, total, mean, min_leaf
            )
            n_constant += is_constant
        else:
            order = sample.order
            if data.has_ties[p] and (
                data.values[p, sample.tree_rows[order[p, start]]]
                == data.values[p, sample.tree_rows[order[p, end - 1]]]
            ):
                n_constant += 1
                continue
            decrease, place = _scan_order(data, sample, p, start, end, total, mean, min_leaf)
        if place >= 0 and (best_feature < 0 or decrease > best * (1.0 + _TIE)):
            best_feature = feature
            best = decrease
            best_place = place
            best_above = above
    return best_feature, best, best_place, best_above


@inlined_kernel()
def go_left(
    data: ForestData,
    sample: Sample,
    room: Room,
    feature: int,
    place: int,
    above: int,
    start: int,
    end: int,
) -> tuple:
    """Note by row who goes left; (their number, the threshold in the middle of the gap)."""
    p = data.position[feature]
    goes_left = room.goes_left
    if data.is_discrete[feature]:
        n_left = 0
        for i in range(start, end):
            row = sample.rows[0, i]
            go = sample.codes[row, p] <= place
            goes_left[row] = go
            n_left += go
        return n_left, room.values[p, place] / 2.0 + room.values[p, above] / 2.0
    for i in range(start, end):
        goes_left[sample.order[p, i]] = i < start + place
    low = data.values[p, sample.tree_rows[sample.order[p, start + place - 1]]]
    high = data.values[p, sample.tree_rows[sample.order[p, start + place]]]
    middle = low / 2.0 + high / 2.0
    return place, middle if middle < high else low  # neighbours have no number between them
