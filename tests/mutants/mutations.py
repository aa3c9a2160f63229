"""Small changes of a source file that its tests should notice."""

import ast
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

COMPARISONS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class Mutation(NamedTuple):
    """One change: where, and what the line says before and after."""

    line: int
    before: str
    after: str
    source: str


def n_mutations(source: str) -> int:
    """How many changes of a file's code there are; see :func:`mutation`."""
    return sum(1 for _ in _changes(ast.parse(source)))


def mutation(source: str, number: int) -> Mutation:
    """One change of a file's code; docstrings, annotations and messages are left alone."""
    tree = ast.parse(source)
    node, field, new = next(itertools.islice(_changes(tree), number, None))
    before = ast.unparse(node)
    setattr(node, field, new)
    after = ast.unparse(node)
    ast.fix_missing_locations(tree)
    return Mutation(node.lineno, before, after, ast.unparse(tree))


def _changes(tree: ast.Module) -> Iterator[tuple[Any, str, Any]]:
    """Node, its field, and the field's new value."""
    for node in _code(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            yield node, "ops", [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in OPERATORS:
            if not (isinstance(node, ast.BinOp) and _is_text(node)):
                yield node, "op", OPERATORS[type(node.op)]()
        elif isinstance(node, ast.BoolOp):
            yield node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield node, "test", ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            yield node, "value", _other(node.value)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.1 + (value == 0)


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in (node.left, node.right)
    )


def _code(node: ast.AST) -> Iterator[Any]:
    """Nodes of what runs and decides: no messages, annotations, decorators, imports."""
    left_out = {"annotation", "returns", "decorator_list", "bases"}
    for field, value in ast.iter_fields(node):
        if field in left_out:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)):
                continue
            if isinstance(child, ast.AST):
                yield child
                yield from _code(child)
