"""Sources of losaw's modules and of plugins, found by their names without importing them."""

import functools
import sys
from pathlib import Path

import losaw
from losaw.registry.plugins import PREFIX, source_of

PACKAGE = Path(losaw.__file__).parent


def stamp_of(module: str) -> tuple[str, object]:
    """A module and what tells that its source is another one."""
    if module.startswith(PREFIX):
        return module, hash(source_of(module))
    path = path_of(module)
    status = path.stat() if path is not None and path.exists() else None
    return module, status and (status.st_mtime_ns, status.st_size, status.st_ino)


def text_of(module: str) -> str:
    """Source of a module of ours; of a plugin, as it was when it was loaded."""
    if module.startswith(PREFIX):
        return source_of(module)
    return _own_text(module)


@functools.cache
def _own_text(module: str) -> str:
    path = _own_path(module)
    return "" if path is None else path.read_text(encoding="utf-8")


def path_of(module: str) -> Path | None:
    """File of a losaw module or plugin, found without importing it; None for others."""
    if module.startswith(PREFIX):
        loaded = sys.modules.get(module)
        return None if loaded is None else Path(str(loaded.__file__))
    return _own_path(module)


@functools.cache
def _own_path(module: str) -> Path | None:
    root, *parts = module.split(".")
    if root != "losaw" or not parts or not all(part.isidentifier() for part in parts):
        return None
    place = PACKAGE.joinpath(*parts)
    for candidate in (place.with_suffix(".py"), place / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def own_files() -> tuple[str, ...]:
    """All of our sources, relative to the package."""
    return tuple(sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py")))


def forget_texts() -> None:
    """Read every source anew when it is next asked for."""
    for cached in (_own_text, own_files):
        cached.cache_clear()
