"""The child process: computes the seeds it is asked for until its parent is gone."""

import contextlib
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from losaw.plugins import load_plugin
from losaw.study.running.replicate import run_replicate


def serve(connection: Connection, plugins: Sequence[Path], parents_end: Connection | None) -> None:
    """Answer ``(series, law, seeds and parts)`` with ``ready`` and a ``seed`` each, or ``refused``.

    Parameters
    ----------
    connection : Connection
        To the parent.
    plugins : sequence of Path
        What the parent has loaded and a child that was spawned has not.
    parents_end : Connection or None
        The other end of the pipe, which a forked child has too and must close.
    """
    if parents_end is not None:
        parents_end.close()
    _prepare_child()
    from losaw.study.running.fast_start import import_scikit_learn, keep_jax_programs
    from losaw.study.running.recipe import build_recipe

    import_scikit_learn()
    keep_jax_programs()
    for plugin in plugins:
        load_plugin(plugin)
    with contextlib.suppress(EOFError, OSError):
        while True:
            series, law_path, asked = connection.recv()
            try:
                series.learner.entry.load()
                recipe, law = build_recipe(series, law_path)
            except Exception as error:
                connection.send(("refused", f"{type(error).__name__}: {error}"))
                continue
            connection.send(("ready", law))
            for seed, parts in asked:
                before = _core_seconds()
                rows = run_replicate(recipe, seed, parts)
                seconds = _core_seconds() - before
                connection.send(("seed", seed, rows, seconds, _peak_megabytes()))


def _core_seconds() -> float:
    """CPU time of this process and its children, which does not grow with what else runs.

    Compiling, which happens once on a machine, is no part of what a seed costs.
    """
    import resource

    parts = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(part) for part in parts]
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in used)
    # Importing either takes longer than many a seed.
    if "numba" in sys.modules:
        from losaw.kernels.compiling import COMPILING

        seconds -= COMPILING.seconds
    if "jax" in sys.modules:
        from losaw.jax_backend import compiling

        seconds -= compiling().seconds
    return seconds


def _prepare_child() -> None:
    """Die with the parent, leave Ctrl-C to it, and be the first the kernel ends for memory."""
    import faulthandler

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    faulthandler.enable(file=2)  # by number: sys.stderr may be no file here
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


def _peak_megabytes() -> float:
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
