"""Splits on a continuous feature: weights and scan in the feature's sorted order.

Algorithm 9.3 of losaw in terms of sums: with W_L, T_L the weight and the weighted response on
the left, W, T those of the node and m = T / W,

    Delta_w = (T_L - m W_L)^2 / (W_L (W - W_L)),

which is Lemma 9.2 (its minus sign is a misprint) after centring; candidates are compared by
cross-multiplication, without a division.
"""

import numpy as np

from losaw.weighting.compiled import (
    REORDERED,
    compiled,
    exponential,
    factorize,
    solve_factorized,
)
from losaw.weighting.lanes import LANES, add_two_scaled, dot


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


@compiled()
def regress(
    gram: np.ndarray,
    cross: np.ndarray,
    square: float,
    columns: np.ndarray,
    first: int,
    last: int,
    coefficients: np.ndarray,
    matrix: np.ndarray,
    vector: np.ndarray,
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
        vector[i] = cross[column] / n - mean * mean_i
        for j in range(i + 1):
            other = columns[first + j]
            matrix[i, j] = gram[column, other] / n - mean_i * gram[0, other] / n
    for i in range(size):
        coefficients[columns[first + i]] = vector[i]
    factorize(matrix, size)
    solve_factorized(matrix, size, vector)
    residual = variance
    intercept = mean
    for i in range(size):
        column = columns[first + i]
        residual -= vector[i] * coefficients[column]
        coefficients[column] = vector[i]
        intercept -= vector[i] * gram[0, column] / n
    coefficients[0] = intercept
    if not residual > 1e-8 * variance:
        return -1.0
    return residual


@compiled(fastmath=REORDERED)
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
    w: np.ndarray,
) -> None:
    """w = phi(z) / phi((z - b'a) / sigma), up to a factor, in sorted order.

    z is the target in units of the full training sample, so that its stabilising density is
    the standard normal. A noise feature is often adjusted for one other feature only: few columns
    are read one by one, many as whole rows.
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
    for i in range(end - start):
        w[i] = exponential(w[i])


@compiled(fastmath=REORDERED)
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


@compiled()
def scan_weighted(
    w: np.ndarray,
    c: np.ndarray,
    cy: np.ndarray,
    size: int,
    total: float,
    mean: float,
    min_leaf: float,
    sorted_values: np.ndarray,
    has_ties: bool,
) -> tuple:
    """Best split of rows in sorted order: (Delta_w, rows on the left), or (0, 0).

    The order is walked from both ends towards the middle: a sum waits for the sum before it, and
    two walks wait side by side. T_L - m W_L and T_R - m W_R differ in sign only.
    """
    count = 0.0
    first = 0
    while first < size and count + c[first] < min_leaf:
        count += c[first]
        first += 1
    count = 0.0
    last = size - 1
    while last > 0 and count + c[last] < min_leaf:
        count += c[last]
        last -= 1
    best_numerator = 0.0
    best_denominator = 1.0
    best = 0
    left_weight, left_response = 0.0, 0.0
    for i in range(min(first, size)):
        left_weight += w[i] * c[i]
        left_response += w[i] * cy[i]
    right_weight, right_response = 0.0, 0.0
    for i in range(last + 1, size):
        right_weight += w[i] * c[i]
        right_response += w[i] * cy[i]
    for step in range((last - first + 1) // 2):
        i = first + step
        left_weight += w[i] * c[i]
        left_response += w[i] * cy[i]
        difference = left_response - mean * left_weight
        numerator = difference * difference
        denominator = left_weight * (total - left_weight)
        if numerator * best_denominator > best_numerator * denominator and (
            not has_ties or sorted_values[i] < sorted_values[i + 1]
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i + 1
        i = last - step
        right_weight += w[i] * c[i]
        right_response += w[i] * cy[i]
        difference = right_response - mean * right_weight
        numerator = difference * difference
        denominator = right_weight * (total - right_weight)
        if numerator * best_denominator > best_numerator * denominator and (
            not has_ties or sorted_values[i - 1] < sorted_values[i]
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i
    return best_numerator / best_denominator, best


@compiled()
def scan_uniform(
    order: np.ndarray,
    position: int,
    start: int,
    end: int,
    pair: np.ndarray,
    total: float,
    mean: float,
    min_leaf: float,
    values: np.ndarray,
    tree_rows: np.ndarray,
    has_ties: bool,
) -> tuple:
    """:func:`scan_weighted` with weight one for every row, read through the sorted order."""
    count = 0.0
    first = start
    while first < end:
        count += pair[order[position, first], 0]
        if count >= min_leaf:
            break
        first += 1
    count = 0.0
    last = end - 1
    while last > start:
        count += pair[order[position, last], 0]
        if count >= min_leaf:
            break
        last -= 1
    best_numerator = 0.0
    best_denominator = 1.0
    best = start
    left_weight, left_response = 0.0, 0.0
    for i in range(start, min(first, end)):
        row = order[position, i]
        left_weight += pair[row, 0]
        left_response += pair[row, 1]
    right_weight, right_response = 0.0, 0.0
    for i in range(last + 1, end):
        row = order[position, i]
        right_weight += pair[row, 0]
        right_response += pair[row, 1]
    for step in range((last - first + 1) // 2):
        i = first + step
        row = order[position, i]
        left_weight += pair[row, 0]
        left_response += pair[row, 1]
        difference = left_response - mean * left_weight
        numerator = difference * difference
        denominator = left_weight * (total - left_weight)
        if numerator * best_denominator > best_numerator * denominator and (
            not has_ties
            or values[position, tree_rows[row]]
            < values[position, tree_rows[order[position, i + 1]]]
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i + 1
        i = last - step
        row = order[position, i]
        right_weight += pair[row, 0]
        right_response += pair[row, 1]
        difference = right_response - mean * right_weight
        numerator = difference * difference
        denominator = right_weight * (total - right_weight)
        if numerator * best_denominator > best_numerator * denominator and (
            not has_ties
            or values[position, tree_rows[order[position, i - 1]]]
            < values[position, tree_rows[row]]
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i
    return best_numerator / best_denominator, best - start
