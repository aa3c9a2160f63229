"""Small weighted splits of discrete features, for eight candidates of a node at once.

A feature of three levels, adjusted for just one other of two or three, has a logit too small to
fill a vector. Its cells go into a lane of the batch, which is settled when it is full, or after the
node's last candidate. Larger logits fill the vectors by themselves and do not wait.

All lanes share one design, the contrasts of three levels: a level without rows has no part in the
likelihood, and its coefficient is free to be what costs no penalty. The sizes are constants where
the solver is called, so that a compiler can unroll all of its loops.
"""

import numpy as np

from losaw.forest.growing.arrays import (
    SMALL,
    BatchWorkspace,
    Candidate,
    Grower,
    LevelSums,
    Node,
)
from losaw.forest.growing.scan_levels import scan_levels
from losaw.forest.growing.weights_discrete import PENALTY, PRECISION
from losaw.kernels.capping import find_cap
from losaw.kernels.compiled import inlined_kernel, inner_kernel
from losaw.kernels.logit.eight_newton import fit_eight
from losaw.kernels.logit.eight_terms import make_eight_logits
from losaw.kernels.vectors import LANES, add, divide, fma, load, multiply, spread, store
from losaw.weighting.levels import helmert


def make_batch() -> BatchWorkspace:
    """Return scratch arrays for eight candidates."""
    eight = make_eight_logits(SMALL, SMALL, SMALL)
    eight.design[:, 0] = 1.0
    eight.design[:, 1:] = helmert(SMALL)[:, :, None]
    return BatchWorkspace(
        waiting=np.zeros(1, dtype=np.int64),
        candidate=np.zeros(LANES, dtype=np.int64),
        table=np.zeros((SMALL * SMALL, 3)),
        eight=eight,
        response=np.zeros((SMALL, SMALL, LANES)),
        square=np.zeros((SMALL, SMALL, LANES)),
        frequency=np.zeros((SMALL, LANES)),
        before=np.zeros(LANES),
        second=np.zeros(LANES),
        sums=np.zeros((3, SMALL, LANES)),
        count_of=np.zeros(SMALL),
        weight_of=np.zeros(SMALL),
        response_of=np.zeros(SMALL),
        level_of=np.arange(SMALL),
        weight=np.zeros(SMALL * SMALL),
        multiplicity=np.zeros(SMALL * SMALL),
    )


@inlined_kernel()
def defer(grower: Grower, batch: BatchWorkspace, node: Node, candidate: Candidate) -> None:
    """Aggregate the node's rows to cells in the next lane; all three levels occur."""
    rows, codes, pair = grower.sample.rows, grower.sample.codes, grower.sample.pair
    factor = grower.data.only_factor[candidate.feature]
    table = batch.table
    for cell in range(SMALL * SMALL):
        table[cell, 0] = 0.0
        table[cell, 1] = 0.0
        table[cell, 2] = 0.0
    for i in range(node.start, node.end):
        row = rows[0, i]
        cell = SMALL * np.int64(codes[row, factor]) + codes[row, candidate.p]
        c = pair[row, 0]
        cy = pair[row, 1]
        table[cell, 0] += c
        table[cell, 1] += cy
        table[cell, 2] += cy * cy / c
    # Cells that were next to each other for the sums go into a lane of eight candidates.
    lane = batch.waiting[0]
    batch.waiting[0] = lane + 1
    batch.candidate[lane] = candidate.place
    for k in range(SMALL):
        batch.frequency[k, lane] = grower.data.frequency[candidate.p, k]
        for g in range(SMALL):
            batch.eight.counts[k, g, lane] = table[SMALL * g + k, 0]
            batch.response[k, g, lane] = table[SMALL * g + k, 1]
            batch.square[k, g, lane] = table[SMALL * g + k, 2]


@inlined_kernel()
def _fill_up(batch: BatchWorkspace) -> None:
    """Give a lane to spare one pattern with one row of each class: already at its optimum."""
    eight = batch.eight
    for lane in range(batch.waiting[0], LANES):
        for k in range(SMALL):
            batch.frequency[k, lane] = 1.0
            for g in range(SMALL):
                eight.counts[k, g, lane] = 1.0 if g == 0 else 0.0


