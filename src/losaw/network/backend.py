"""JAX, imported late and held to one thread.

XLA makes its pool of CPU threads once, when the backend starts, as large as the variable
``NPROC`` says (as the process's affinity allows, where it is not set). Jobs run side by side, so
a job's pool must have one thread; the order of its sums is then fixed, too.
"""

import os
from types import ModuleType

from losaw.extras import extra


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

        jax.devices()
    finally:
        if asked is None:
            del os.environ["NPROC"]
    return jax
