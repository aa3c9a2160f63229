"""Weights of a discrete feature on cells (adjustment pattern, class).

Rows of one cell share their propensity, so the logit, the cap and Algorithm 9.4 need only each
cell's count and response sums. Classes that do not occur in the node take no part.
"""

import numpy as np

from losaw.forest.growing.arrays import (
    MAX_LEVELS,
    Candidate,
    CellWorkspace,
    Grower,
    LevelWorkspace,
    Node,
)
from losaw.kernels.capping import find_cap
from losaw.kernels.compiled import REORDERED, inlined_kernel, inner_kernel
from losaw.kernels.vectors import LANES, divide, load, spread, store

# The value that Helmert contrast k >= 1 gives the levels before the k-th.
_K = np.arange(MAX_LEVELS)
_LOW = -1.0 / np.sqrt(np.maximum(1.0, _K * (_K + 1.0)))


@inlined_kernel()
def collect_cells(
    grower: Grower,
    levels: LevelWorkspace,
    cells: CellWorkspace,
    node: Node,
    candidate: Candidate,
) -> tuple:
    """Aggregate the node's rows to cells; returns the numbers of patterns and of classes.

    ``cells.recode`` is the level of each class, ``cells.place`` the class of each level.
    """
    data, sample, p = grower.data, grower.sample, candidate.p
    rows, codes, patterns, pair = sample.rows, sample.codes, sample.patterns, sample.pair
    slot = data.pattern_slot[candidate.feature]
    # Levels without rows are no classes of the logit.
    counts = cells.logit.counts
    present = 0
    for k in range(data.n_levels[p]):
        # Overwritten by the next level unless this one occurs.
        cells.place[k] = present
        cells.recode[present] = k
        present += levels.counts[k] > 0.0
    # A pattern gets its place when its first row comes; ``cells.local`` is that place.
    size = 0
    for i in range(node.start, node.end):
        row = rows[0, i]
        # Rows with equal adjustment features have the same pattern number in all nodes.
        pattern = patterns[slot, row]
        g = cells.local[pattern]
        if g < 0:
            g = size
            cells.local[pattern] = g
            cells.representative[g] = row
            for k in range(present):
                counts[k, g] = 0.0
                cells.response[k, g] = 0.0
                cells.square[k, g] = 0.0
            size += 1
        # The cell (class k, pattern g) gets the row's c, c y and c y^2.
        k = cells.place[codes[row, p]]
        c = pair[row, 0]
        cy = pair[row, 1]
        counts[k, g] += c
        cells.response[k, g] += cy
        cells.square[k, g] += cy * cy / c
    # ``cells.local`` is left as it was found, and the last vector of patterns is filled with zeros.
    for g in range(size):
        cells.local[patterns[slot, cells.representative[g]]] = -1
    for g in range(size, -(-size // LANES) * LANES):
        for k in range(present):
            counts[k, g] = 0.0
    return size, present


@inlined_kernel()
def design_of_patterns(grower: Grower, cells: CellWorkspace, feature: int, n_patterns: int) -> int:
    """Write the design vectors of the node's patterns: ones, contrasts of the levels, values.

    Orthonormal (Helmert) contrasts of the m levels that occur give the same penalised fit as
    one column per level, whose coefficients sum to zero at the optimum, in m - 1 columns.
    """
    data, codes, design = grower.data, grower.sample.codes, grower.sample.design
    columns = cells.logit.columns
    # The column of ones: the logit's intercept, which is not penalised.
    for g in range(n_patterns):
        columns[0, g] = 1.0
    width = 1
    # Contrast k of the levels present: the levels before the k-th against the k-th itself.
    for f in range(data.factors_start[feature], data.factors_start[feature + 1]):
        position = data.factors[f]
        # The levels that occur in the node are numbered anew; others would only add columns of
        # zeros.
        for k in range(data.n_levels[position]):
            cells.class_of[k] = -1
        for g in range(n_patterns):
            level = codes[cells.representative[g], position]
            # A pattern's level of this feature is that of any of its rows.
            cells.pattern_level[g] = level
            cells.class_of[level] = 0
        present = 0
        for k in range(data.n_levels[position]):
            if cells.class_of[k] == 0:
                cells.class_of[k] = present
                present += 1
        for contrast in range(1, present):
            # Orthonormal: k times ``low`` squared plus ``high`` squared is 1, and the column sums
            # to zero over the levels.
            low = _LOW[contrast]
            high = -contrast * low
            for g in range(n_patterns):
                level = cells.class_of[cells.pattern_level[g]]
                # Levels behind the k-th take no part in contrast k.
                value = low if level < contrast else high if level == contrast else 0.0
                columns[width, g] = value
            width += 1
    # Continuous adjustment features. The last vector of patterns is filled up with zeros.
    for j in range(data.columns_start[feature], data.columns_start[feature + 1]):
        for g in range(n_patterns):
            columns[width, g] = design[cells.representative[g], data.columns[j]]
        width += 1
    for j in range(width):
        for g in range(n_patterns, -(-n_patterns // LANES) * LANES):
            columns[j, g] = 0.0
    return width


@inlined_kernel()
def cell_weights(
    grower: Grower,
    cells: CellWorkspace,
    node: Node,
    candidate: Candidate,
    n_patterns: int,
    n_classes: int,
) -> float:
    """Put capped weights of the cells in place of the fitted logit's probabilities.

    Returns the relative effective sample size before the cap.
    """
    frequency, eta = grower.data.frequency, grower.settings.eta
    logit = cells.logit
    # Raw weights P(x) / P(x | a), and sums of them and of their squares over rows (Definition 3.1).
    row = logit.probability.shape[1]
    n_cells = 0
    total = 0.0
    square = 0.0
    for k in range(n_classes):
        # P(x = k) of the full training sample.
        share = spread(frequency[candidate.p, cells.recode[k]])
        for lane in range(0, n_patterns, LANES):
            store(
                logit.probability,
                k * row + lane,
                divide(share, load(logit.probability, k * row + lane)),
            )
        for g in range(n_patterns):
            # Only cells with rows take part in the cap, once per copy of a row.
            weight = logit.probability[k, g]
            c = logit.counts[k, g]
            cells.weight[n_cells] = weight
            cells.multiplicity[n_cells] = c
            total += c * weight
            square += c * weight * weight
            # An empty cell is overwritten by the next one.
            n_cells += c > 0.0
    # Definition 3.1: (sum c w)^2 / (N_k sum c w^2).
    before = total * total / (square * node.n_samples)
    # Algorithm 3.2: too small an effective sample is raised to eta N_k by the cap of Appendix 9.6.
    if before < eta:
        cap, shift = find_cap(cells.weight, cells.multiplicity, n_cells, eta)
        # v = min(w, u) + c of Algorithm 9.7, of all copies of a cell's rows.
        for k in range(n_classes):
            for g in range(n_patterns):
                logit.probability[k, g] = min(logit.probability[k, g], cap) + shift
    return before


@inlined_kernel(fastmath=REORDERED)
def sum_cells(
    levels: LevelWorkspace, cells: CellWorkspace, n_patterns: int, n_classes: int
) -> tuple:
    """Compute the weighted sums of every class; total weight, weighted sums of y and of y^2."""
    weight = cells.logit.probability
    counts = cells.logit.counts
    total = 0.0
    first = 0.0
    second = 0.0
    for k in range(n_classes):
        level_count = 0.0
        level_weight = 0.0
        level_response = 0.0
        for g in range(n_patterns):
            # W_k and T_k of a level are sums over the patterns; v is the capped weight of the cell.
            v = weight[k, g]
            level_count += counts[k, g]
            level_weight += v * counts[k, g]
            level_response += v * cells.response[k, g]
            # E_w[y^2], of which the weighted impurity is made.
            second += v * cells.square[k, g]
        levels.counts[k] = level_count
        levels.weight[k] = level_weight
        levels.response[k] = level_response
        total += level_weight
        first += level_response
    return total, first, second


@inner_kernel()
def spread_weights(
    grower: Grower, cells: CellWorkspace, node: Node, candidate: Candidate, n_patterns: int
) -> None:
    """Write the weight of each row's cell to ``work.w``."""
    sample, w = grower.sample, grower.work.w
    rows, codes, patterns = sample.rows, sample.codes, sample.patterns
    slot = grower.data.pattern_slot[candidate.feature]
    # ``cells.local`` leads from a row's pattern to its cell, and is put back afterwards.
    for g in range(n_patterns):
        cells.local[patterns[slot, cells.representative[g]]] = g
    for i in range(node.start, node.end):
        row = rows[0, i]
        g = cells.local[patterns[slot, row]]
        w[i - node.start] = cells.logit.probability[cells.place[codes[row, candidate.p]], g]
    for g in range(n_patterns):
        cells.local[patterns[slot, cells.representative[g]]] = -1
