"""The decorators of kernels, and the exponential that all kernels share."""

import inspect
from functools import partial
from threading import Lock
from typing import Any

from llvmlite import ir
from numba import config, njit, types

import losaw.kernels.compiling  # noqa: F401 - it listens from the first kernel on
from losaw.kernels.machine_code import writable_folder
from losaw.kernels.vectors import (
    clip,
    fma,
    instruction,
    multiply,
    power_of_two,
    spread,
    subtract,
)

_SETTINGS: Any = config  # numba's types do not list them
_JIT: Any = njit
_DECORATING = Lock()


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function at its first call, and store the machine code.

    The code is stored in a folder named by all sources that it depends on
    (:mod:`losaw.kernels.machine_code`), or not at all where nothing can be written.

    Parameters
    ----------
    function : callable
    **options
        Options of ``numba.njit`` that differ from these: ``error_model="numpy"``, since a division
        that tests for zero cannot be vectorised; ``_nrt=False``, no reference counting of arrays
        (it took 70 % of a fit), hence no allocation inside a kernel, whose callers hand over the
        workspace.
    """
    if function is None:
        return partial(kernel, **options)
    options = {"nogil": True, "error_model": "numpy", "_nrt": False} | options
    with _DECORATING:  # the folder is a setting of the process, which other packages read too
        given = _SETTINGS.CACHE_DIR
        folder = writable_folder(inspect.getfile(function), given)
        _SETTINGS.CACHE_DIR = str(folder or given)
        try:
            return _JIT(function, cache=folder is not None, **options)
        finally:
            _SETTINGS.CACHE_DIR = given


# For kernels that only other kernels call. Python could not call them: it would need a wrapper that
# unpacks a hundred arrays, which took four times as long to compile as the kernels themselves.
inner_kernel = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# The same, merged into the caller: arrays are passed by value, seven numbers each, and a tree's
# workspace has a hundred (passing them took a third of a fit on discrete data).
inlined_kernel = partial(inner_kernel, forceinline=True)

# For kernels that make arrays of their own. References are counted, and a division by zero raises.
allocating_kernel = partial(kernel, error_model="python", _nrt=True)

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
    """Return the 64 bits of a double as an integer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@instruction
def _double(typingctx: Any, bits: Any) -> Any:
    """Return the double that 64 bits represent."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@inlined_kernel(fastmath={"contract"})
def exponential(x: float) -> float:
    """Return exp(x) without branches or calls, so that a loop over it is vectorised.

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


@inlined_kernel()
def exponential_of_eight(x: Any) -> Any:
    """Return :func:`exponential` of eight numbers in a register."""
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
