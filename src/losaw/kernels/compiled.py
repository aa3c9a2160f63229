"""The decorators of kernels, and the announcement of the first one that is compiled."""

import sys
import time
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

from numba import config, njit
from numba.core import event

from losaw.kernels.machine_code import writable_folder

_SETTINGS: Any = config  # numba's types do not list them
_JIT: Any = njit
_DECORATING = Lock()


class KernelCompiling(event.Listener):
    """The seconds that numba has compiled for, of the processor and by the clock.

    Loading stored machine code does not count. The first of losaw's own kernels that is compiled is
    announced on stderr, since a user waits for it; where kernels are compiled on purpose,
    ``is_announced`` is set beforehand.
    """

    def __init__(self) -> None:
        self.seconds = self.elapsed = 0.0
        self.is_announced = False
        self._depth = 0
        self._started = (0.0, 0.0)
        event.register("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """Note that a function begins to be compiled; those that it calls are compiled within."""
        if self._depth == 0:
            self._started = time.process_time(), time.perf_counter()
            is_ours = event.data["dispatcher"].py_func.__module__.startswith("losaw.")
            if is_ours and not self.is_announced:
                self.is_announced = True
                is_stored = writable_folder(_SETTINGS.CACHE_DIR) is not None
                nowhere = "in every run, for want of a folder to store them (set NUMBA_CACHE_DIR)"
                how_often = "once" if is_stored else nowhere
                with suppress(OSError):  # a full disk
                    print(
                        f"losaw: compiling loops for this machine, {how_often}: this takes a "
                        "minute or two, longer on a busy machine, and does not count for a budget",
                        file=sys.stderr,
                        flush=True,
                    )
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Add the time of a function that has been compiled."""
        self._depth -= 1
        if self._depth == 0:
            of_cpu, by_the_clock = self._started
            self.seconds += time.process_time() - of_cpu
            self.elapsed += time.perf_counter() - by_the_clock


COMPILING = KernelCompiling()


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function at its first call, and store the machine code.

    The code is stored in a folder named by the sources of all kernels
    (:mod:`losaw.kernels.machine_code`), or not at all where nothing can be written. Options of
    ``numba.njit`` differ from these: ``error_model="numpy"``, since a division that tests for zero
    cannot be vectorised; ``_nrt=False``, no reference counting of arrays (it took 70 % of a fit),
    hence no allocation inside a kernel, whose callers hand over the workspace.
    """
    if function is None:
        return partial(kernel, **options)
    options = {"nogil": True, "error_model": "numpy", "_nrt": False} | options
    with _DECORATING:  # the folder is a setting of the process, which other packages read too
        cache_folder = _SETTINGS.CACHE_DIR
        folder = writable_folder(cache_folder)
        _SETTINGS.CACHE_DIR = str(folder or cache_folder)
        try:
            return _JIT(function, cache=folder is not None, **options)
        finally:
            _SETTINGS.CACHE_DIR = cache_folder


# For kernels that only other kernels call. Python could not call them: it would need a wrapper that
# unpacks a hundred arrays, which took four times as long to compile as the kernels themselves.
inner_kernel = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)

# The same, merged into the caller: arrays are passed by value, seven numbers each, and a tree's
# workspace has a hundred (passing them took a third of a fit on discrete data).
inlined_kernel = partial(inner_kernel, forceinline=True)

# The same for a kernel with one caller: its source is copied into the caller's. An inlined one is
# optimised and translated by itself as well, and once more in every caller of its caller, which
# took a fifth of the time that a forest compiles; but the more a single function holds, the
# longer numba takes over it, so that most kernels are better inlined.
spliced_kernel = partial(kernel, inline="always")

# For kernels that make arrays of their own. References are counted, and a division by zero raises.
allocating_kernel = partial(kernel, error_model="python", _nrt=True)

# Sums may be reordered (and so vectorised); NaN and infinities keep their meaning.
REORDERED = {"reassoc", "contract", "nsz"}
