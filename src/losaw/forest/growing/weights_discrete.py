"""Weights of a discrete feature on cells (adjustment pattern, class).

Rows of one cell share their propensity, so the logit, the cap and Algorithm 9.4 need only each
cell's count and response sums. Classes that do not occur in the node take no part.
"""

import numpy as np

from losaw.forest.growing.arrays import MAX_LEVELS, CellWorkspace
from losaw.kernels.capping import find_cap
from losaw.kernels.compiled import REORDERED, inlined_kernel, inner_kernel
from losaw.kernels.vectors import LANES, divide, load, spread, store

PENALTY = 1.0  # 1 / C, scikit-learn's default C = 1

# The value that Helmert contrast k >= 1 gives the levels before the k-th.
_K = np.arange(MAX_LEVELS)
_LOW = -1.0 / np.sqrt(np.maximum(1.0, _K * (_K + 1.0)))


@inlined_kernel()
def collect_cells(
    rows: np.ndarray,
    start: int,
    end: int,
    codes: np.ndarray,
    position: int,
    n_levels: int,
    patterns: np.ndarray,
    slot: int,
    pair: np.ndarray,
    work: CellWorkspace,
) -> tuple:
    """Aggregate rows[start:end] to cells; returns the numbers of patterns and of classes.

    ``work.recode`` holds which level each class is, ``work.place`` the class of each level.
    """
    # Levels without rows are no classes of the logit.
    counts = work.logit.counts
    present = 0
    for k in range(n_levels):
        work.place[k] = present
        work.recode[present] = k
        present += work.level_count[k] > 0.0
    # A pattern gets its place when its first row comes; ``work.local`` says which it has.
    size = 0
    for i in range(start, end):
        row = rows[0, i]
        pattern = patterns[slot, row]
        g = work.local[pattern]
        if g < 0:
            g = size
            work.local[pattern] = g
            work.representative[g] = row
            for k in range(present):
                counts[k, g] = 0.0
                work.response[k, g] = 0.0
                work.square[k, g] = 0.0
            size += 1
        k = work.place[codes[row, position]]
        c = pair[row, 0]
        cy = pair[row, 1]
        counts[k, g] += c
        work.response[k, g] += cy
        work.square[k, g] += cy * cy / c
    # ``work.local`` is left as it was found, and the last vector of patterns is filled with zeros.
    for g in range(size):
        work.local[patterns[slot, work.representative[g]]] = -1
    for g in range(size, -(-size // LANES) * LANES):
        for k in range(present):
            counts[k, g] = 0.0
    return size, present


@inlined_kernel()
def design_of_patterns(
    n_patterns: int,
    codes: np.ndarray,
    factors: np.ndarray,
    first_factor: int,
    last_factor: int,
    n_levels: np.ndarray,
    design: np.ndarray,
    columns: np.ndarray,
    first_column: int,
    last_column: int,
    work: CellWorkspace,
) -> int:
    """Design vectors of the node's patterns: ones, contrasts of the levels present, values.

    Orthonormal (Helmert) contrasts of the m levels that occur give the same penalised fit as
    one column per level, whose coefficients sum to zero at the optimum, in m - 1 columns.
    """
    z = work.logit.design
    transposed = work.logit.columns
    for g in range(n_patterns):
        transposed[0, g] = 1.0
    width = 1
    # Contrast k of the levels present: the levels before the k-th against the k-th itself.
    for f in range(first_factor, last_factor):
        position = factors[f]
        for k in range(n_levels[position]):
            work.class_of[k] = -1
        for g in range(n_patterns):
            level = codes[work.representative[g], position]
            work.pattern_level[g] = level
            work.class_of[level] = 0
        present = 0
        for k in range(n_levels[position]):
            if work.class_of[k] == 0:
                work.class_of[k] = present
                present += 1
        for contrast in range(1, present):
            low = _LOW[contrast]
            high = -contrast * low
            for g in range(n_patterns):
                level = work.class_of[work.pattern_level[g]]
                value = low if level < contrast else high if level == contrast else 0.0
                transposed[width, g] = value
            width += 1
    # Continuous adjustment features; then the transpose, both padded with zeros.
    for j in range(first_column, last_column):
        for g in range(n_patterns):
            transposed[width, g] = design[work.representative[g], columns[j]]
        width += 1
    for g in range(n_patterns):
        for j in range(width):
            z[g, j] = transposed[j, g]
        for j in range(width, -(-width // LANES) * LANES):
            z[g, j] = 0.0
    for j in range(width):
        for g in range(n_patterns, -(-n_patterns // LANES) * LANES):
            transposed[j, g] = 0.0
    return width


@inlined_kernel()
def cell_weights(
    n_patterns: int,
    n_classes: int,
    frequency: np.ndarray,
    position: int,
    eta: float,
    n_samples: float,
    work: CellWorkspace,
) -> float:
    """Capped weights of the collected cells, in place of the fitted logit's probabilities.

    Returns the relative effective sample size before the cap.
    """
    logit = work.logit
    # Raw weights P(x) / P(x | a), and sums of them and of their squares over rows (Definition 3.1).
    row = logit.probability.shape[1]
    cells = 0
    total = 0.0
    square = 0.0
    for k in range(n_classes):
        share = spread(frequency[position, work.recode[k]])
        for lane in range(0, n_patterns, LANES):
            store(
                logit.probability,
                k * row + lane,
                divide(share, load(logit.probability, k * row + lane)),
            )
        for g in range(n_patterns):
            weight = logit.probability[k, g]
            c = logit.counts[k, g]
            work.weight[cells] = weight
            work.multiplicity[cells] = c
            total += c * weight
            square += c * weight * weight
            cells += c > 0.0
    before = total * total / (square * n_samples)
    if before < eta:
        cut, shift = find_cap(work.weight, work.multiplicity, cells, eta)
        for k in range(n_classes):
            for g in range(n_patterns):
                logit.probability[k, g] = min(logit.probability[k, g], cut) + shift
    return before


@inlined_kernel(fastmath=REORDERED)
def sum_cells(n_patterns: int, n_classes: int, work: CellWorkspace) -> tuple:
    """Weighted sums of every class into the workspace; total weight, sum of y and of y^2."""
    weight = work.logit.probability
    counts = work.logit.counts
    total = 0.0
    first = 0.0
    second = 0.0
    for k in range(n_classes):
        level_count = 0.0
        level_weight = 0.0
        level_response = 0.0
        for g in range(n_patterns):
            v = weight[k, g]
            level_count += counts[k, g]
            level_weight += v * counts[k, g]
            level_response += v * work.response[k, g]
            second += v * work.square[k, g]
        work.level_count[k] = level_count
        work.level_weight[k] = level_weight
        work.level_response[k] = level_response
        total += level_weight
        first += level_response
    return total, first, second


@inner_kernel()
def spread_weights(
    rows: np.ndarray,
    start: int,
    end: int,
    codes: np.ndarray,
    position: int,
    patterns: np.ndarray,
    slot: int,
    n_patterns: int,
    work: CellWorkspace,
    w: np.ndarray,
) -> None:
    """The weight of each row's cell into ``w``, for rows[start:end]."""
    for g in range(n_patterns):
        work.local[patterns[slot, work.representative[g]]] = g
    for i in range(start, end):
        row = rows[0, i]
        g = work.local[patterns[slot, row]]
        w[i - start] = work.logit.probability[work.place[codes[row, position]], g]
    for g in range(n_patterns):
        work.local[patterns[slot, work.representative[g]]] = -1
