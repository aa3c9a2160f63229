"""The name of a method with its parameters."""

import inspect
from typing import Any


def described(name: str, **parameters: Any) -> str:
    """``name(parameter=value, …)``; functions by their names."""
    shown = (f"{key}={_shown(value)}" for key, value in parameters.items())
    return f"{name}({', '.join(shown)})"


def _shown(value: Any) -> str:
    return value.__name__ if inspect.isroutine(value) else repr(value)
