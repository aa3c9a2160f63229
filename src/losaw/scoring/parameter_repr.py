"""The name of a method with its parameters."""

import inspect
from typing import Any


def described(name: str, **parameters: Any) -> str:
    """Return ``name(parameter=value, …)``; functions by their names, folds by their number."""
    shown = (f"{key}={_shown(key, value)}" for key, value in parameters.items())
    return f"{name}({', '.join(shown)})"


def _shown(key: str, value: Any) -> str:
    if key == "cv" and isinstance(value, list | tuple):  # row numbers of every fold
        return f"{len(value)} folds"
    return value.__name__ if inspect.isroutine(value) else repr(value)
