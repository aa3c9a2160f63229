"""Penalised multinomial logit on aggregated cells: its data, probabilities and derivatives.

Rows with the same adjustment features form one pattern. For pattern g, class k, counts n_gk,
design vector z_g = (1, ...) and coefficients b_k (b_0 = 0),

    p_gk = exp(b_k' z_g) / sum_l exp(b_l' z_g),
    minimise  - sum_gk n_gk log p_gk + (1 / 2C) min_a sum_k |b_k - a|^2   (no intercepts).

The minimum over the shift a is the penalty of the symmetric form with a vector for every class;
with two classes the penalty is |b_1|^2 / 2C, scikit-learn's convention for a binary logit.

Patterns (for probabilities) and coefficients (for sums over patterns) are padded with zeros to a
multiple of 8 and taken 8 at a time: a compiler does not vectorise loops as short as these.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import exponential_of_eight, inlined_kernel, inner_kernel
from losaw.kernels.inversion import padded, padded_row
from losaw.kernels.logit.far_apart import (
    LARGEST_ODDS,
    SMALLEST_PROBABILITY,
    find_probabilities,
    log_probability,
)
from losaw.kernels.logit.limited_memory import Memory, make_memory
from losaw.kernels.vectors import (
    LANES,
    add,
    divide,
    fma,
    insert,
    load,
    multiply,
    spread,
    store,
    subtract,
    total,
    where_greater,
)

# Logits of more than two classes and more unknowns are left to the quasi-Newton method.
MOST_UNKNOWNS = 16
ROWS = 4  # of a sum over patterns, summed side by side


class Logit(NamedTuple):
    """A logit's data, result and workspace; G patterns, K classes, w coefficients per class.

    Rows are padded with zeros to a multiple of 8, or longer.
    """

    design: NDArray[np.float64]  # (G, w), rows z_g; column 0 is ones
    columns: NDArray[np.float64]  # (w, G), its transpose
    counts: NDArray[np.float64]  # (K, G); every class occurs
    coefficients: NDArray[np.float64]  # (K - 1, w), of each class against the first
    probability: NDArray[np.float64]  # (K, G)
    size: NDArray[np.float64]  # (G,), counts of a pattern
    residual: NDArray[np.float64]  # (K - 1 + 4, G), counts less expected counts
    scaled: NDArray[np.float64]  # (1 + 4, G)
    gradient: NDArray[np.float64]  # (K - 1, w)
    information: NDArray[np.float64]  # (u, u + 8), negative Hessian; at most u unknowns for Newton
    diagonal: NDArray[np.float64]  # (u,)
    slopes: NDArray[np.float64]  # (u,), the gradient class after class
    step: NDArray[np.float64]  # (u + 8,)
    predictors: NDArray[np.float64]  # (K - 1,), of a pattern
    blocks: NDArray[np.float64]  # (K, w, w + 8), inverses of the Hessian's diagonal blocks
    block_rows: NDArray[np.float64]  # (3, w), workspace
    memory: Memory  # of the quasi-Newton method


def make_logit(n_patterns: int, n_classes: int, width: int) -> Logit:
    """Return the arrays of a logit of at most this size, filled with zeros."""
    rows = padded(n_patterns)
    row = padded(width)
    size = max(width, min((n_classes - 1) * width, MOST_UNKNOWNS))
    return Logit(
        design=np.zeros((n_patterns, row)),
        columns=np.zeros((width, rows)),
        counts=np.zeros((n_classes, rows)),
        coefficients=np.zeros((n_classes - 1, row)),
        probability=np.zeros((n_classes, rows)),
        size=np.zeros(rows),
        residual=np.zeros((n_classes - 1 + ROWS, rows)),
        scaled=np.zeros((1 + ROWS, rows)),
        gradient=np.zeros((n_classes - 1, row)),
        information=np.zeros((size, padded_row(size))),
        diagonal=np.zeros(size),
        slopes=np.zeros(size),
        step=np.zeros(padded_row(size)),
        predictors=np.zeros(n_classes - 1),
        blocks=np.zeros((n_classes, width, padded_row(width))),
        block_rows=np.zeros((3, row)),
        memory=make_memory(n_classes - 1, row),
    )


@inlined_kernel()
def update_probabilities(logit: Logit, n_patterns: int, n_classes: int, width: int) -> None:
    """Compute probabilities and residuals at the coefficients."""
    b = logit.coefficients
    row = logit.columns.shape[1]
    one = spread(1.0)
    n_cut = spread(0.0)
    for lane in range(0, n_patterns, LANES):
        sums = one
        for k in range(1, n_classes):
            predictor = spread(b[k - 1, 0])
            for j in range(1, width):
                predictor = fma(spread(b[k - 1, j]), load(logit.columns, j * row + lane), predictor)
            odds = exponential_of_eight(predictor)
            sums = add(sums, odds)
            store(logit.probability, k * row + lane, odds)
        inverse = divide(one, sums)
        n_cut = add(n_cut, where_greater(sums, spread(LARGEST_ODDS), one))
        size = load(logit.size, lane)
        store(logit.probability, lane, inverse)
        for k in range(1, n_classes):
            p = multiply(load(logit.probability, k * row + lane), inverse)
            store(logit.probability, k * row + lane, p)
            counts = load(logit.counts, k * row + lane)
            store(logit.residual, (k - 1) * row + lane, subtract(counts, multiply(size, p)))
    # Odds that were cut somewhere: once more, with the largest predictor taken off.
    if total(n_cut) > 0.0:
        find_probabilities(b, logit.columns, logit.probability, n_patterns, n_classes, width)
        for k in range(1, n_classes):
            for g in range(n_patterns):
                expected = logit.size[g] * logit.probability[k, g]
                logit.residual[k - 1, g] = logit.counts[k, g] - expected


@inlined_kernel()
def four_sums(
    weights: np.ndarray, first: int, design: np.ndarray, n_patterns: int, lane: int
) -> tuple:
    """Sum eight columns of the design from ``lane`` on over the patterns, for four rows of weights.

    Four at a time, since every sum waits for the previous sum.
    """
    stride = design.shape[1]
    a = spread(0.0)
    b = spread(0.0)
    c = spread(0.0)
    d = spread(0.0)
    for g in range(n_patterns):
        z = load(design, g * stride + lane)
        a = fma(spread(weights[first, g]), z, a)
        b = fma(spread(weights[first + 1, g]), z, b)
        c = fma(spread(weights[first + 2, g]), z, c)
        d = fma(spread(weights[first + 3, g]), z, d)
    return a, b, c, d


@inlined_kernel()
def weigh_columns(logit: Logit, n_patterns: int, first: int, rows: int) -> None:
    """Write columns from ``first`` on, times the weights in row 0 of ``scaled``, below that row."""
    row = logit.columns.shape[1]
    for i in range(rows):
        for lane in range(0, n_patterns, LANES):
            column = load(logit.columns, (first + i) * row + lane)
            product = multiply(load(logit.scaled, lane), column)
            store(logit.scaled, (1 + i) * row + lane, product)


@inlined_kernel()
def update_gradient(
    logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float
) -> None:
    """Compute the gradient of the penalised log-likelihood, from known residuals."""
    stride = logit.design.shape[1]
    for first in range(0, n_classes - 1, ROWS):
        rows = min(ROWS, n_classes - 1 - first)
        for lane in range(0, width, LANES):
            a, b, c, d = four_sums(logit.residual, first, logit.design, n_patterns, lane)
            for i in range(rows):
                sums = a if i == 0 else b if i == 1 else c if i == 2 else d
                store(logit.gradient, (first + i) * stride + lane, sums)
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for j in range(1, width):
        sums_j = 0.0
        for k in range(n_classes - 1):
            sums_j += logit.coefficients[k, j]
        for k in range(n_classes - 1):
            logit.gradient[k, j] -= penalty * (logit.coefficients[k, j] - share * sums_j)


@inlined_kernel()
def update_information(
    logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float
) -> None:
    """Compute the negative Hessian at the probabilities.

    Block (k, l) is sum_g n_g p_gk (1{k = l} - p_gl) z_g z_g' plus its part of the penalty. Vectors
    that are written beyond a block are overwritten by the next block.
    """
    row = logit.columns.shape[1]
    place = logit.information.shape[1]
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for k in range(n_classes - 1):
        for other in range(k, n_classes - 1):
            for lane in range(0, n_patterns, LANES):
                p = load(logit.probability, (k + 1) * row + lane)
                q = load(logit.probability, (other + 1) * row + lane)
                both = multiply(load(logit.size, lane), p)
                rest = subtract(spread(1.0 if k == other else 0.0), q)
                store(logit.scaled, lane, multiply(both, rest))
            ridge = penalty * (1.0 - share) if k == other else -penalty * share
            for first in range(0, width, ROWS):
                rows = min(ROWS, width - first)
                weigh_columns(logit, n_patterns, first, rows)
                target = (k * width + first) * place + other * width
                mirrored = (other * width + first) * place + k * width
                for lane in range(0, width, LANES):
                    a, b, c, d = four_sums(logit.scaled, 1, logit.design, n_patterns, lane)
                    for i in range(rows):
                        sums = a if i == 0 else b if i == 1 else c if i == 2 else d
                        if first + i > 0 and lane <= first + i < lane + LANES:
                            sums = add(sums, insert(spread(0.0), first + i - lane, ridge))
                        store(logit.information, mirrored + i * place + lane, sums)
                        store(logit.information, target + i * place + lane, sums)
    size = (n_classes - 1) * width
    for i in range(size):
        store(logit.information, i * place + size, spread(0.0))


@inner_kernel()
def objective(logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float) -> float:
    """Return the penalised log-likelihood."""
    b = logit.coefficients
    value = 0.0
    for k in range(n_classes):
        for g in range(n_patterns):
            if not logit.counts[k, g] > 0.0:
                continue
            p = logit.probability[k, g]
            if p >= SMALLEST_PROBABILITY:
                value += logit.counts[k, g] * np.log(p)
                continue
            # A probability that may have been cut: its logarithm from the predictors.
            for other in range(n_classes - 1):
                logit.predictors[other] = 0.0
                for j in range(width):
                    logit.predictors[other] += b[other, j] * logit.columns[j, g]
            value += logit.counts[k, g] * log_probability(logit.predictors, n_classes, k)
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    # The penalty, less the part that a shift of all classes takes off.
    for j in range(1, width):
        sums = 0.0
        square = 0.0
        for k in range(n_classes - 1):
            sums += b[k, j]
            square += b[k, j] * b[k, j]
        value -= 0.5 * penalty * (square - share * sums * sums)
    return value
