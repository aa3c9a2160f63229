"""The source of one module: its definitions, the names that each mentions, its imports.

Sources of losaw's modules and of plugins are found by their names, without importing them.
"""

import ast
import functools
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import losaw
from losaw.registry.plugins import PREFIX, loaded_sources

PACKAGE = Path(losaw.__file__).parent

# Methods that show a result.
_SHOWING = frozenset({"plot", "plot_rows", "_repr_html_", "__repr__", "__str__"})
# Key of a module's effects on import, apart from binding names.
ON_IMPORT = "<import>"

Target = tuple[str, str]  # module, top-level name; an empty name is the whole module


@dataclass(frozen=True)
class Reading:
    """Digest and mentioned targets by top-level name, and what the module imports from ours."""

    definitions: dict[str, tuple[str, tuple[Target, ...]]]
    imports: dict[str, Target]


def target_of(spelled: str) -> Target:
    """``"module:attribute"`` as a target."""
    module, _, attribute = spelled.partition(":")
    return module, attribute


@functools.cache
def own_sources() -> dict[str, str]:
    """Module of losaw -> its source, as it was when this was first called."""
    sources = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("losaw", *path.relative_to(PACKAGE).with_suffix("").parts)
        sources[".".join(parts).removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    del sources["losaw"]
    return sources


@functools.cache
def state() -> str:
    """Digest of all that decides how sources are read: the sources, and the Python."""
    texts = (sys.version, *own_sources(), *own_sources().values())
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def plugins_state() -> str:
    """Digest of the sources of the plugins, as they were when they were loaded."""
    return hashlib.sha256(repr(loaded_sources()).encode()).hexdigest()


def is_known(module: str) -> bool:
    """Return whether a module is one of losaw or a plugin."""
    return module in own_sources() or (module.startswith(PREFIX) and module in sys.modules)


def forget_sources() -> None:
    """Read every source again when it is next asked for."""
    own_sources.cache_clear()
    state.cache_clear()


def reading_of(module: str) -> Reading:
    """Return the reading of the source of a module."""
    is_plugin = module.startswith(PREFIX)
    text = loaded_sources().get(module, "") if is_plugin else own_sources()[module]
    return _parse(module, text, state())


@functools.lru_cache(maxsize=1024)
def _parse(module: str, text: str, _state: str) -> Reading:
    """Read a source; ``_state`` identifies the other modules, which the result depends on."""
    is_package = (PACKAGE.joinpath(*module.split(".")[1:]) / "__init__.py").is_file()
    body, lines = ast.parse(text).body, text.splitlines()
    imported = {
        id(statement): dict(_imports(statement, module, is_package))
        for statement in body
        # A walk takes long.
        if any("import" in line for line in lines[statement.lineno - 1 : statement.end_lineno])
    }
    imports = {name: target for each in imported.values() for name, target in each.items()}
    statements: dict[str, list[ast.stmt]] = {}
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom) or _is_for_types(statement):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        for name in _bound(statement) or [ON_IMPORT]:
            statements.setdefault(name, []).append(statement)
    tidied: dict[int, tuple[str, set[Target]]] = {}
    for statement in {
        id(statement): statement for bound in statements.values() for statement in bound
    }.values():
        local = imported.get(id(statement), {})
        tidy = _Tidy(module, set(statements), {**imports, **local})
        tidied[id(statement)] = (ast.dump(tidy.visit(statement)), tidy.mentioned)
    definitions = {}
    for name, bound in statements.items():
        dumped = "".join(tidied[id(statement)][0] for statement in bound)
        mentioned = set().union(*(tidied[id(statement)][1] for statement in bound))
        digest = hashlib.sha256(dumped.encode()).hexdigest()
        definitions[name] = (digest, tuple(sorted(mentioned)))
    return Reading(definitions, imports)


def _bound(statement: ast.stmt) -> list[str]:
    """The top-level names that a statement binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    walked = (node for target in targets for node in ast.walk(target))
    return [node.id for node in walked if isinstance(node, ast.Name)]


def _is_for_types(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)


def _imports(statement: ast.stmt, module: str, is_package: bool) -> Iterator[tuple[str, Target]]:
    """Local name -> what of ours it was imported from, anywhere inside the statement."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "losaw":
                    yield alias.asname or alias.name, (alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [base])])
            if base.split(".")[0] == "losaw" or base.startswith(PREFIX):
                for alias in node.names:
                    yield alias.asname or alias.name, (base, alias.name)


class _Tidy(ast.NodeTransformer):
    """Removes from a definition all that affects no number; collects the targets it names."""

    def __init__(self, module: str, own: set[str], imports: dict[str, Target]) -> None:
        self.module, self.own, self.imports = module, own, imports
        self.mentioned: set[Target] = set()

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return ast.Pass()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return ast.Pass()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.imports:
            self.mentioned.add(self.imports[node.id])
        elif node.id in self.own:
            self.mentioned.add((self.module, node.id))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        # A name of a module is that name, wherever the module stands and whatever it is called.
        dotted = _dotted(node.value)
        if dotted in self.imports:
            module, name = self.imports[dotted]
            inner = f"{module}.{name}" if name else module
            if is_known(inner):
                self.mentioned.add((inner, node.attr))
                return ast.Name(node.attr, node.ctx)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and node.value.startswith("losaw."):
            module, attribute = target_of(node.value)
            if is_known(module):  # something that is loaded by its name
                self.mentioned.add((module, attribute))
                return ast.Constant(attribute)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return self.generic_visit(_Wordless().visit(node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _dotted(node.func) in ("warnings.warn", "warn"):
            node = _Wordless().visit(node)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [
            statement
            for statement in node.body
            if not (isinstance(statement, ast.FunctionDef) and statement.name in _SHOWING)
        ]
        return self._without_docstring(node)

    def _without_docstring(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        return self.generic_visit(node)


def _dotted(node: ast.expr) -> str:
    """``a.b.c`` as it is written; empty for anything but names and attributes of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        above = _dotted(node.value)
        return above and f"{above}.{node.attr}"
    return ""


class _Wordless(ast.NodeTransformer):
    """Removes the text of an error or a warning."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.Constant("")
