"""Checks of the options that a study file hands to a drawing."""

import math
import numbers
from collections.abc import Sequence
from typing import Any


class OptionError(ValueError):
    """An option whose value a drawing cannot use; says what it can."""


def whole_number(name: str, value: Any, minimum: int) -> int:
    """``value`` as an int of at least ``minimum``."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < minimum:
        raise OptionError(f"{name} must be a whole number of at least {minimum}, got {value!r}")
    return int(value)


def between(name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float in [low, high]."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or not low <= value <= high:
        raise OptionError(f"{name} must be a number between {low:g} and {high:g}, got {value!r}")
    return float(value)


def several(name: str, values: Any, count: int) -> Sequence[Any]:
    """``values`` as a list of ``count`` entries."""
    if not isinstance(values, list | tuple) or len(values) != count:
        raise OptionError(f"{name} must be a list of {count}, got {values!r}")
    return list(values)
