"""A faster start of blocks: what scikit-learn imports and a block hardly ever uses, and what JAX
compiles for every process anew.
"""

import hashlib
import importlib.util
import os
import platform
import sys
import types
from pathlib import Path

import losaw

# What is compiled in less time is compiled again as quickly as it is read.
_SHORTEST = "0.05"


class _Deferred(types.ModuleType):
    """A module that is there by name and is loaded at the first look into it."""

    def __getattr__(self, name: str) -> object:
        self.__class__ = types.ModuleType  # type: ignore[assignment]
        if self.__spec__ is None or self.__spec__.loader is None:
            raise ImportError(f"{self.__name__} cannot be loaded")
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def import_scikit_learn() -> None:
    """Import scikit-learn's base without pandas and scipy.stats, which take more than half of it.

    To scikit-learn, pandas is optional: it is told that there is none, which only matters to data
    frames, and blocks hold arrays. Whoever imports pandas afterwards gets it.
    """
    if "sklearn" in sys.modules:
        return
    defer_scipy_stats()
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sklearn.base  # noqa: F401
    finally:
        if hidden:
            del sys.modules["pandas"]


def defer_scipy_stats() -> None:
    """Have ``scipy.stats``, when it is imported, loaded at the first use of anything in it.

    (``importlib.util.LazyLoader`` does not do: a second import of the module looks at its
    ``__spec__``, which makes it load.)
    """
    if "scipy.stats" not in sys.modules:
        _defer("scipy.stats")


def _defer(name: str) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Deferred
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    setattr(sys.modules[parent], child, module)


def keep_jax_programs() -> None:
    """Have JAX, when it is imported, keep what it compiles, and read what is kept.

    It is kept beside the source, as numba keeps losaw's loops, or in the user's cache where that is
    read-only: in a folder of its own for each kind of processor, as JAX does not tell them apart.
    Kept programs are those that would be compiled: results are the same to the last bit. The
    variable ``JAX_COMPILATION_CACHE_DIR``, if it is set, says another folder.
    """
    if "jax" not in sys.modules and "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(programs_folder())
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", _SHORTEST)


def programs_folder() -> Path:
    """Where JAX's programs for this kind of processor are kept."""
    package = Path(losaw.__file__).parent
    folder = package / "__pycache__"
    if not os.access(package, os.W_OK):
        folder = Path.home() / ".cache" / "losaw"
    return folder / f"jax-{hashlib.sha256(_processor().encode()).hexdigest()[:8]}"


def _processor() -> str:
    """The instructions of this machine's processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    kinds = ("flags", "Features", "model name")
    return "\n".join(sorted({line for line in lines if line.startswith(kinds)}))
