"""Weights of a continuous feature: node regression, normal densities, cap (losaw, 2 and 3)."""

import numpy as np

from losaw.kernels.compiled import (
    REORDERED,
    compiled,
    exponential,
    inlined,
)
from losaw.kernels.inversion import invert, product
from losaw.kernels.vectors import LANES, add_two_scaled, dot


@compiled(fastmath=REORDERED)
def add_moments(
    rows: np.ndarray,
    start: int,
    end: int,
    pair: np.ndarray,
    design: np.ndarray,
    width: int,
    gram: np.ndarray,
) -> None:
    """gram[i, j] = sum over rows[start:end] of count * design[:, i] * design[:, j]."""
    padded = design.shape[1]
    gram[:width] = 0.0
    for i in range(start, end - 1, 2):
        row = rows[0, i]
        other = rows[0, i + 1]
        for k in range(width):
            first = pair[row, 0] * design[row, k]
            second = pair[other, 0] * design[other, k]
            for lane in range(0, padded, LANES):
                add_two_scaled(
                    gram,
                    k * padded + lane,
                    first,
                    second,
                    design,
                    row * padded + lane,
                    other * padded + lane,
                )
    if (end - start) % 2 == 1:
        row = rows[0, end - 1]
        for k in range(width):
            first = pair[row, 0] * design[row, k]
            for j in range(padded):
                gram[k, j] += first * design[row, j]


@inlined()
def regress(
    gram: np.ndarray,
    cross: np.ndarray,
    square: float,
    columns: np.ndarray,
    first: int,
    last: int,
    coefficients: np.ndarray,
    covariance: np.ndarray,
    diagonal: np.ndarray,
    side: np.ndarray,
    solution: np.ndarray,
) -> float:
    """Least squares of a target on design columns, from raw moments; residual variance.

    ``cross[j] = sum count * target * design[:, j]`` (column 0: ones), ``square`` the target's
    raw second moment. Fills ``coefficients`` over all design columns, intercept in column 0.
    sigma^2 = var(x) - b' cov(a, x): the residuals themselves are not needed. Returns -1 where
    the residual variance vanishes (fewer distinct rows than coefficients, a perfect fit).
    """
    n = gram[0, 0]
    mean = cross[0] / n
    variance = square / n - mean * mean
    size = last - first
    for i in range(size):
        column = columns[first + i]
        mean_i = gram[0, column] / n
        side[i] = cross[column] / n - mean * mean_i
        for j in range(i, size):
            other = columns[first + j]
            covariance[i, j] = gram[column, other] / n - mean_i * gram[0, other] / n
            covariance[j, i] = covariance[i, j]
        for j in range(size, -(-size // LANES) * LANES):
            covariance[i, j] = 0.0
    invert(covariance, size, diagonal)
    product(covariance, size, side, solution)
    residual = variance
    intercept = mean
    for i in range(size):
        column = columns[first + i]
        residual -= solution[i] * side[i]
        coefficients[column] = solution[i]
        intercept -= solution[i] * gram[0, column] / n
    coefficients[0] = intercept
    if not residual > 1e-8 * variance:
        return -1.0
    return residual


@inlined(fastmath=REORDERED)
def gaussian_weights(
    order: np.ndarray,
    position: int,
    start: int,
    end: int,
    design: np.ndarray,
    columns: np.ndarray,
    first: int,
    last: int,
    coefficients: np.ndarray,
    variance: float,
    z: np.ndarray,
    log_marginal: np.ndarray,
    tree_rows: np.ndarray,
    w: np.ndarray,
) -> None:
    """w = phi(z) / phi((z - b'a) / sigma), up to a factor, in sorted order.

    z is the target in units of the full training sample, so that its stabilising density is
    the standard normal; another one is looked up by training row. A noise feature is often
    adjusted for one other feature only: few columns are read one by one, many as whole rows.
    """
    padded = design.shape[1]
    half = 0.5 / variance
    few = 4 * (last - first) <= padded
    for i in range(end - start):
        row = order[position, start + i]
        residual = z[i]
        if few:
            residual -= coefficients[0]
            for j in range(first, last):
                residual -= coefficients[columns[j]] * design[row, columns[j]]
        else:
            for lane in range(0, padded, LANES):
                residual -= dot(coefficients, lane, design, row * padded + lane)
        w[i] = residual * residual * half - 0.5 * z[i] * z[i]
    if log_marginal.shape[0] > 0:
        for i in range(end - start):
            row = tree_rows[order[position, start + i]]
            w[i] += 0.5 * z[i] * z[i] + log_marginal[position, row]
    for i in range(end - start):
        w[i] = exponential(w[i])


@inlined(fastmath=REORDERED)
def apply_cap(
    w: np.ndarray, c: np.ndarray, cy: np.ndarray, size: int, cut: float, shift: float
) -> tuple:
    """Replace w by min(w, cut) + shift; sum of v c, v c y and v c y^2."""
    total = 0.0
    first = 0.0
    second = 0.0
    for i in range(size):
        v = min(w[i], cut) + shift
        w[i] = v
        total += v * c[i]
        first += v * cy[i]
        second += v * cy[i] * cy[i] / c[i]
    return total, first, second
