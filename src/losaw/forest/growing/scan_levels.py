"""Sums over the levels of discrete features, and the best split between levels.

Levels of an ordered feature are split at a value, those of a nominal one into a set and the others.
For that they are put in an order, and the best split between two neighbours is taken. In the order
of their weighted mean responses this is the best of all sets for a regression and for two classes
(Fisher 1958; Breiman et al. 1984, Section 4.2), whatever the weights, as long as no side becomes
smaller than a leaf may be. No order does that for more classes; theirs is the order along the first
principal component of the levels' weighted class shares (Coppersmith, Hong and Hosking 1999).

A set is the bits of one word. The first level of the node goes left, so that the response's sign
does not matter, and a level without rows in the node goes where more of its rows go.
"""

import numpy as np

from losaw.forest.growing.arrays import Candidate, Grower, LevelSums, LevelWorkspace, Node
from losaw.kernels.compiled import inlined_kernel, inner_kernel, kernel
from losaw.kernels.trees import bit
from losaw.kernels.vectors import LANES, add_where, load, spread, store, subtract

_ITERATIONS = 30  # of the power method: nearly always enough; of equal components either will do
_ROUNDING = 1e-9  # relative difference of what is equal but for rounding


@inlined_kernel()
def scan_levels(sums: LevelSums, min_leaf: float, n_samples: float, least: float) -> tuple:
    """Find the best split between levels: (Delta_w, last entry on the left), or (least, -1).

    Algorithm 9.4 on sums; Delta_w is more than ``least``. Rows are counted as leaf sizes count.
    """
    # W_L, T_L and the rows on the left grow level by level; absent levels change none of them.
    count = sums.size
    best = -1
    best_score = least
    left_count = 0.0
    left_weight = 0.0
    left_response = 0.0
    for k in range(sums.n_entries - 1):
        if count[k] == 0.0:
            continue
        left_count += count[k]
        left_weight += sums.weight[k]
        left_response += sums.response[k]
        # Too few rows on a side: no split of Algorithm 9.4, whose next level may give one.
        if left_count < min_leaf or n_samples - left_count < min_leaf:
            continue
        right_weight = sums.total - left_weight
        if not (left_weight > 0.0 and right_weight > 0.0):  # Definition 4.1: no decrease
            continue
        # Delta_w = (T_L - m W_L)^2 / (W_L W_R), the form of Lemma 9.2 after centring.
        difference = left_response - sums.mean * left_weight
        score = difference * difference / (left_weight * right_weight)
        if score > best_score:
            best_score = score
            best = k
    return best_score, best


@inlined_kernel()
def level_sums(
    rows: np.ndarray,
    start: int,
    end: int,
    codes: np.ndarray,
    pair: np.ndarray,
    slot: int,
    sums: np.ndarray,
) -> None:
    """Add up counts and responses by level, of all features, into ``sums[slot]``.

    Eight features at a time and two levels. The first level's sums are what the others leave of
    the node's.
    """
    # A byte a code, eight codes next to each other: one comparison tells eight features' levels.
    n_levels = sums.shape[1]
    padded = codes.shape[1]
    for lane in range(0, padded, LANES):
        for k in range(1, n_levels, 2):
            # The sums stay in registers while all rows are read: a row adds to the lanes of the
            # features whose level it has.
            count = spread(0.0)
            response = spread(0.0)
            next_count = spread(0.0)
            next_response = spread(0.0)
            for i in range(start, end):
                row = np.int64(rows[0, i])
                c = spread(pair[row, 0])
                cy = spread(pair[row, 1])
                place = row * padded + lane
                count = add_where(count, c, codes, place, k)
                response = add_where(response, cy, codes, place, k)
                next_count = add_where(next_count, c, codes, place, k + 1)
                next_response = add_where(next_response, cy, codes, place, k + 1)
            # Places of level k and of the next one, where there is one.
            target = ((slot * n_levels + k) * 2) * padded + lane
            store(sums, target, count)
            store(sums, target + padded, response)
            if k + 1 < n_levels:
                store(sums, target + 2 * padded, next_count)
                store(sums, target + 3 * padded, next_response)


@inlined_kernel()
def count_rows(
    rows: np.ndarray, start: int, end: int, codes: np.ndarray, slot: int, sums: np.ndarray
) -> None:
    """Count rows by level into ``sums[slot]``, as :func:`level_sums` adds up responses."""
    n_levels = sums.shape[1]
    padded = codes.shape[1]
    ones = spread(1.0)
    for lane in range(0, padded, LANES):
        for k in range(1, n_levels, 2):
            count = spread(0.0)
            next_count = spread(0.0)
            for i in range(start, end):
                place = np.int64(rows[0, i]) * padded + lane
                count = add_where(count, ones, codes, place, k)
                next_count = add_where(next_count, ones, codes, place, k + 1)
            target = (slot * n_levels + k) * padded + lane
            store(sums, target, count)
            if k + 1 < n_levels:
                store(sums, target + padded, next_count)


