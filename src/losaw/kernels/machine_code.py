"""The folder of machine code, named by one digest of the sources of all kernels.

numba compares only a kernel's own file with the code that it stored. But a kernel is compiled from
the kernels that it calls and from constants of other files as well. So the folder is named by the
digest of every source of ``losaw.kernels`` and every one that imports from it: after an edit of any
of these it has another name, and all kernels are compiled again. The place of the package counts
too: numba does not find the machine code of a copied checkout, which must not count as compiled.
"""

import hashlib
import os
import shutil
from functools import cache
from pathlib import Path

KERNELS = Path(__file__).parent
PACKAGE = KERNELS.parent


def folder(chosen: str) -> Path | None:
    """Return the folder of these sources; None if there is no place for it.

    It is within the cache folder of numba that the user has chosen; else within the package; else,
    where that is read-only, in the user's cache, if the user has a home. Each processor that is
    compiled for has a part of its own: two processes that compile for different ones at a time
    would overwrite each other's files, and give other last bits.
    """
    if not chosen and os.access(PACKAGE, os.W_OK):
        root = PACKAGE / "__pycache__" / "kernels"
    else:  # which several installations may share
        try:
            base = Path(chosen) if chosen else Path.home() / ".cache" / "losaw"
        except RuntimeError:  # no HOME, and a user that the system does not know
            return None
        root = base / f"losaw-kernels-{_short(str(PACKAGE))}"
    return root / f"losaw-{digest()}" / os.environ.get("NUMBA_CPU_NAME", "this-processor")


@cache
def writable_folder(chosen: str) -> Path | None:
    """Make the folder and remove those of earlier sources; None if nothing can be written there.

    Another process may run the earlier sources still. It finds what it has loaded in its memory,
    and compiles anything else again.
    """
    stored_in = folder(chosen)
    if stored_in is None:
        return None
    if not stored_in.is_dir():
        try:
            stored_in.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        for other in stored_in.parents[1].glob("losaw-*"):
            if other != stored_in.parent:
                shutil.rmtree(other, ignore_errors=True)
    return stored_in if os.access(stored_in, os.W_OK) else None


def is_compiled() -> bool:
    """Return whether machine code of the forest, the largest part, is stored for these sources."""
    stored_in = folder(os.environ.get("NUMBA_CACHE_DIR", ""))
    return stored_in is not None and any(stored_in.rglob("growth.*.nbi"))


@cache
def digest() -> str:
    """Return the digest of the place and sources of all kernels and of what calls them."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(KERNELS.rglob("*.py"))]
    others = (path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py")))
    callers = [text for text in others if "losaw.kernels" in text]
    return _short("".join([str(PACKAGE), *texts, *callers]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
