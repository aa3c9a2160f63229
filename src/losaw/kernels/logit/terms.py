"""The penalised multinomial logit on cells: its arrays, probabilities and gradient.

Rows with the same adjustment features form one pattern. For pattern g, class k, counts n_gk,
design vector z_g = (1, ...) and coefficients b_k (b_0 = 0),

    p_gk = exp(b_k' z_g) / sum_l exp(b_l' z_g),
    minimise  - sum_gk n_gk log p_gk + 1/2 min_a sum_k |b_k - a|^2   (no intercepts).

This is the propensity of a discrete target (losaw, Section 2 and Lemma 9.12). The minimum over the
shift a is the penalty of the symmetric form with a vector for every class; with two classes the
penalty is 1/2 |b_1|^2. Both are those of scikit-learn's defaults.

Sums over patterns are taken 8 patterns at a time: a compiler does not vectorise loops as short as
these.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel, spliced_kernel
from losaw.kernels.exponential import exponential_of_eight
from losaw.kernels.inversion import padded, padded_row
from losaw.kernels.logit.far_apart import LARGEST_ODDS, find_probabilities
from losaw.kernels.logit.limited_memory import Memory, inner, make_memory
from losaw.kernels.vectors import (
    LANES,
    add,
    divide,
    fma,
    load,
    multiply,
    spread,
    store,
    subtract,
    total,
    where_greater,
)


class Logit(NamedTuple):
    """A logit's data, result and workspace; G patterns, K classes, d columns of the design.

    Rows over patterns are filled up with zeros to whole vectors of 8, or longer. Vectors of
    coefficients are flat: the d of each class but the first, filled up with zeros to whole vectors,
    one class after the other.
    """

    columns: NDArray[np.float64]  # (d, G), the design, transposed; its first row is ones
    counts: NDArray[np.float64]  # (K, G); every class occurs
    totals: NDArray[np.float64]  # (G,), counts of a pattern
    probability: NDArray[np.float64]  # (K, G)
    residual: NDArray[np.float64]  # (K - 1, G), counts less expected counts
    coefficients: NDArray[np.float64]  # of each class against the first
    gradient: NDArray[np.float64]  # of the penalised log-likelihood at the coefficients
    weight: NDArray[np.float64]  # (G,), of a pattern in a sum of products of columns
    weighted: NDArray[np.float64]  # (G,), a column times these weights
    moments: NDArray[np.float64]  # (d, d + 8), sum_g n_g z_g z_g'
    blocks: NDArray[np.float64]  # (K, d, d + 8), inverses of the Hessian's diagonal blocks
    rows: NDArray[np.float64]  # (3, d), workspace
    diagonal: NDArray[np.float64]  # (d,), workspace
    memory: Memory  # of the last steps


class Size(NamedTuple):
    """The size of a logit in arrays that have room for a larger one."""

    n_patterns: int
    n_classes: int
    width: int  # columns of the design
    row: int  # the same, filled up to whole vectors


def make_logit(n_patterns: int, n_classes: int, width: int) -> Logit:
    """Return the arrays of a logit of at most this size, filled with zeros."""
    patterns, row = padded(n_patterns), padded(width)
    n_coefficients = (n_classes - 1) * row
    return Logit(
        columns=np.zeros((width, patterns)),
        counts=np.zeros((n_classes, patterns)),
        totals=np.zeros(patterns),
        probability=np.zeros((n_classes, patterns)),
        residual=np.zeros((n_classes - 1, patterns)),
        coefficients=np.zeros(n_coefficients),
        gradient=np.zeros(n_coefficients),
        weight=np.zeros(patterns),
        weighted=np.zeros(patterns),
        moments=np.zeros((width, padded_row(width))),
        blocks=np.zeros((n_classes, width, padded_row(width))),
        rows=np.zeros((3, padded_row(width))),
        diagonal=np.zeros(row),
        memory=make_memory(n_coefficients),
    )


@spliced_kernel()
def start_from_frequencies(logit: Logit, size: Size) -> None:
    """Set the intercepts to the log odds of the classes, all slopes to zero; sum the patterns.

    This is the solution where nothing depends on the adjustment features.
    """
    columns = logit.columns.shape[1]
    for lane in range(0, size.n_patterns, LANES):
        # n_g, the rows of a pattern.
        totals = spread(0.0)
        for k in range(size.n_classes):
            totals = add(totals, load(logit.counts, k * columns + lane))
        store(logit.totals, lane, totals)
    # log(n_k / n_0), the classes' log odds against the first one over all patterns.
    base = 0.0
    for g in range(size.n_patterns):
        base += logit.counts[0, g]
    for k in range(size.n_classes - 1):
        count = 0.0
        for g in range(size.n_patterns):
            count += logit.counts[k + 1, g]
        for j in range(size.row):
            logit.coefficients[k * size.row + j] = 0.0
            logit.gradient[k * size.row + j] = 0.0
        logit.coefficients[k * size.row] = np.log(count / base)


@spliced_kernel()
def update_probabilities(logit: Logit, size: Size) -> None:
    """Compute probabilities p_gk and residuals n_gk - n_g p_gk at the coefficients."""
    b = logit.coefficients
    patterns = logit.columns.shape[1]
    ones = spread(1.0)
    n_cut = spread(0.0)
    for lane in range(0, size.n_patterns, LANES):
        # The odds of each class against the first one, and their sum.
        sums = ones
        for k in range(1, size.n_classes):
            first = (k - 1) * size.row
            # b_k' z_g of eight patterns; the design's first column is one.
            predictor = spread(b[first])
            for j in range(1, size.width):
                column = load(logit.columns, j * patterns + lane)
                predictor = fma(spread(b[first + j]), column, predictor)
            odds = exponential_of_eight(predictor)
            sums = add(sums, odds)
            store(logit.probability, k * patterns + lane, odds)
        # p_0g = 1 / sum of the odds; the other classes are their odds times that.
        inverse = divide(ones, sums)
        n_cut = add(n_cut, where_greater(sums, spread(LARGEST_ODDS), ones))
        store(logit.probability, lane, inverse)
        totals = load(logit.totals, lane)
        for k in range(1, size.n_classes):
            p = multiply(load(logit.probability, k * patterns + lane), inverse)
            store(logit.probability, k * patterns + lane, p)
            counts = load(logit.counts, k * patterns + lane)
            # n_gk - n_g p_gk, of which the gradient is a sum of products.
            residual = subtract(counts, multiply(totals, p))
            store(logit.residual, (k - 1) * patterns + lane, residual)
    # Odds that were cut somewhere: once more, with the largest predictor taken off.
    if total(n_cut) > 0.0:
        find_probabilities(
            b, logit.columns, logit.probability, size.n_patterns, size.n_classes, size.row
        )
        for k in range(1, size.n_classes):
            for g in range(size.n_patterns):
                expected = logit.totals[g] * logit.probability[k, g]
                logit.residual[k - 1, g] = logit.counts[k, g] - expected


@spliced_kernel()
def update_gradient(logit: Logit, size: Size) -> None:
    """Compute sum_g (n_gk - n_g p_gk) z_g less the penalty's part, from known residuals."""
    patterns = logit.columns.shape[1]
    for k in range(size.n_classes - 1):
        for j in range(size.width):
            logit.gradient[k * size.row + j] = inner(
                logit.residual, k * patterns, logit.columns, j * patterns, size.n_patterns
            )
    # The shift a of the penalty is the classes' mean, that of the first one being zero.
    share = 1.0 / size.n_classes if size.n_classes > 2 else 0.0
    for j in range(1, size.width):
        # Intercepts, j = 0, are not penalised.
        sums = 0.0
        for k in range(size.n_classes - 1):
            sums += logit.coefficients[k * size.row + j]
        for k in range(size.n_classes - 1):
            place = k * size.row + j
            logit.gradient[place] -= logit.coefficients[place] - share * sums


@inlined_kernel()
def sum_products(logit: Logit, size: Size, out: np.ndarray) -> None:
    """Write sum_g weight_g z_g z_g' to ``out`` (d, d + 8), for the weights in ``logit.weight``."""
    patterns = logit.columns.shape[1]
    for i in range(size.width):
        for lane in range(0, size.n_patterns, LANES):
            column = load(logit.columns, i * patterns + lane)
            store(logit.weighted, lane, multiply(load(logit.weight, lane), column))
        # The matrix is symmetric: one half is computed.
        for j in range(i + 1):
            sums = inner(logit.weighted, 0, logit.columns, j * patterns, size.n_patterns)
            out[i, j] = sums
            out[j, i] = sums
        for j in range(size.width, size.row):
            out[i, j] = 0.0