@inlined_kernel()
def _weigh(batch: BatchWorkspace, eta: float, n_samples: float) -> None:
    """Put capped weights in place of the probabilities, and compute the sums of every class."""
    eight = batch.eight
    # Raw weights and relative effective sample sizes of all lanes (Definition 3.1).
    total = spread(0.0)
    square = spread(0.0)
    for k in range(SMALL):
        frequency = load(batch.frequency, k * LANES)
        for g in range(SMALL):
            place = (k * SMALL + g) * LANES
            weight = divide(frequency, load(eight.probability, place))
            store(eight.probability, place, weight)
            both = multiply(weight, load(eight.counts, place))
            total = add(total, both)
            square = fma(both, weight, square)
    before = divide(multiply(total, total), multiply(square, spread(n_samples)))
    store(batch.before, 0, before)
    # The cap, lane by lane: it is found by iteration (Algorithm 3.2).
    for lane in range(batch.waiting[0]):
        if batch.before[lane] >= eta:
            continue
        filled = 0
        for k in range(SMALL):
            for g in range(SMALL):
                batch.weight[filled] = eight.probability[k, g, lane]
                batch.multiplicity[filled] = eight.counts[k, g, lane]
                filled += eight.counts[k, g, lane] > 0.0
        cut, shift = find_cap(batch.weight, batch.multiplicity, filled, eta)
        for k in range(SMALL):
            for g in range(SMALL):
                eight.probability[k, g, lane] = min(eight.probability[k, g, lane], cut) + shift
    # Sums over the patterns: count, weight, weighted response by level, and sum of v c y^2.
    second = spread(0.0)
    for k in range(SMALL):
        count = spread(0.0)
        weight = spread(0.0)
        response = spread(0.0)
        for g in range(SMALL):
            place = (k * SMALL + g) * LANES
            v = load(eight.probability, place)
            c = load(eight.counts, place)
            count = add(count, c)
            weight = fma(v, c, weight)
            response = fma(v, load(batch.response, place), response)
            second = fma(v, load(batch.square, place), second)
        store(batch.sums, k * LANES, count)
        store(batch.sums, (SMALL + k) * LANES, weight)
        store(batch.sums, (2 * SMALL + k) * LANES, response)
    store(batch.second, 0, second)


@inner_kernel()
def settle(
    batch: BatchWorkspace, eta: float, min_leaf: float, n_samples: float, splits: np.ndarray
) -> int:
    """Write the best splits of the candidates that wait to ``splits``; none waits afterwards.

    Returns the number of their logits that do not reach their optimum.
    """
    _fill_up(batch)
    n_unfinished = fit_eight(batch.eight, SMALL, SMALL, SMALL, PENALTY, PRECISION)
    _weigh(batch, eta, n_samples)
    # From the sums of a lane to its best split, as for larger logits.
    for lane in range(batch.waiting[0]):
        total = 0.0
        response = 0.0
        for k in range(SMALL):
            batch.count_of[k] = batch.sums[0, k, lane]
            batch.weight_of[k] = batch.sums[1, k, lane]
            batch.response_of[k] = batch.sums[2, k, lane]
            total += batch.weight_of[k]
            response += batch.response_of[k]
        mean = response / total
        impurity = batch.second[lane] / total - mean * mean
        i = batch.candidate[lane]
        splits[i, 0] = 0.0
        splits[i, 2] = batch.before[lane]
        splits[i, 3] = max(batch.before[lane], eta)
        if impurity > 0.0:
            sums = LevelSums(
                SMALL,
                batch.count_of,
                batch.weight_of,
                batch.response_of,
                batch.level_of,
                total,
                mean,
            )
            score, level = scan_levels(sums, min_leaf, n_samples, 0.0)
            splits[i, 0] = score / impurity
            splits[i, 1] = max(level, 0)
    batch.waiting[0] = 0
    return n_unfinished
