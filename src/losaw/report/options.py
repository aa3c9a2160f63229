"""Checks of the options that a study file hands to a drawing."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from losaw.support import arguments
from losaw.support.words import unknown

Checked = TypeVar("Checked")


class OptionError(ValueError):
    """An option whose value a drawing cannot use; the message lists the allowed ones."""


def whole_number(name: str, value: Any, minimum: int) -> int:
    """``value`` as an int of at least ``minimum``."""
    return _option(lambda: arguments.whole_number(name, value, minimum))


def between(name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float in [low, high]."""
    return _option(lambda: arguments.real_number(name, value, low, high))


def check_names(
    option: str, names: Iterable[str], known: Collection[str], kind: str | None = None
) -> None:
    """Refuse a name that a study does not have; ``kind`` says what the name is of."""
    for name in names:
        if name not in known:
            message = unknown(kind or option.removesuffix("s"), name, list(known))
            raise OptionError(f"{option}: {message}")


def several(name: str, values: Any, count: int) -> Sequence[Any]:
    """``values`` as a list of ``count`` entries."""
    if not isinstance(values, list | tuple) or len(values) != count:
        raise OptionError(f"{name} must be a list of {count}, got {values!r}")
    return list(values)


def _option(check: Callable[[], Checked]) -> Checked:
    """Return ``check``'s value; an option that it refuses becomes an error with file and line."""
    try:
        return check()
    except ValueError as error:
        raise OptionError(str(error)) from None
