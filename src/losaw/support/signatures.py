"""Run-time checks of arguments against type annotations.

They are made by the functions of :mod:`losaw.importance`, and when a registered name is created
with parameters of a study file. An error that the callable raises itself takes precedence. Ranges
are checked by the callable; here a sequence is distinguished from a number.
"""

import collections.abc
import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable, Mapping, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.support.arguments import ArgumentTypeError, as_floats


@typing.runtime_checkable
class Fittable(typing.Protocol):
    """Something that is fitted, as scikit-learn's estimators are."""

    def fit(self, *arguments: Any) -> Any: ...


# Kinds of values that are checked, in words; values of any other annotation pass.
_WORDS: dict[Any, str] = {
    Fittable: "a scikit-learn estimator",
    type(None): "None",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "True or False",
    collections.abc.Sequence: "a sequence",
    collections.abc.Mapping: "a dict",
    collections.abc.Callable: "a function",
}


def checked(function: Callable[..., Any], where: str) -> Callable[..., Any]:
    """Wrap ``function``, public in module ``where``, to refuse values of other types."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        given = signature.bind(*arguments, **options).arguments
        for name, value in given.items():
            hint = signature.parameters[name].annotation
            # The function checks numbers with their ranges, and knows the nearest name.
            if _has_parts(hint) and not (isinstance(value, str) and _names_some(hint)):
                _check(name, value, hint)
        return function(*arguments, **options)

    call.__module__ = where  # where pickle finds it
    return call


def made(taker: Callable[..., Any], given: Mapping[str, Any], **rest: Any) -> Any:
    """Call ``taker`` with the given values and check them; its own errors take precedence."""
    try:
        found = taker(**{**rest, **given})
    except (TypeError, ValueError) as error:
        if not any(name in str(error) for name in given):
            check_arguments(taker, given)
        raise
    check_arguments(taker, given)
    return found


def check_arguments(taker: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise an error for the first value that the taker's signature does not allow.

    Raises
    ------
    ArgumentTypeError
        With the argument's name, its value and what is allowed.
    ValueError
        For numbers that are complex or beyond doubles.
    """
    for name, parameter in inspect.signature(taker).parameters.items():
        if name in given and parameter.annotation is not parameter.empty:
            _check(name, given[name], parameter.annotation)


def _check(name: str, value: Any, hint: Any) -> None:
    if hint == ArrayLike:
        _check_numbers(name, value)
    elif not any(_fits(value, each) for each in _alternatives(hint)):
        words = dict.fromkeys(map(_shown, _alternatives(hint)))
        raise ArgumentTypeError(f"{name} must be {' or '.join(words)}, got {value!r}")


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union; an annotation that is none is its only member."""
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    return typing.get_args(hint) if is_union else (hint,)


def _kind(hint: Any) -> Any:
    return typing.get_origin(hint) or hint


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of an annotation's type; True for annotations not listed."""
    kind = _kind(hint)
    if kind is typing.Literal:
        return isinstance(value, str) and value in typing.get_args(hint)
    if kind in (int, float):
        number = numbers.Integral if kind is int else numbers.Real
        return isinstance(value, number) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, bool | np.bool_ | numbers.Integral)
    if kind is collections.abc.Sequence:  # arrays and indices, too
        return isinstance(value, Sized) and hasattr(value, "__getitem__")
    if kind in (type(None), None):
        return value is None
    return not isinstance(kind, type) or kind not in _WORDS or isinstance(value, kind)


def _has_parts(hint: Any) -> bool:
    """Return whether an annotation allows anything but numbers, strings and None."""
    single = (int, float, bool, str, type(None), None, typing.Literal)
    return any(_kind(each) not in single for each in _alternatives(hint))


def _names_some(hint: Any) -> bool:
    """Return whether an annotation lists names that are allowed."""
    return any(_kind(each) is typing.Literal for each in _alternatives(hint))


def _shown(hint: Any) -> str:
    kind = _kind(hint)
    if kind is typing.Literal:
        return " or ".join(map(repr, typing.get_args(hint)))
    if kind is collections.abc.Sequence and typing.get_args(hint) == (str,):
        return "a sequence of strings"
    return _WORDS.get(kind, getattr(kind, "__name__", str(kind)))


def _check_numbers(name: str, values: Any) -> None:
    """Refuse values that numpy reads as complex numbers, or that are too large for doubles."""
    if values is None:
        raise ArgumentTypeError(f"{name} must be an array or a data frame, got None")
    if not isinstance(values, np.ndarray | list | tuple):
        return  # frames are checked column by column elsewhere, sparse matrices refused
    array = np.asarray(values)
    objects = array.ravel() if array.dtype == object else ()
    if array.dtype.kind == "c" or any(
        isinstance(v, int) and v.bit_length() > 1023 for v in objects
    ):
        as_floats(name, array)
