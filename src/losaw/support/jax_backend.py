"""JAX, imported late and limited to a single thread; its compiling is timed.

XLA makes its pool of CPU threads once, when the backend starts, as large as the variable
``NPROC`` states (as the process's affinity allows, where it is not set). Jobs run side by side, so
a job's pool must have a single thread; the order of its sums is then fixed, too.
"""

import functools
import os
from types import ModuleType

from losaw.support.extras import extra


def load() -> ModuleType:
    """Return the ``jax`` module, its backend started.

    The pool has a single thread, or as many as the variable ``NPROC`` states; if the calling
    program has started JAX's backend before, its pool is used. The environment is restored.
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
    """The seconds that JAX has traced and compiled for since this listener was created.

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
    """Return the listener of the process, which listens from the first :func:`load` on."""
    return CompilingTime()
