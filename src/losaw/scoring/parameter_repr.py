"""Methods that show their parameters."""

import inspect
from typing import Any


class Described:
    """A method whose parameters are attributes of their names, and stand in its repr."""

    def __repr__(self) -> str:
        names = inspect.signature(type(self)).parameters
        return described(type(self).__name__, **{name: getattr(self, name) for name in names})


def described(name: str, **parameters: Any) -> str:
    """``name(parameter=value, …)``; functions by their names."""
    shown = (f"{key}={_shown(value)}" for key, value in parameters.items())
    return f"{name}({', '.join(shown)})"


def _shown(value: Any) -> str:
    return value.__name__ if inspect.isroutine(value) else repr(value)
