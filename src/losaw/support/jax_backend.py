"""JAX, imported late and held to one thread; what it compiles is timed.

XLA makes its pool of CPU threads once, when the backend starts, as large as the variable
``NPROC`` says (as the process's affinity allows, where it is not set). Jobs run side by side, so
a job's pool must have one thread; the order of its sums is then fixed, too.
"""

import functools
import os
from types import ModuleType

from losaw.support.extras import extra


def load() -> ModuleType:
    """The ``jax`` module, its backend started.

    The pool has one thread unless the variable ``NPROC`` says otherwise, or the calling program
    has started JAX's backend before: then its pool stands. Nothing in the environment is left
    changed.
    """
    asked = os.environ.get("NPROC")
    os.environ["NPROC"] = asked or "1"
    try:
        with extra("network"):
            import jax

        compiling()
        jax.devices()
    finally:
        if asked is None:
            del os.environ["NPROC"]
    return jax


class CompilingTime:
    """Seconds that JAX took to trace and compile since this was made.

    Attributes
    ----------
    seconds : float
    """

    def __init__(self) -> None:
        from jax import monitoring

        self.seconds = 0.0
        monitoring.register_event_duration_secs_listener(self._on_duration)

    def _on_duration(self, event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event.startswith("/jax/core/compile/"):
            self.seconds += duration_secs


@functools.cache
def compiling() -> CompilingTime:
    """The process's own; it listens from the first call on, which :func:`load` makes."""
    return CompilingTime()