@inlined_kernel()
def read_levels(grower: Grower, levels: LevelWorkspace, node: Node, candidate: Candidate) -> int:
    """Read counts and responses of the levels from the node's sums; the number that occur.

    The sums have all levels but the first, which is what the others leave of the node's totals.
    """
    # The first level is what the others leave of N_k and of N_k times the node's mean.
    count, response, rows = levels.counts, levels.response, levels.rows
    p, slot = candidate.p, node.slot
    n_levels = grower.data.n_levels[p]
    n_present = 0
    count[0] = node.n_samples
    response[0] = node.n_samples * node.mean
    for k in range(1, n_levels):
        count[k] = levels.sums[slot, k, 0, p]
        response[k] = levels.sums[slot, k, 1, p]
        count[0] -= count[k]
        response[0] -= response[k]
        # Counts are whole numbers, which subtraction keeps exact: 0 is no row.
        n_present += count[k] > 0.0
    n_present += count[0] > 0.0
    # ranger's leaf sizes count rows, not copies: they are summed by themselves.
    if grower.settings.counts_rows_once:
        rows[0] = node.size
        for k in range(1, n_levels):
            rows[k] = levels.row_sums[slot, k, 0, p]
            rows[0] -= rows[k]
    return n_present


@inlined_kernel()
def subtract_sums(sums: np.ndarray, slot: int, other: int) -> None:
    """Subtract sums[other] from sums[slot]: the remainder of a node is its other child."""
    # Level 0 is not stored: the subtraction begins at level 1.
    size = sums.shape[1] * sums.shape[2] * sums.shape[3]
    for lane in range(sums.shape[2] * sums.shape[3], size, LANES):
        place = slot * size + lane
        store(sums, place, subtract(load(sums, place), load(sums, other * size + lane)))


@inlined_kernel()
def can_split(
    count: np.ndarray, n_levels: int, min_leaf: float, n_samples: float, is_nominal: bool
) -> bool:
    """Return whether any split between levels leaves min_leaf rows on both sides.

    Of nominal levels this is only whether the largest one leaves enough rows to the others.
    """
    if is_nominal:
        # If even the largest level alone leaves too few rows, so does every set that holds it; one
        # of the two sides does.
        largest = 0.0
        for k in range(n_levels):
            largest = max(largest, count[k])
        return n_samples - largest >= min_leaf
    # An ordered feature has a split if some first levels hold at least min_leaf rows and leave as
    # many.
    left = 0.0
    for k in range(n_levels - 1):
        left += count[k]
        if left >= min_leaf and n_samples - left >= min_leaf:
            return True
    return False


@kernel()
def encode_levels(
    X: np.ndarray,
    feature: int,
    levels: np.ndarray,
    codes: np.ndarray,
    position: int,
    frequency: np.ndarray,
) -> None:
    """Write the rank of every value of a column among the sorted levels, and count each."""
    for row in range(X.shape[0]):
        # The rank of a value is the number of levels below it; they are few, and all compared.
        code = 0
        for k in range(len(levels) - 1):
            code += X[row, feature] > levels[k]
        codes[row, position] = code
        frequency[position, code] += 1.0


@inlined_kernel()
def sort_levels(n: int, order: np.ndarray, key: np.ndarray) -> None:
    """Sort ``order[:n]`` by ``key``; levels whose keys differ by rounding stay in their order.

    Otherwise rounding would decide which of several equal levels go left together.
    """
    # What differs by less than rounding of the largest key counts as equal.
    tolerance = 0.0
    for i in range(n):
        tolerance = max(tolerance, _ROUNDING * abs(key[order[i]]))
    # Insertion sort: it is stable, and a feature has few levels.
    for i in range(1, n):
        # The level is moved before all that have a larger key, but for rounding.
        level = order[i]
        j = i
        while j > 0 and key[order[j - 1]] > key[level] + tolerance:
            order[j] = order[j - 1]
            j -= 1
        order[j] = level


@inlined_kernel()
def first_levels(order: np.ndarray, n_left: int, n: int, recode: np.ndarray) -> np.uint64:
    """Return the set of ``recode[order[:n_left]]``, or the others if the smallest is among them."""
    # The same split has two names, a set and its complement: the one with the first level is taken.
    left = np.uint64(0)
    every = np.uint64(0)
    smallest = recode[order[0]]
    for i in range(n):
        level = recode[order[i]]
        smallest = min(smallest, level)
        every |= bit(level)
        if i < n_left:
            left |= bit(level)
    return left if left & bit(smallest) else every & ~left


