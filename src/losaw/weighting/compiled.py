"""How kernels are compiled, and the two numerical primitives that all of them share.

numba checks only a function's own file when it decides whether its cache is fresh: after an
edit of a kernel that others call, delete the ``__pycache__`` folders of the callers.
"""

from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types

from losaw.weighting.lanes import instruction

# error_model="numpy": a division needs no test for zero, which would stop vectorisation.
# _nrt=False: no reference counting of arrays (it took 70 % of a fit), hence no allocation inside
# a kernel: callers hand over the workspace.
compiled = partial(njit, cache=True, nogil=True, error_model="numpy", _nrt=False)

# Sums may be reordered (and so vectorised); NaN and infinities keep their meaning.
REORDERED = {"reassoc", "contract", "nsz"}

# Beyond this the exponential is cut. A weight of e^150 is capped whatever its size, and its
# square can still be summed.
LARGEST_EXPONENT = 150.0

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the rounded integer in the low bits


@instruction
def _bits(typingctx: Any, value: Any) -> Any:
    """The 64 bits of a double as an integer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@instruction
def _double(typingctx: Any, bits: Any) -> Any:
    """The double that 64 bits stand for."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@compiled(fastmath={"contract"})
def exponential(x: float) -> float:
    """exp(x) without branches or calls, so that a loop over it is vectorised.

    x is clipped to [-150, 150]. Range reduction x = n ln 2 + r, |r| <= ln(2)/2, and the Taylor
    polynomial of degree 12: relative error below 1e-15.
    """
    x = min(max(x, -LARGEST_EXPONENT), LARGEST_EXPONENT)
    shifted = x * _LOG2_E + _ROUND
    n = shifted - _ROUND
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    p = 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * _double((_bits(shifted) + 1023) << 52)


@compiled()
def factorize(matrix: np.ndarray, size: int) -> int:
    """Cholesky factor of ``matrix[:size, :size]``, in place, lower triangle; returns the rank.

    The diagonal holds reciprocals, so that solving needs no division. A pivot below 1e-10 of its
    diagonal entry marks a column that depends on those before it: its row and column are set to
    zero, which leaves its coefficient zero in ``solve_factorized``.
    """
    rank = 0
    for j in range(size):
        diagonal = matrix[j, j]
        pivot = diagonal
        for k in range(j):
            pivot -= matrix[j, k] * matrix[j, k]
        if pivot <= 1e-10 * diagonal or not pivot > 0.0:
            for k in range(j + 1):
                matrix[j, k] = 0.0
            for i in range(j + 1, size):
                matrix[i, j] = 0.0
            continue
        rank += 1
        inverse = 1.0 / np.sqrt(pivot)
        matrix[j, j] = inverse
        for i in range(j + 1, size):
            value = matrix[i, j]
            for k in range(j):
                value -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = value * inverse
    return rank


@compiled()
def solve_factorized(factor: np.ndarray, size: int, vector: np.ndarray) -> None:
    """Solve ``L L' b = vector`` in place, with the factor of :func:`factorize`."""
    for i in range(size):
        value = vector[i]
        for k in range(i):
            value -= factor[i, k] * vector[k]
        vector[i] = value * factor[i, i]
    for j in range(size):
        i = size - 1 - j
        value = vector[i]
        for k in range(i + 1, size):
            value -= factor[k, i] * vector[k]
        vector[i] = value * factor[i, i]
