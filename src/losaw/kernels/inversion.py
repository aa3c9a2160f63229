"""Inverse of symmetric positive matrices of a few dozen rows, by the sweep operator.

Rows are as long as :func:`padded_row` returns, and zero behind the matrix. With the inverse a
further right-hand side costs a single product. In the usual substitution, vectors would wait for
numbers that are stored one by one.
"""

import numpy as np

from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.vectors import LANES, fma, insert, load, multiply, spread, store


def padded(size: int) -> int:
    """Return ``size`` rounded up to whole vectors."""
    return -(-size // LANES) * LANES


def padded_row(size: int) -> int:
    """Return the length of a matrix row, with room to write a vector from any column on."""
    return padded(size + LANES)


@inlined_kernel()
def invert(matrix: np.ndarray, size: int, diagonal: np.ndarray) -> None:
    """Replace ``matrix[:size, :size]`` by its inverse; ``diagonal`` is workspace.

    A pivot below 1e-10 of its diagonal entry marks a row that depends on those before it: row and
    column become zero, as if they were absent.
    """
    stride = matrix.shape[1]
    end = -(-size // LANES) * LANES
    # The pivots are compared with the matrix as it was given.
    for j in range(size):
        diagonal[j] = matrix[j, j]
    for j in range(size):
        # Sweep on column j: the row by the pivot, then every other row less its multiple of it.
        pivot = matrix[j, j]
        if not pivot > 1e-10 * diagonal[j]:
            for i in range(size):
                matrix[i, j] = 0.0
                matrix[j, i] = 0.0
            continue
        # One division for the row; products are quicker.
        reciprocal = 1.0 / pivot
        home = j // LANES * LANES  # the vector with column j comes last: the others need it
        for block in range(end // LANES):
            lane = (home + LANES * (block + 1)) % end
            row = multiply(load(matrix, j * stride + lane), spread(reciprocal))
            if lane == home:
                # turns the entry a_ij, cancelled by a 1 here, into -a_ij / a_jj
                row = insert(row, j - home, 1.0 + reciprocal)
            for i in range(size):
                place = i * stride + lane
                store(matrix, place, fma(spread(-matrix[i, j]), row, load(matrix, place)))
            if lane == home:
                row = insert(row, j - home, reciprocal)
            store(matrix, j * stride + lane, row)


@inlined_kernel()
def product(matrix: np.ndarray, size: int, vector: np.ndarray, out: np.ndarray) -> None:
    """Write matrix @ vector to ``out``, for a symmetric matrix; ``out`` is as long as its rows."""
    stride = matrix.shape[1]
    for lane in range(0, size, LANES):
        # Eight entries of the product at a time: columns of the matrix times entries of the vector.
        total = spread(0.0)
        for i in range(size):
            total = fma(spread(vector[i]), load(matrix, i * stride + lane), total)
        store(out, lane, total)