@inner_kernel()
def scan_sets(
    sums: LevelSums, min_leaf: float, n_samples: float, order: np.ndarray, key: np.ndarray
) -> tuple:
    """Find the best set for a regression: (Delta_w, the levels on the left), or (0, no level).

    ``order`` and ``key`` are workspace.
    """
    # The levels that occur in the order of their weighted mean responses.
    count = sums.size
    weight = sums.weight
    n = 0
    for k in range(sums.n_entries):
        if count[k] > 0.0:
            order[n] = k
            # A level whose rows weigh nothing moves nothing, and has the place of the node's mean.
            key[k] = sums.response[k] / weight[k] if weight[k] > 0.0 else sums.mean
            n += 1
    sort_levels(n, order, key)

    # The walk of scan_levels through that order; written again, since reading all levels through
    # an order would slow the ordered ones down, which are many more.
    best = 0
    best_score = 0.0
    left_count = 0.0
    left_weight = 0.0
    left_response = 0.0
    for i in range(n - 1):
        k = order[i]
        left_count += count[k]
        left_weight += weight[k]
        left_response += sums.response[k]
        right_weight = sums.total - left_weight
        if left_count < min_leaf or n_samples - left_count < min_leaf:
            continue
        if not (left_weight > 0.0 and right_weight > 0.0):  # Definition 4.1: no decrease
            continue
        difference = left_response - sums.mean * left_weight
        score = difference * difference / (left_weight * right_weight)
        if score > best_score:
            best_score = score
            best = i + 1
    if best == 0:
        return 0.0, np.uint64(0)
    return best_score, first_levels(order, best, n, sums.level)


@inner_kernel()
def order_by_shares(
    n_levels: int,
    count: np.ndarray,
    sums: np.ndarray,
    total: float,
    shares: np.ndarray,
    axis: np.ndarray,
    order: np.ndarray,
    key: np.ndarray,
) -> int:
    """Order the levels that occur along the first principal component of their class shares.

    Returns their number. ``sums`` (levels, classes) are weights, ``shares`` those of the node;
    ``axis`` (2, classes), ``order`` and ``key`` are workspace. With d_k the difference of level k's
    shares from the node's and W_k its weight, the axis is the leading eigenvector of
    sum_k W_k d_k d_k'. The power
    method starts from the level with the largest W_k |d_k|^2.
    """
    # The levels that occur, and W_k d_k of the one to start from.
    n_classes = sums.shape[1]
    n = 0
    largest = -1.0
    for k in range(n_levels):
        if count[k] == 0.0:
            continue
        order[n] = k
        n += 1
        # W_k, and |W_k d_k|^2 / W_k = W_k |d_k|^2.
        weight = 0.0
        for c in range(n_classes):
            weight += sums[k, c]
        length = 0.0
        for c in range(n_classes):
            difference = sums[k, c] - weight * shares[c] / total
            length += difference * difference
        length = length / weight if weight > 0.0 else 0.0
        # Of levels that are equally far the first, whatever the order in which a processor adds.
        if length > largest * (1.0 + _ROUNDING):
            largest = length
            for c in range(n_classes):
                axis[0, c] = sums[k, c] - weight * shares[c] / total
    # A step of the power method: the axis becomes sum_k W_k d_k (d_k' axis), without a matrix.
    for _ in range(_ITERATIONS):
        for c in range(n_classes):
            axis[1, c] = 0.0
        for i in range(n):
            k = order[i]
            weight = 0.0
            # d_k' axis, the level's place along the axis.
            projection = 0.0
            for c in range(n_classes):
                weight += sums[k, c]
                projection += sums[k, c] * axis[0, c]
            for c in range(n_classes):
                projection -= weight * shares[c] / total * axis[0, c]
            # Sums were of W_k d_k; the place of the level is that of d_k.
            projection = projection / weight if weight > 0.0 else 0.0
            key[k] = projection
            for c in range(n_classes):
                axis[1, c] += (sums[k, c] - weight * shares[c] / total) * projection
        # Only the direction counts: scaled, so that it neither overflows nor vanishes.
        scale = 0.0
        for c in range(n_classes):
            scale = max(scale, abs(axis[1, c]))
        if not scale > 0.0:  # all levels have the node's shares
            break
        for c in range(n_classes):
            axis[0, c] = axis[1, c] / scale
    sort_levels(n, order, key)
    return n
