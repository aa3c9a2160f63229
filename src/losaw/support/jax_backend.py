"""JAX, imported late and limited to a single thread.

XLA makes its pool of CPU threads once, when the backend starts, as large as the variable
``NPROC`` states (as the process's affinity allows, where it is not set). Jobs run side by side, so
a job's pool must have a single thread; the order of its sums is then fixed, too.
"""

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

        jax.devices()
    finally:
        if asked is None:
            del os.environ["NPROC"]
    return jax
