"""Parameters written as arithmetic in the setting's axes, such as ``n_features // 3``."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_FUNCTIONS = {"min": min, "max": max}


def is_expression(value: Any) -> bool:
    """Return whether a parameter is an expression that computes something (a name does not)."""
    if not isinstance(value, str):
        return False
    try:
        body = ast.parse(value, mode="eval").body
    except SyntaxError:
        return False
    if isinstance(body, ast.Call):
        return isinstance(body.func, ast.Name) and body.func.id in _FUNCTIONS
    return isinstance(body, ast.BinOp) and type(body.op) in _OPERATORS


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """Value of an expression of numbers, setting axes, ``+ - * / //``, ``min`` and ``max``.

    Raises
    ------
    ValueError
        For an unknown name or anything but this arithmetic.
    """

    def value_of(node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Name(id=name):
                raise ValueError(f"unknown name {name!r} (known: {', '.join(names)})")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value_of(left), value_of(right))
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
                return _FUNCTIONS[name](*map(value_of, arguments))
        raise ValueError(f"{ast.unparse(node)!r} is not arithmetic in setting axes")

    return value_of(ast.parse(expression, mode="eval").body)
