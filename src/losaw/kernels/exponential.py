"""The exponential that all kernels share, of one number and of eight."""

from typing import Any

from llvmlite import ir
from numba import types

from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.vectors import clip, fma, multiply, on_values, power_of_two, spread, subtract

# Beyond this the exponential is cut. A weight of e^150 is capped whatever its size, and its
# square can still be summed.
LARGEST_EXPONENT = 150.0

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the rounded integer in the low bits


@on_values(types.float64, types.float64)
def _power_of_two(builder: Any, exponent_bits: Any) -> Any:
    """Return 2^n for a double whose low bits are the integer n."""
    # A double with exponent bits n + 1023 and nothing else is 2^n.
    integer = ir.IntType(64)
    exponent = builder.add(builder.bitcast(exponent_bits, integer), ir.Constant(integer, 1023))
    return builder.bitcast(builder.shl(exponent, ir.Constant(integer, 52)), ir.DoubleType())


@inlined_kernel(fastmath={"contract"})
def exponential(x: float) -> float:
    """Return exp(x) without branches or calls, so that a loop over it is vectorised.

    x is clipped to [-150, 150]. Range reduction x = n ln 2 + r, |r| <= ln(2)/2, and the Taylor
    polynomial of degree 12: relative error below 1e-15.
    """
    x = min(max(x, -LARGEST_EXPONENT), LARGEST_EXPONENT)
    # n is x / ln 2 rounded to an integer; r is what is left, ln 2 in two parts for its last digits.
    shifted = x * _LOG2_E + _ROUND
    n = shifted - _ROUND
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    # Horner's rule: the coefficients are 1 / k!, from k = 12 down.
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
    return p * _power_of_two(shifted)


@inlined_kernel()
def exponential_of_eight(x: Any) -> Any:
    """Return :func:`exponential` of eight numbers in a register."""
    # The steps of ``exponential``, on eight lanes.
    x = clip(x, -LARGEST_EXPONENT, LARGEST_EXPONENT)
    shifted = fma(x, spread(_LOG2_E), spread(_ROUND))
    n = subtract(shifted, spread(_ROUND))
    r = fma(n, spread(-_LN2_LOW), fma(n, spread(-_LN2_HIGH), x))
    p = spread(1.0 / 479001600.0)
    p = fma(p, r, spread(1.0 / 39916800.0))
    p = fma(p, r, spread(1.0 / 3628800.0))
    p = fma(p, r, spread(1.0 / 362880.0))
    p = fma(p, r, spread(1.0 / 40320.0))
    p = fma(p, r, spread(1.0 / 5040.0))
    p = fma(p, r, spread(1.0 / 720.0))
    p = fma(p, r, spread(1.0 / 120.0))
    p = fma(p, r, spread(1.0 / 24.0))
    p = fma(p, r, spread(1.0 / 6.0))
    p = fma(p, r, spread(0.5))
    p = fma(p, r, spread(1.0))
    p = fma(p, r, spread(1.0))
    return multiply(p, power_of_two(shifted))
