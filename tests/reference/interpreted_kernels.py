"""The instructions of losaw.kernels in Python, so that changed kernels need not be compiled.

Where numba does not compile, a kernel runs as the Python function that it is written as; only its
instructions (vectors of eight doubles, the bits of a double) have to be said
again, in numpy. Loops take some hundred times as long, hence for tests of small forests only.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

LANES = 8
_EIGHT = np.arange(LANES)


def load(array: Any, start: int) -> Any:
    return array.reshape(-1)[int(start) : int(start) + LANES].copy()


def store(array: Any, start: int, value: Any) -> None:
    _flat(array)[int(start) : int(start) + LANES] = value


def spread(value: float) -> Any:
    return np.full(LANES, value)


def insert(a: Any, lane: int, value: float) -> Any:
    return np.where(lane == _EIGHT, value, a)


def fma(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def add_where(a: Any, value: Any, codes: Any, start: int, code: int) -> Any:
    return np.where(load(codes, start) == code % 256, a + value, a)


def where_greater(a: Any, b: Any, value: Any) -> Any:
    return np.where(a > b, value, 0.0)


def power_of_two(exponent_bits: Any) -> Any:
    return ((exponent_bits.view(np.int64) + 1023) << 52).view(np.float64)


def add_two_scaled(
    target: Any, at: int, s: float, t: float, source: Any, first: int, second: int
) -> None:
    store(target, at, load(target, at) + s * load(source, first) + t * load(source, second))


def dot(a: Any, a_start: int, b: Any, b_start: int) -> float:
    return float(load(a, a_start) @ load(b, b_start))


def _flat(array: Any) -> Any:
    flat = array.reshape(-1)
    assert np.shares_memory(flat, array)
    return flat


def _bits(value: float) -> Any:
    return np.float64(value).view(np.int64)


def _double(bits: Any) -> float:
    return float(bits.view(np.float64))


def _instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    return {"_bits": _bits, "_double": _double}[function.__name__]


def interpret() -> None:
    """From here on, what is imported of losaw is not compiled."""
    import numba

    numba.config.DISABLE_JIT = True
    np.seterr(over="ignore", divide="ignore", invalid="ignore")
    vectors: Any = ModuleType("losaw.kernels.vectors")
    for function in (
        *(load, store, spread, insert, fma, add_where, where_greater),
        *(power_of_two, add_two_scaled, dot, np.add, np.subtract, np.multiply, np.divide),
    ):
        setattr(vectors, function.__name__, function)
    vectors.LANES, vectors.instruction = LANES, _instruction
    vectors.clip, vectors.total = np.clip, np.sum
    sys.modules[vectors.__name__] = vectors
