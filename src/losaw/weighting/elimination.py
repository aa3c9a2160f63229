"""Symmetric positive linear systems of a few dozen unknowns, by elimination row by row.

A system of n unknowns stands in ``matrix[:n]``: the upper triangle in columns 0 to n - 1, the
right-hand side in column n; rows are as long as :func:`padded` says and hold finite numbers.
"""

import numpy as np

from losaw.weighting.compiled import compiled, inlined
from losaw.weighting.lanes import LANES, add_scaled, dot


def padded(size: int) -> int:
    """``size`` rounded up to whole vectors."""
    return -(-size // LANES) * LANES


@inlined()
def eliminate(matrix: np.ndarray, size: int, inverse: np.ndarray) -> None:
    """Gauss's elimination without exchanges, in place; ``inverse`` gets the inverse pivots.

    A pivot below 1e-10 of its diagonal entry marks a column that depends on those before it: its
    inverse is set to zero, which leaves its coefficient zero in :func:`substitute`.
    """
    stride = matrix.shape[1]
    end = (size // LANES + 1) * LANES
    for j in range(size):
        inverse[j] = matrix[j, j]
    for j in range(size):
        pivot = matrix[j, j]
        if not pivot > 1e-10 * inverse[j]:
            inverse[j] = 0.0
            continue
        inverse[j] = 1.0 / pivot
        for i in range(j + 1, size):
            scale = -matrix[j, i] * inverse[j]
            for lane in range(i // LANES * LANES, end, LANES):
                add_scaled(matrix, i * stride + lane, scale, matrix, j * stride + lane)


@inlined()
def substitute(matrix: np.ndarray, size: int, inverse: np.ndarray, solution: np.ndarray) -> None:
    """Solution of the system that :func:`eliminate` has brought to triangular form.

    ``solution`` is as long as a row of the matrix and zero from ``size`` on.
    """
    stride = matrix.shape[1]
    end = (size // LANES + 1) * LANES
    for j in range(end):
        solution[j] = 0.0
    for j in range(size - 1, -1, -1):
        value = matrix[j, size]
        for lane in range(j // LANES * LANES, end, LANES):
            value -= dot(matrix, j * stride + lane, solution, lane)
        solution[j] = value * inverse[j]


@compiled()
def eliminate_side(matrix: np.ndarray, size: int, inverse: np.ndarray, side: np.ndarray) -> None:
    """Put another right-hand side, destroyed here, into an eliminated system."""
    stride = matrix.shape[1]
    end = (size // LANES + 1) * LANES
    for j in range(size):
        value = side[j]
        for lane in range((j + 1) // LANES * LANES, end, LANES):
            add_scaled(side, lane, -value * inverse[j], matrix, j * stride + lane)
        matrix[j, size] = value
