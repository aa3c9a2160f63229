"""The programs that JAX compiles, stored for the next process."""

import hashlib
import os
import platform
import sys
import tempfile
from pathlib import Path

import losaw

# What is compiled in less time is compiled again as quickly as it is read.
_SHORTEST = "0.05"


def keep_jax_programs() -> None:
    """Let JAX store the programs it compiles, and read stored ones, once it is imported.

    Programs are stored next to the source, as numba stores losaw's kernels, or in the user's cache
    where that is read-only. Each kind of processor has a folder, because JAX does not distinguish
    them. Results are the same to the last bit. The variable ``JAX_COMPILATION_CACHE_DIR``, if it is
    set, names another folder.
    """
    if "jax" not in sys.modules and "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(programs_folder())
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", _SHORTEST)


def programs_folder() -> Path:
    """Return the folder of the programs for this kind of processor."""
    package = Path(losaw.__file__).parent
    folder = package / "__pycache__"
    if not os.access(package, os.W_OK):
        try:
            folder = Path.home() / ".cache" / "losaw"
        except RuntimeError:  # of a user that the system does not know
            folder = Path(tempfile.gettempdir(), f"losaw-{os.getuid()}")
    return folder / f"jax-{hashlib.sha256(_processor().encode()).hexdigest()[:8]}"


def _processor() -> str:
    """Return the instructions of the processor, as far as the system names them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    kinds = ("flags", "Features", "model name")
    return "\n".join(sorted({line for line in lines if line.startswith(kinds)}))
