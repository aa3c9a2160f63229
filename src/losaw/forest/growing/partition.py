"""The rows of a node that go left, and the stable partition of its sorted orders."""

import numpy as np

from losaw.forest.growing.arrays import CUT, Candidate, Grower, LevelWorkspace, Node
from losaw.forest.growing.scan_levels import read_levels
from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.trees import bit


@inlined_kernel()
def mark_left(grower: Grower, levels: LevelWorkspace | None, node: Node, best: int) -> tuple:
    """Mark by row who goes left in the split of the ``best`` candidate.

    Returns the number of rows on the left, their number as leaf sizes count them, the threshold,
    and the set of levels on the left of a nominal feature. Levels without rows in the node are
    added to it if the left child is the larger one.
    """
    data, settings, sample, work = grower.data, grower.settings, grower.sample, grower.work
    start, end = node.start, node.end
    goes_left = work.goes_left
    feature = work.features[best]
    cut = int(work.splits[best, CUT])
    p = data.position[feature]
    # Who goes left is found for the best split alone, not for every feature of M_try.
    n_left = 0
    left_count = 0.0
    threshold = np.nan
    left_levels = np.uint64(0)
    if not data.is_discrete[feature]:
        # Of a continuous feature the first rows in sorted order.
        order = sample.order
        # The cut is a number of rows in the feature's own order, so that no value is compared.
        n_left = cut
        for i in range(start, start + cut):
            row = order[p, i]
            goes_left[row] = 1
            left_count += sample.pair[row, 0]
        for i in range(start + cut, end):
            goes_left[order[p, i]] = 0
        # The threshold is a value of the data, x <= t to the left; forests of other packages take
        # the middle between it and the next value.
        threshold = data.values[p, sample.tree_rows[order[p, start + cut - 1]]]
        if settings.splits_half_way:
            above_it = data.values[p, sample.tree_rows[order[p, start + cut]]]
            threshold = _half_way(threshold, above_it)
    elif levels is not None:
        # Of a discrete one a set of levels: of an ordered one those up to a level.
        is_nominal = data.is_nominal[feature]
        chosen = work.left_levels[best] if is_nominal else bit(cut + 1) - np.uint64(1)
        present = np.uint64(0)
        above = -1
        # The workspace holds the levels of the candidate that was looked at last: those of the best
        # one are read again.
        read_levels(grower, levels, node, Candidate(feature, p, best))
        for k in range(data.n_levels[p]):
            if levels.counts[k] == 0.0:
                continue
            # ``above`` is the first level on the right: what a threshold half way lies below.
            present |= bit(k)
            if chosen & bit(k) != np.uint64(0):
                left_count += levels.counts[k]
            elif above < 0:
                above = k
        # Bit ``code`` of the set says where the row goes.
        for i in range(start, end):
            row = sample.rows[0, i]
            go = (chosen >> np.uint64(sample.codes[row, p])) & np.uint64(1)
            goes_left[row] = go
            n_left += np.int64(go)  # type: ignore[assignment]
        if not is_nominal:
            threshold = data.level_values[p, cut]
            if settings.splits_half_way:
                threshold = _half_way(threshold, data.level_values[p, above])
        elif 2.0 * left_count >= node.n_samples:  # the larger child takes levels without a row here
            left_levels = chosen | ~present
        else:
            left_levels = chosen
    # As the leaf sizes of the forest's rules count: rows, or draws.
    left_size = float(n_left) if settings.counts_rows_once else left_count
    return n_left, left_size, threshold, left_levels


@inlined_kernel()
def _half_way(low: float, high: float) -> float:
    """Return the middle of two values; the lower one where no number is between them."""
    # Halved first: the sum of two large values would overflow.
    middle = low / 2.0 + high / 2.0
    return middle if middle < high else low


@inlined_kernel()
def partition(
    order: np.ndarray,
    p: int,
    start: int,
    end: int,
    goes_left: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Move the rows that go left to the front of order[p, start:end], each part in its order."""
    # No branch: each row is written to both places, and only one of the two ends moves on. A
    # processor cannot predict which way rows go.
    left = start
    right = 0
    for i in range(start, end):
        row = order[p, i]
        go = goes_left[row]
        order[p, left] = row
        scratch[right] = row
        left += go
        right += 1 - go
    # The rows that go right follow, in their order.
    for i in range(right):
        order[p, left + i] = scratch[i]
