"""Weights of a continuous feature: node regression, normal densities, cap (losaw, 2 and 3).

The weight of a row is P(x) / P(x | a) (Definition 2.1). In the node, x given its adjustment
features a is normal around the least squares prediction; on the full training sample x is normal.
"""

import numpy as np

from losaw.forest.growing.arrays import Candidate, Grower, Node
from losaw.kernels.compiled import REORDERED, inlined_kernel, inner_kernel, spliced_kernel
from losaw.kernels.exponential import exponential
from losaw.kernels.inversion import invert, product
from losaw.kernels.vectors import LANES, fma, load, multiply, spread, store, total


@inner_kernel(fastmath=REORDERED)
def add_moments(
    rows: np.ndarray,
    start: int,
    end: int,
    pair: np.ndarray,
    design: np.ndarray,
    width: int,
    gram: np.ndarray,
) -> None:
    """Compute gram[i, j], the sum over rows[start:end] of count design[:, i] design[:, j]."""
    # The matrix of raw second moments; its first row and column are those of the ones: sums of c a.
    padded = design.shape[1]
    gram[:width] = 0.0
    # Two rows at a time: every entry of the matrix is read and written half as often.
    for i in range(start, end - 1, 2):
        row = rows[0, i]
        other = rows[0, i + 1]
        # Column k of the design times c, times all columns at a time.
        for k in range(width):
            first = pair[row, 0] * design[row, k]
            second = pair[other, 0] * design[other, k]
            for lane in range(0, padded, LANES):
                place = k * padded + lane
                sums = fma(spread(first), load(design, row * padded + lane), load(gram, place))
                sums = fma(spread(second), load(design, other * padded + lane), sums)
                store(gram, place, sums)
    # The last row of an odd number has no partner.
    if (end - start) % 2 == 1:
        row = rows[0, end - 1]
        for k in range(width):
            first = pair[row, 0] * design[row, k]
            for j in range(padded):
                gram[k, j] += first * design[row, j]


@spliced_kernel()
def gaussian_weights(grower: Grower, node: Node, candidate: Candidate) -> bool:
    """Compute weights of the node's rows before the cap into ``work.w``; whether there are any.

    There are none where the regression leaves no residual: a density would be a point mass.
    """
    data, work, feature = grower.data, grower.work, candidate.feature
    # Sums of the target, the regression x = b_0 + b'a + e, and the ratio of the two densities.
    square = _target_moments(grower, node, candidate)
    # sigma^2 of P(x | a), -1 where there is no density.
    variance = _regress(grower, node, feature, square)
    if variance > 0.0:
        _density_ratios(grower, node, candidate, variance)
    # The dot products of the next target run over all design columns: the others are zero.
    work.coefficients[0] = 0.0
    for j in range(data.columns_start[feature], data.columns_start[feature + 1]):
        work.coefficients[data.columns[j]] = 0.0
    return variance > 0.0


@inlined_kernel()
def _target_moments(grower: Grower, node: Node, candidate: Candidate) -> float:
    """Write the target z, c and c y in sorted order, and sums of c z a to ``work.cross``.

    Returns sum c z^2. A target that is itself a column of the design has its sums in the node's
    matrix of moments already; of another one only the sums with its adjustment features are made.
    """
    # z = (x - mean) / sd by mean and deviation of the training sample, not of the node: the
    # stabilising density is that sample's.
    data, sample, work = grower.data, grower.sample, grower.work
    feature, p = candidate.feature, candidate.p
    order = sample.order
    start = node.start
    n = node.end - start
    column = data.design_column[feature]
    first_column = data.columns_start[feature]
    last_column = data.columns_start[feature + 1]
    # cross = sum c z a over the node's rows, square = sum c z^2.
    cross = work.cross
    # Column ``column`` of the node's matrix of moments is all that a column of the design needs.
    if column >= 0:
        for j in range(data.design_width):
            cross[j] = work.gram[node.slot, column, j]
        # sum c z^2, on the diagonal.
        square = work.gram[node.slot, column, column]
        for i in range(n):
            row = order[p, start + i]
            work.z[i] = sample.design[row, column]
            work.c[i] = sample.pair[row, 0]
            work.cy[i] = sample.pair[row, 1]
        return square
    # Another target's sums are made row by row.
    square = 0.0
    cross[0] = 0.0
    for j in range(first_column, last_column):
        cross[data.columns[j]] = 0.0
    for i in range(n):
        row = order[p, start + i]
        # Such a target adjusts no other feature, so that it is no column of the design.
        z = (data.values[p, sample.tree_rows[row]] - data.location[p]) / data.scale[p]
        c = sample.pair[row, 0]
        work.z[i] = z
        work.c[i] = c
        work.cy[i] = sample.pair[row, 1]
        square += c * z * z
        cross[0] += c * z
        for j in range(first_column, last_column):
            cross[data.columns[j]] += c * z * sample.design[row, data.columns[j]]
    return square


