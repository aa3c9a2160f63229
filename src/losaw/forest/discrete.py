"""Splits on a discrete feature: everything on cells (adjustment pattern, class).

Rows of one cell share their propensity, so the logit, the cap and Algorithm 9.4 need only each
cell's count and response sums.
"""

import numpy as np

from losaw.forest.layout import CellWorkspace
from losaw.weighting.compiled import compiled
from losaw.weighting.effective_sample_size import find_cap
from losaw.weighting.multinomial_logit import fit_multinomial

PENALTY = 1.0  # 1 / C, scikit-learn's default C = 1


@compiled()
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


@compiled()
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


@compiled()
def can_split(count: np.ndarray, n_levels: int, min_leaf: float, n_samples: float) -> bool:
    """Whether any split between levels leaves min_leaf rows on both sides."""
    left = 0.0
    for k in range(n_levels - 1):
        left += count[k]
        if left >= min_leaf and n_samples - left >= min_leaf:
            return True
    return False


@compiled()
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
) -> int:
    """Aggregate rows[start:end] to cells; returns the number of patterns in the node."""
    size = 0
    for i in range(start, end):
        row = rows[0, i]
        pattern = patterns[slot, row]
        g = work.local[pattern]
        if g < 0:
            g = size
            work.local[pattern] = g
            work.representative[g] = row
            for k in range(n_levels):
                work.counts[g, k] = 0.0
                work.response[g, k] = 0.0
                work.square[g, k] = 0.0
            size += 1
        k = codes[row, position]
        c = pair[row, 0]
        cy = pair[row, 1]
        work.counts[g, k] += c
        work.response[g, k] += cy
        work.square[g, k] += cy * cy / c
    for g in range(size):
        work.local[patterns[slot, work.representative[g]]] = -1
    return size


@compiled()
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
    for g in range(n_patterns):
        work.z[g, 0] = 1.0
        for j in range(1, work.z.shape[1]):
            work.z[g, j] = 0.0
    width = 1
    for f in range(first_factor, last_factor):
        position = factors[f]
        for k in range(n_levels[position]):
            work.recode[k] = -1
        for g in range(n_patterns):
            work.recode[codes[work.representative[g], position]] = 0
        present = 0
        for k in range(n_levels[position]):
            if work.recode[k] == 0:
                work.recode[k] = present
                present += 1
        for contrast in range(1, present):
            low = -1.0 / np.sqrt(contrast * (contrast + 1.0))
            high = -contrast * low
            for g in range(n_patterns):
                level = work.recode[codes[work.representative[g], position]]
                work.z[g, width] = low if level < contrast else high if level == contrast else 0.0
            width += 1
    for j in range(first_column, last_column):
        for g in range(n_patterns):
            work.z[g, width] = design[work.representative[g], columns[j]]
        width += 1
    return width


@compiled()
def cell_weights(
    n_patterns: int,
    width: int,
    n_levels: int,
    frequency: np.ndarray,
    position: int,
    eta: float,
    n_samples: float,
    work: CellWorkspace,
) -> tuple:
    """Capped weights of the collected cells, in place of ``work.probability``.

    Levels that do not occur in the node take no part: the m present ones move to the front,
    ``work.recode`` holds what they were, cell (g, k) stands at g * m + k. Returns m and the
    relative effective sample size before the cap.
    """
    present = 0
    for k in range(n_levels):
        if work.level_count[k] > 0.0:
            work.recode[present] = k
            for g in range(n_patterns):
                work.counts[g, present] = work.counts[g, k]
                work.response[g, present] = work.response[g, k]
                work.square[g, present] = work.square[g, k]
            present += 1
    fit_multinomial(
        work.z,
        work.counts,
        n_patterns,
        present,
        width,
        PENALTY,
        work.coefficients,
        work.probability,
        work.total,
        work.factor,
        work.gradient,
        work.block,
        work.step,
        work.hessian,
    )
    cells = 0
    total = 0.0
    square = 0.0
    for g in range(n_patterns):
        for k in range(present):
            weight = frequency[position, work.recode[k]] / work.probability[g * present + k]
            work.probability[g * present + k] = weight
            c = work.counts[g, k]
            if c > 0.0:
                work.weight[cells] = weight
                work.multiplicity[cells] = c
                total += c * weight
                square += c * weight * weight
                cells += 1
    before = total * total / (square * n_samples)
    if before < eta:
        cut, shift = find_cap(work.weight, work.multiplicity, cells, eta)
        for i in range(n_patterns * present):
            work.probability[i] = min(work.probability[i], cut) + shift
    return present, before


@compiled()
def split_cells(
    n_patterns: int, present: int, min_leaf: float, n_samples: float, work: CellWorkspace
) -> tuple:
    """Best split of the weighted cells: (relative decrease, last level on the left) or (0, -1)."""
    for k in range(present):
        work.level_count[k] = 0.0
        work.level_weight[k] = 0.0
        work.level_response[k] = 0.0
    total = 0.0
    first = 0.0
    second = 0.0
    for g in range(n_patterns):
        for k in range(present):
            v = work.probability[g * present + k]
            work.level_count[k] += work.counts[g, k]
            work.level_weight[k] += v * work.counts[g, k]
            work.level_response[k] += v * work.response[g, k]
            total += v * work.counts[g, k]
            first += v * work.response[g, k]
            second += v * work.square[g, k]
    mean = first / total
    impurity = second / total - mean * mean
    score, level = scan_levels(
        present,
        work.level_count,
        work.level_weight,
        work.level_response,
        total,
        mean,
        min_leaf,
        n_samples,
    )
    if level < 0 or not impurity > 0.0:
        return 0.0, -1
    return score / impurity, work.recode[level]


@compiled()
def spread_weights(
    rows: np.ndarray,
    start: int,
    end: int,
    codes: np.ndarray,
    position: int,
    patterns: np.ndarray,
    slot: int,
    n_patterns: int,
    present: int,
    work: CellWorkspace,
    w: np.ndarray,
) -> None:
    """The weight of each row's cell into ``w``, for rows[start:end]."""
    for k in range(present):
        work.place[work.recode[k]] = k
    for g in range(n_patterns):
        work.local[patterns[slot, work.representative[g]]] = g
    for i in range(start, end):
        row = rows[0, i]
        g = work.local[patterns[slot, row]]
        w[i - start] = work.probability[g * present + work.place[codes[row, position]]]
    for g in range(n_patterns):
        work.local[patterns[slot, work.representative[g]]] = -1
