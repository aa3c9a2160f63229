"""Sums over the levels of discrete features, and the best split between levels."""

import numpy as np

from losaw.kernels.compiled import compiled, inlined
from losaw.kernels.vectors import LANES, add_where, load, spread, store, subtract


@inlined()
def scan_levels(
    n_levels: int,
    count: np.ndarray,
    weight: np.ndarray,
    response: np.ndarray,
    total: float,
    mean: float,
    min_leaf: float,
    n_samples: float,
) -> tuple:
    """Best split between levels (Algorithm 9.4): (Delta_w, last level on the left), or (0, -1)."""
    best = -1
    best_score = 0.0
    left_count = 0.0
    left_weight = 0.0
    left_response = 0.0
    for k in range(n_levels - 1):
        if count[k] == 0.0:
            continue
        left_count += count[k]
        left_weight += weight[k]
        left_response += response[k]
        if left_count < min_leaf or n_samples - left_count < min_leaf:
            continue
        right_weight = total - left_weight
        if not (left_weight > 0.0 and right_weight > 0.0):  # Definition 4.1: no decrease
            continue
        difference = left_response - mean * left_weight
        score = difference * difference / (left_weight * right_weight)
        if score > best_score:
            best_score = score
            best = k
    return best_score, best


@inlined()
def level_sums(
    rows: np.ndarray,
    start: int,
    end: int,
    codes: np.ndarray,
    pair: np.ndarray,
    slot: int,
    sums: np.ndarray,
) -> None:
    """Count and response sum of every level but the first, of all features, into ``sums[slot]``.

    Eight features at a time and two levels: the node's totals give the first level's.
    """
    n_levels = sums.shape[1]
    padded = codes.shape[1]
    for lane in range(0, padded, LANES):
        for k in range(1, n_levels, 2):
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
            target = ((slot * n_levels + k) * 2) * padded + lane
            store(sums, target, count)
            store(sums, target + padded, response)
            if k + 1 < n_levels:
                store(sums, target + 2 * padded, next_count)
                store(sums, target + 3 * padded, next_response)


@inlined()
def subtract_sums(sums: np.ndarray, slot: int, other: int) -> None:
    """sums[slot] -= sums[other]: what remains of a node is its other child."""
    size = sums.shape[1] * sums.shape[2] * sums.shape[3]
    for lane in range(2 * sums.shape[3], size, LANES):
        here = slot * size + lane
        store(sums, here, subtract(load(sums, here), load(sums, other * size + lane)))


@inlined()
def can_split(count: np.ndarray, n_levels: int, min_leaf: float, n_samples: float) -> bool:
    """Whether any split between levels leaves min_leaf rows on both sides."""
    left = 0.0
    for k in range(n_levels - 1):
        left += count[k]
        if left >= min_leaf and n_samples - left >= min_leaf:
            return True
    return False


@compiled()
def encode_levels(
    X: np.ndarray,
    feature: int,
    levels: np.ndarray,
    codes: np.ndarray,
    position: int,
    frequency: np.ndarray,
) -> None:
    """Rank of every value of a column among the sorted levels, and how often each occurs."""
    for row in range(X.shape[0]):
        code = 0
        for k in range(len(levels) - 1):
            code += X[row, feature] > levels[k]
        codes[row, position] = code
        frequency[position, code] += 1.0
