"""The compiling of kernels whose machine code is not stored: announced once, and timed."""

import sys
import time
from typing import Any

from numba.core import event


class KernelCompiling(event.Listener):
    """The CPU seconds that numba has compiled for since this listener was made.

    Loading stored machine code does not count. The first of losaw's own kernels that is compiled is
    announced on stderr, since a user waits for it; where kernels are compiled on purpose,
    ``is_announced`` is set beforehand.

    Attributes
    ----------
    seconds : float
    is_announced : bool
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.is_announced = False
        self._depth = 0
        self._started = 0.0
        event.register("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """Note that a function begins to be compiled; those that it calls are compiled within."""
        if self._depth == 0:
            self._started = time.process_time()
            is_ours = event.data["dispatcher"].py_func.__module__.startswith("losaw.")
            if is_ours and not self.is_announced:
                self.is_announced = True
                print(
                    "losaw: compiling loops for this machine, once: this takes a minute or two, "
                    "longer on a busy machine, and is no part of a budget (`losaw "
                    "compile` does it beforehand)",
                    file=sys.stderr,
                    flush=True,
                )
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Add the time of a function that has been compiled."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.process_time() - self._started


COMPILING = KernelCompiling()
