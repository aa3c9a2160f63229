"""Checks of single arguments; each names the argument, its value and what is allowed."""

import math
import numbers
from collections.abc import Iterable
from typing import Any

from losaw.words import unknown


class ArgumentTypeError(TypeError, ValueError):
    """An argument of a wrong type: a TypeError for Python, a ValueError for who checks values."""


def whole_number(name: str, value: Any, minimum: int, why: str = "") -> int:
    """``value`` as an int of at least ``minimum``.

    Raises
    ------
    ArgumentTypeError
        If it is no integer; a bool is none.
    ValueError
        If it is smaller.
    """
    integral = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integral or value < minimum:
        reason = f": {why}" if why else ""
        error = ValueError if integral else ArgumentTypeError
        raise error(f"{name} must be an integer of at least {minimum}, got {value!r}{reason}")
    return int(value)


def real_number(
    name: str, value: Any, minimum: float = -math.inf, maximum: float = math.inf
) -> float:
    """``value`` as a finite float in [``minimum``, ``maximum``].

    Raises
    ------
    ArgumentTypeError
        If it is no number; a bool is none.
    ValueError
        If it is not finite or out of range.
    """
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not minimum <= value <= maximum:
        error = ValueError if real else ArgumentTypeError
        raise error(f"{name} must be {_number_in(minimum, maximum)}, got {value!r}")
    return float(value)


def _number_in(minimum: float, maximum: float) -> str:
    if maximum < math.inf:
        return f"a number in [{minimum:g}, {maximum:g}]"
    return "a finite number" + ("" if minimum == -math.inf else f" of at least {minimum:g}")


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """``value`` if it is among ``allowed``, or an error with the nearest match."""
    allowed = list(allowed)
    if value not in allowed:
        raise ValueError(unknown(name, value, allowed))
    return str(value)
