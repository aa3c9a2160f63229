"""The folders of machine code, named by a digest of all sources that the code is compiled from.

numba compares only a kernel's own file with the code that it stored. But a kernel is compiled from
the kernels that it calls and from constants of other files as well. So each module has a folder
named by the digest of its source and of every source of kernels that it imports, directly or
through others. After an edit of any of these the folder has another name, and the kernels are
compiled again; an edit of any other file leaves the stored code in use.
"""

import hashlib
import os
import re
import shutil
from functools import cache
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1])
# Packages of which a module of kernels imports only what is called from Python, or annotations. An
# edit there compiles nothing again. A test looks through all kernels for uses of anything else.
OUTSIDE = ("losaw.data", "losaw.support", "losaw.tables")
_IMPORTS = re.compile(r"\n *(?:from (losaw[\w.]*) import (\([^)]*\)|.*)|import (losaw[\w.]*))")


def folder_of(file: str, given: str | None = None) -> Path:
    """Return the folder for the machine code of a module's kernels.

    Parameters
    ----------
    file : str
        Source of the module.
    given : str, optional
        A cache folder of numba that the user has chosen; by default the variable
        ``NUMBA_CACHE_DIR``.

    Returns
    -------
    Path
        Within the chosen folder; else within the package; else, where that is read-only, in the
        user's cache.
    """
    given = os.environ.get("NUMBA_CACHE_DIR", "") if given is None else given
    if not given and os.access(PACKAGE, os.W_OK):
        root = Path(PACKAGE, "__pycache__", "kernels")
    else:  # which several installations may share
        base = Path(given) if given else Path.home() / ".cache" / "losaw"
        root = base / f"losaw-kernels-{_short(PACKAGE)}"
    texts = "".join(_read(source)[0] for source in sorted(sources(file)))
    return root / f"{_name(file)}-{_short(texts)}"


@cache
def writable_folder(file: str, given: str) -> Path | None:
    """Make the folder of a module and remove those of its earlier sources.

    Another process may run the earlier sources still. It finds what it has loaded in its memory,
    and compiles anything else again.

    Returns
    -------
    Path or None
        None if nothing can be written there.
    """
    if not os.path.isfile(file):  # typed into a prompt
        return None
    folder = folder_of(file, given)
    if not folder.is_dir():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        for other in folder.parent.glob(f"{_name(file)}-*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
    return folder if os.access(folder, os.W_OK) else None


def is_compiled() -> bool:
    """Return whether machine code of the forest, the largest part, is stored for these sources."""
    folder = folder_of(os.path.join(PACKAGE, "forest", "growing", "growth.py"))
    return any(folder.rglob("*.nbi"))


def sources(file: str) -> set[str]:
    """Return a source and every source that it imports but for :data:`OUTSIDE`, at any depth."""
    found: set[str] = set()
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _read(path)[1]
    return found


@cache
def _read(file: str) -> tuple[str, tuple[str, ...]]:
    """Return the digest of a source and the sources that it imports."""
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    imported = []
    for module, names, alone in _IMPORTS.findall("\n" + text):
        source = _source(module or alone)
        imported.append(source)
        if source.endswith("__init__.py"):
            imported += [_source(f"{module}.{name}") for name in re.findall(r"\w+", names)]
    return _short(text), tuple(filter(None, imported))


@cache
def _source(module: str) -> str:
    """Return the file of a losaw module; empty outside, or if there is no module of this name."""
    if ".".join(module.split(".")[:2]) in OUTSIDE:
        return ""
    place = os.path.join(os.path.dirname(PACKAGE), *module.split("."))
    candidates = (f"{place}.py", os.path.join(place, "__init__.py"))
    return next(filter(os.path.isfile, candidates), "")


def _name(file: str) -> str:
    """Return a name of a module that no other module has."""
    if file.startswith(PACKAGE + os.sep):
        return os.path.relpath(file, PACKAGE).removesuffix(".py").replace(os.sep, ".")
    return f"{Path(file).stem}.{_short(file)}"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
