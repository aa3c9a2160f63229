"""The child process, which computes the requested seeds until its parent is gone."""

import contextlib
import signal
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from losaw.registry.plugins import load_plugin
from losaw.study.running.replicate import run_replicate


def serve(connection: Connection, plugins: Sequence[Path], parents_end: Connection | None) -> None:
    """Answer ``(series, law, seeds and parts)`` with ``ready`` and a ``seed`` each, or ``refused``.

    Before every importance it is announced, so that the parent knows which one hangs.

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
    from losaw.study.running.jax_programs import keep_jax_programs
    from losaw.study.running.recipe import build_recipe

    keep_jax_programs()
    for plugin in plugins:
        load_plugin(plugin)
    with contextlib.suppress(EOFError, OSError):
        while True:
            series, law_path, asked = connection.recv()
            try:
                series.learner.entry.load()
                recipe, law = build_recipe(series, law_path)
                importances = {
                    label: _Announced(label, importance, connection)
                    for label, importance in recipe.importances.items()
                }
                recipe = replace(recipe, importances=importances)
            except Exception as error:
                connection.send(("refused", f"{type(error).__name__}: {error}"))
                continue
            connection.send(("ready", law))
            for seed, parts in asked:
                before = _Clock()
                rows = run_replicate(recipe, seed, parts)
                connection.send(("seed", seed, rows, before.seconds_since(), _peak_megabytes()))


@dataclass(frozen=True)
class _Announced:
    """An importance that tells the parent when it begins."""

    label: str
    importance: Any
    connection: Connection

    def explain(self, *arguments: Any) -> Any:
        self.connection.send(("importance", self.label))
        return self.importance.explain(*arguments)


class _Clock:
    """CPU time of this process and its children, which does not grow with what else runs.

    Compiling, which happens once on a machine, is no part of what a seed costs.
    """

    def __init__(self) -> None:
        self._core = _core_seconds()
        self._wall = time.perf_counter()
        self._by_jax = _seconds_of_jax()

    def seconds_since(self) -> float:
        """CPU seconds since this was made, without those of compiling."""
        core, wall = _core_seconds() - self._core, time.perf_counter() - self._wall
        # JAX tells wall time, of which other processes may have had a part.
        share = (_seconds_of_jax() - self._by_jax) / wall
        return core * max(0.0, 1.0 - share)


def _core_seconds() -> float:
    """CPU seconds so far, without those in which numba compiled."""
    import resource

    parts = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(part) for part in parts]
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in used)
    if "numba" not in sys.modules:  # importing it takes longer than many a seed
        return seconds
    from losaw.kernels.compiling import COMPILING

    return seconds - COMPILING.seconds


def _seconds_of_jax() -> float:
    """Wall seconds in which JAX compiled."""
    if "jax" not in sys.modules:
        return 0.0
    from losaw.support.jax_backend import compiling

    return compiling().seconds


def _prepare_child() -> None:
    """Let the child die with its parent, ignore Ctrl-C, and be killed first for memory."""
    import faulthandler

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    faulthandler.enable(file=2)  # by number: sys.stderr may be no file here
    _print_warnings_once()
    if sys.platform == "linux":
        import ctypes

        libc = ctypes.CDLL(None)
        set_parent_death_signal = 1
        libc.prctl(set_parent_death_signal, signal.SIGKILL)
        # A freed forest's memory is kept for the next: page faults would take a sixth of the time.
        if hasattr(libc, "mallopt"):  # musl has none
            trim_threshold, mmap_threshold = -1, -3
            libc.mallopt(mmap_threshold, 2**25)
            libc.mallopt(trim_threshold, 2**30)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


def _print_warnings_once() -> None:
    """Not of every fit: Python forgets what it has printed whenever catch_warnings ends."""
    printed: set[tuple[str, str, int]] = set()
    show = warnings.showwarning

    def show_once(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if (str(message), filename, lineno) not in printed:
            printed.add((str(message), filename, lineno))
            show(message, category, filename, lineno, file, line)

    warnings.showwarning = show_once


def _peak_megabytes() -> float:
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
