"""Values are checked against a signature, whatever sort of callable has it."""

from dataclasses import dataclass

import pytest

from losaw.support.arguments import ArgumentTypeError
from losaw.support.signatures import check_arguments


@dataclass
class Scale:
    """Equal by value, hence without a hash."""

    factor: float

    def __call__(self, values: list[float], name: str = "x") -> list[float]:
        return [self.factor * value for value in values]


def scale(values: list[float], factor: float = 1.0) -> list[float]:
    return [factor * value for value in values]


def test_a_taker_without_a_hash_is_read_as_any_other():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Scale(2.0))
    check_arguments(Scale(2.0), {"name": "y"})
    with pytest.raises(ArgumentTypeError, match="name must be a string, got 3"):
        check_arguments(Scale(2.0), {"name": 3})


def test_a_taker_of_the_same_name_is_read_anew():
    def first(scale: int) -> int:
        return scale

    def second(scale: str) -> str:
        return scale

    second.__name__ = second.__qualname__ = first.__name__
    check_arguments(first, {"scale": 1})
    check_arguments(second, {"scale": "x"})
    with pytest.raises(ArgumentTypeError, match="scale must be a string, got 1"):
        check_arguments(second, {"scale": 1})


def test_a_parameter_that_is_not_given_is_not_looked_at():
    check_arguments(scale, {})
    with pytest.raises(ArgumentTypeError, match="factor must be a number, got 'x'"):
        check_arguments(scale, {"factor": "x"})
