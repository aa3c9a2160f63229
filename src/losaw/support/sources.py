"""The source behind a Python file: the file itself, and the modules that it imports."""

import ast
import hashlib
import importlib.util
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

_OF_PYTHON = Path(sysconfig.get_path("stdlib"))
_PACKAGES = {"site-packages", "dist-packages"}
CHECKOUT = Path(__file__).parents[3]


def other_checkout(folder: Path) -> str:
    """Say that a folder is a checkout whose losaw is not the one that runs; "" if it is not."""
    if not (folder / "src/losaw").is_dir() or folder == CHECKOUT:
        return ""
    return (
        f"{folder} is a checkout, but the environment has the losaw of {CHECKOUT}: "
        f"run `make install` in {folder}, and take what is in its .venv/bin"
    )


def digest_of(files: Iterable[Path]) -> str:
    """SHA-256 of the content of files, shortened; the folder that they lie in does not count."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def local_sources(file: Path) -> list[Path]:
    """Return a user's file and the modules that it imports, but for losaw and what is installed."""

    def is_local(name: str, path: Path) -> bool:
        installed = path.is_relative_to(_OF_PYTHON) or _PACKAGES & set(path.parts)
        return name.split(".")[0] != "losaw" and path.is_file() and not installed

    return _reached([file], is_local, inside=True)


def own_sources(files: Iterable[Path]) -> list[Path]:
    """Return files and the modules of losaw that they import when they are loaded."""
    return _reached(files, lambda name, _: name.split(".")[0] == "losaw", inside=False)


def _reached(
    files: Iterable[Path], is_followed: Callable[[str, Path], bool], inside: bool
) -> list[Path]:
    """Return files and what they import, each once; ``inside``: what functions import, too."""
    reached: dict[Path, None] = {}
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached[file] = None
            for level, name in _imported(file.read_bytes(), inside) if file.suffix == ".py" else ():
                # A relative import counts from the file's folder.
                places = [str(file.parents[level - 1])] if level else None
                waiting += [path for path in _files_of(name, places) if is_followed(name, path)]
    return list(reached)


@cache
def _imported(source: bytes, inside: bool) -> tuple[tuple[int, str], ...]:
    """Return what a source imports, each with the number of dots before its name."""
    tree = ast.parse(source)
    names: dict[tuple[int, str], None] = {}
    for node in ast.walk(tree) if inside else tree.body:
        if isinstance(node, ast.Import):
            names.update({(0, alias.name): None for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            # What is imported from a package may be a module of it.
            parts = [".".join(filter(None, (node.module, alias.name))) for alias in node.names]
            names.update({(node.level, name): None for name in parts})
    return tuple(names)


def _files_of(name: str, places: list[str] | None) -> Iterator[Path]:
    """Yield the files of a module and of the packages above it; nothing is imported."""
    first, *rest = name.split(".")
    try:
        spec = PathFinder.find_spec(first, places) if places else importlib.util.find_spec(first)
    except ValueError:  # a module that was not imported from a file
        return
    while spec is not None:
        if spec.origin is not None:
            yield Path(spec.origin)
        if not rest or spec.submodule_search_locations is None:
            return
        name = f"{spec.name}.{rest.pop(0)}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
