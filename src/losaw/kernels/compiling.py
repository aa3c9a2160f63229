"""How long this process has been compiling loops, which it does where no cache holds them."""

import time
from typing import Any

from numba.core import event


class CompilingTime(event.Listener):
    """Seconds that numba has spent compiling since this was made; loading from a cache is none.

    Attributes
    ----------
    seconds : float
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._started = 0.0
        event.register("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled; those that it calls are compiled within."""
        if self._depth == 0:
            self._started = time.perf_counter()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A function is compiled."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._started


COMPILING = CompilingTime()
