"""The results version: a digest of everything that decides a block's numbers.

It covers the sources of the generator, learner, importances and metrics of the block, and of
every losaw module they import, without comments and docstrings; and their parameters. A changed
method therefore makes its own blocks stale and no others. Versions of third-party libraries are
recorded in the block's footer, not here: results move between machines.
"""

import ast
import functools
import hashlib
import sys
from pathlib import Path
from typing import Any

import losaw
from losaw.study.design.grid import Method, Study
from losaw.study.design.identifiers import short_digest
from losaw.study.design.settings import Setting

_PACKAGE = Path(losaw.__file__).parent
_ENGINE = ("losaw.rng", "losaw.study.running.replicate")


def results_version(study: Study, learner: Method, setting: Setting) -> str:
    """Eight hexadecimal digits that change when the block's numbers may change."""
    importances = [study.importances[label] for label in learner.importances]
    methods = [study.generator, learner, *importances, *study.metrics.values()]
    modules = {*_ENGINE, *(method.entry.target.partition(":")[0] for method in methods)}
    return short_digest(
        {
            "sources": {name: digest for m in sorted(modules) for name, digest in _closure(m)},
            "methods": [
                [
                    method.label,
                    method.entry.target,
                    {**method.entry.parameters, **method.parameters_for(setting)},
                ]
                for method in methods[1:]
            ],
            "generator": [study.generator.entry.target, dict(setting.parameters)],
            "experiment": study.experiment,
        }
    )


@functools.cache
def _closure(module: str) -> tuple[tuple[str, str], ...]:
    """(module, source digest) of a module and of all losaw modules it imports, sorted."""
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        read = _read(name)
        if read is None:
            continue
        found[name], imported = read
        waiting += [other for other in imported if other not in found]
    return tuple(sorted(found.items()))


@functools.cache
def _read(module: str) -> tuple[str, set[str]] | None:
    """Digest of a module's source, and the losaw modules it imports; None for other modules."""
    source = _source(module)
    if source is None:
        return None
    tree = _without_docstrings(ast.parse(source.read_text(encoding="utf-8")))
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return digest, _imports(tree, module, source)


def _source(module: str) -> Path | None:
    """File of a losaw module or plugin, found without importing it; None for others."""
    if module.startswith("losaw_plugin_") and module in sys.modules:
        return Path(str(sys.modules[module].__file__))
    root, *parts = module.split(".")
    if root != "losaw" or not parts:
        return None
    place = _PACKAGE.joinpath(*parts)
    for candidate in (place.with_suffix(".py"), place / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imports(tree: ast.AST, module: str, source: Path) -> set[str]:
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                base = f"{parent}.{base}".rstrip(".")
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return {name for name in found if name != "losaw" and name.split(".")[0] == "losaw"}


def _without_docstrings(tree: ast.Module) -> Any:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            body[0] = ast.Pass()
    return tree
