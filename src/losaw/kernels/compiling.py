"""Compiling of loops, which happens where no cache holds them: said once, and timed."""

import sys
import time
from typing import Any

from numba.core import event


class CompilingTime(event.Listener):
    """CPU seconds of compiling by numba since this was made; loading from a cache is none.

    The first of losaw's own loops that is compiled is announced on stderr, since a user waits for
    it. Where the loops are compiled on purpose, ``is_announced`` is set beforehand.

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
        """A function begins to be compiled; those that it calls are compiled within."""
        if self._depth == 0:
            self._started = time.process_time()
            is_ours = event.data["dispatcher"].py_func.__module__.startswith("losaw.")
            if is_ours and not self.is_announced:
                self.is_announced = True
                print(
                    "losaw: compiling loops for this machine; they are kept, and this takes up to "
                    "a minute, once (`losaw warm-up` does it beforehand)",
                    file=sys.stderr,
                    flush=True,
                )
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A function is compiled."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.process_time() - self._started


COMPILING = CompilingTime()