@inlined_kernel()
def _regress(grower: Grower, node: Node, feature: int, square: float) -> float:
    """Fit a target on its adjustment features by least squares; the residual variance.

    ``work.cross[j] = sum count * target * design[:, j]`` (column 0: ones), ``square`` the target's
    raw second moment. Fills ``work.coefficients`` over all design columns, intercept in column 0.
    Returns -1 where the residual variance vanishes (fewer distinct rows than coefficients, a
    perfect fit).
    """
    data, work = grower.data, grower.work
    gram = work.gram[node.slot]
    first = data.columns_start[feature]
    size = data.columns_start[feature + 1] - first
    # Centring the moments takes the intercept out: E[a a'] - E[a] E[a]' and E[a x] - E[a] E[x].
    n = gram[0, 0]  # the sum of c: N_k
    mean = work.cross[0] / n
    variance = square / n - mean * mean
    for i in range(size):
        column = data.columns[first + i]
        # E[a_i]; row 0 of the matrix has the sums of c a.
        mean_i = gram[0, column] / n
        work.side[i] = work.cross[column] / n - mean * mean_i
        for j in range(i, size):
            other = data.columns[first + j]
            work.covariance[i, j] = gram[column, other] / n - mean_i * gram[0, other] / n
            work.covariance[j, i] = work.covariance[i, j]
        # The inverse reads whole vectors: what fills them up must be zero.
        for j in range(size, -(-size // LANES) * LANES):
            work.covariance[i, j] = 0.0
    # b = cov(a, a)^-1 cov(a, x).
    invert(work.covariance, size, work.diagonal)
    product(work.covariance, size, work.side, work.solution)
    # sigma^2 = var(x) - b' cov(a, x): the residuals themselves are not needed.
    residual = variance
    # b_0 = E[x] - b' E[a].
    intercept = mean
    for i in range(size):
        column = data.columns[first + i]
        residual -= work.solution[i] * work.side[i]
        work.coefficients[column] = work.solution[i]
        intercept -= work.solution[i] * gram[0, column] / n
    work.coefficients[0] = intercept
    # A residual variance that is rounding only: x follows from a, and there is no density.
    if not residual > 1e-8 * variance:
        return -1.0
    return residual


@inlined_kernel(fastmath=REORDERED)
def _density_ratios(grower: Grower, node: Node, candidate: Candidate, variance: float) -> None:
    """Compute w = phi(z) / phi((z - b'a) / sigma), up to a factor, in sorted order.

    z is the target in units of the full training sample, so that its stabilising density is
    the standard normal.
    """
    data, sample, work = grower.data, grower.sample, grower.work
    feature, p = candidate.feature, candidate.p
    order = sample.order
    start = node.start
    n = node.end - start
    design = sample.design
    first = data.columns_start[feature]
    last = data.columns_start[feature + 1]
    padded = design.shape[1]
    # log w = r^2 / (2 sigma^2) - z^2 / 2 + const, with r the residual of the node regression.
    half = 0.5 / variance
    # A noise feature is often adjusted for one other feature only: few columns are read one by
    # one, many as whole rows.
    few = 4 * (last - first) <= padded
    for i in range(n):
        row = order[p, start + i]
        residual = work.z[i]
        if few:
            residual -= work.coefficients[0]
            for j in range(first, last):
                residual -= work.coefficients[data.columns[j]] * design[row, data.columns[j]]
        else:
            for lane in range(0, padded, LANES):
                values = load(design, row * padded + lane)
                residual -= total(multiply(load(work.coefficients, lane), values))
        # Without the constant: Algorithm 3.2 and Delta_w^rel take weights up to a factor.
        work.w[i] = residual * residual * half - 0.5 * work.z[i] * work.z[i]
    # The exponential in a loop of its own, which is then vectorised.
    for i in range(n):
        work.w[i] = exponential(work.w[i])


@inlined_kernel()
def relative_size(w: np.ndarray, c: np.ndarray, size: int, count: float) -> float:
    """Return the relative effective sample size (sum c w)^2 / (N sum c w^2) (Definition 3.1)."""
    # (sum c w)^2 and sum c w^2, c being the multiplicity of a row.
    total = 0.0
    squares = 0.0
    for i in range(size):
        total += c[i] * w[i]
        squares += c[i] * w[i] * w[i]
    # N is the number of draws, so that copies of a row count as the paper's rows do.
    return total * total / (squares * count)


@inlined_kernel(fastmath=REORDERED)
def apply_cap(
    w: np.ndarray, c: np.ndarray, cy: np.ndarray, size: int, cap: float, shift: float
) -> tuple:
    """Replace w by v = min(w, cap) + shift (Algorithm 9.7); return sums of v c, v c y, v c y^2."""
    total = 0.0
    first = 0.0
    second = 0.0
    for i in range(size):
        # What was cut is given back in equal shares, so that the sum of the weights stays.
        v = min(w[i], cap) + shift
        w[i] = v
        total += v * c[i]
        first += v * cy[i]
        second += v * cy[i] * cy[i] / c[i]
    return total, first, second
