"""Sums over the levels of discrete features, and the best split between levels."""

import numpy as np

from losaw.weighting.compiled import inlined


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
    positions: np.ndarray,
    first: int,
    last: int,
    pair: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Count and response sum of every level of the features positions[first:last].

    All features in one pass over the rows: their sums are independent, while consecutive rows of
    one feature often wait for the same sum.
    """
    for f in range(first, last):
        for k in range(sums.shape[1]):
            sums[f, k, 0] = 0.0
            sums[f, k, 1] = 0.0
    for i in range(start, end):
        row = rows[0, i]
        c = pair[row, 0]
        cy = pair[row, 1]
        for f in range(first, last):
            k = codes[row, positions[f]]
            sums[f, k, 0] += c
            sums[f, k, 1] += cy


@inlined()
def can_split(count: np.ndarray, n_levels: int, min_leaf: float, n_samples: float) -> bool:
    """Whether any split between levels leaves min_leaf rows on both sides."""
    left = 0.0
    for k in range(n_levels - 1):
        left += count[k]
        if left >= min_leaf and n_samples - left >= min_leaf:
            return True
    return False
