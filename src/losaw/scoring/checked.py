"""The mark on an importance function that names the check of its parameters."""

from collections.abc import Callable
from typing import Any, TypeVar

from losaw.scoring.importance_result import ImportanceResult

Function = TypeVar("Function", bound=Callable[..., ImportanceResult])


def checked_by(check: Callable[..., Any]) -> Callable[[Function], Function]:
    """Name the check of a function's parameters, so that a study file is checked when it is read.

    Parameters
    ----------
    check : callable
        Takes some of the function's parameters by name, and raises for those out of range.
    """

    def decorate(function: Function) -> Function:
        function.check = check  # type: ignore[attr-defined]
        return function

    return decorate
