"""Seeds computed in child processes that are watched: a hang or a crash costs one seed.

What a method raises is a row already (:mod:`losaw.study.replicate`). A method that never returns,
kills its process or eats the memory cannot report on itself; here its process is ended, its seed
becomes a failed row, and a fresh process goes on with the next seed. A process that was ended by
something else is given a second chance first: an operator, or the memory that another program took,
is not the method's doing. Children only compute; files
are written by the parent, so an orphan can never write one.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from losaw.study.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.replicate import Row, run_replicate
from losaw.study.request import Request
from losaw.study.session import Session

# Forking costs milliseconds; other systems than Linux do not survive it with their libraries.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
MEMORY_CHECK_SECONDS = 0.2
_LONGEST_WAIT = 3600.0


@dataclass
class Task:
    """A block on its way: what is still to do and what is done.

    Attributes
    ----------
    block : Block
    waiting : list of int
        Seeds to compute, in order; the first one is being computed.
    seconds_allowed : float
        For all waiting seeds. The k-th of n must be done after k/n of it: a hang costs its own
        share only, and a seed may use what the seeds before it have left.
    rows, seconds : dict
        By seed, of the seeds that are done.
    n_taken_over : int
        How many of them were stored already.
    law : record of the joint law, or None
    peak_megabytes : float
        Peak memory of the process that computed the seeds.
    """

    block: Block
    waiting: list[int]
    seconds_allowed: float
    rows: dict[int, list[Row]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    n_taken_over: int = 0
    law: Any = None
    peak_megabytes: float = 0.0
    _n_seeds: int = field(default=0, init=False)
    _started: float = field(default=0.0, init=False)
    _ready: bool = field(default=False, init=False)
    _tried: set[int] = field(default_factory=set, init=False)

    @property
    def n_failed(self) -> int:
        """Number of seeds with anything that failed."""
        return sum(any(row.status != "ok" for row in rows) for rows in self.rows.values())

    def begin(self) -> None:
        """Start the clock, for the whole block until its first seed is on its way."""
        self._n_seeds = len(self.waiting)
        self._started = time.monotonic()

    @property
    def deadline(self) -> float:
        """When the seed that is being computed has to be done, on the monotonic clock."""
        done = self._n_seeds - len(self.waiting)
        share = (done + 1) / self._n_seeds if self._ready else 1.0
        return self._started + self.seconds_allowed * share

    def take(self, message: tuple[Any, ...]) -> None:
        """Note what the child tells."""
        kind, *content = message
        if kind == "refused":
            raise StudyError(f"{self.block.relative_path}: {content[0]}")
        if kind == "ready":
            self.law = content[0]
            if not self._ready:
                self._ready = True
                self._started = time.monotonic()
            return
        seed, rows, seconds, peak = content
        self.waiting.remove(seed)
        self.rows[seed] = rows
        self.seconds[seed] = seconds
        self.peak_megabytes = max(self.peak_megabytes, peak)

    def may_try_again(self) -> bool:
        """Whether the seed that is being computed has not had its second chance; takes it."""
        seed = self.waiting[0]
        if seed in self._tried:
            return False
        self._tried.add(seed)
        return True

    def give_up(self, reason: str, seconds: float) -> None:
        """Let the seed that is being computed be a failed fit."""
        if not self._ready:
            raise StudyError(f"{self.block.relative_path}: {reason}, before its first seed")
        seed = self.waiting.pop(0)
        self.rows[seed] = [Row(seed, "", "", status="failed", message=reason)]
        self.seconds[seed] = seconds


class Worker:
    """A child process and the task it works on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._context: Any = multiprocessing.get_context(START_METHOD)
        self._limit = _megabytes_allowed(session)
        self.task: Task | None = None
        self._start()

    def _start(self) -> None:
        self.connection, theirs = self._context.Pipe()
        # A forked child has the session already, and our end of the pipe, which it must close.
        inherited = (self._session, self.connection) if START_METHOD == "fork" else (None, None)
        arguments = (theirs, self._session.request, *inherited)
        self.process = self._context.Process(target=_serve, args=arguments)
        self.process.start()
        theirs.close()
        self._heard = time.monotonic()

    def begin(self, task: Task) -> None:
        """Start a task."""
        task.begin()
        self.task = task
        self._ask(task)

    def _ask(self, task: Task) -> None:
        self._heard = time.monotonic()
        # A child that has died already is found when it is listened to.
        with contextlib.suppress(OSError):
            self.connection.send((task.block, list(task.waiting)))

    def listen(self) -> bool:
        """Take what the child has sent, end it if it must be; True when the task is done."""
        task = self._task()
        try:
            while task.waiting and self.connection.poll():
                task.take(self.connection.recv())
                self._heard = time.monotonic()
        except (EOFError, OSError):
            self.process.join()
            self._go_on(_cause_of_death(self.process.exitcode), task.may_try_again())
        else:
            if task.waiting and time.monotonic() > task.deadline:
                self._go_on(
                    f"TimeLimit: no result in its share of {task.seconds_allowed / 60:g} minutes "
                    "(block_minutes)"
                )
            elif task.waiting and self._megabytes() > self._limit:
                self._go_on(
                    f"MemoryLimit: used more than {self._limit:.0f} megabytes (block_megabytes)"
                )
        return not task.waiting

    def _go_on(self, reason: str, same_seed: bool = False) -> None:
        """Start a fresh child on the seed that was being computed, or give that up for the next."""
        task = self._task()
        self.stop()
        if not same_seed:
            task.give_up(reason, time.monotonic() - self._heard)
        self._start()
        if task.waiting:
            self._ask(task)

    def _task(self) -> Task:
        if self.task is None:
            raise RuntimeError("the worker has no task")
        return self.task

    def _megabytes(self) -> float:
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError, ValueError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def stop(self) -> None:
        """End the child, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def compute(session: Session, tasks: Iterable[Task], jobs: int) -> Iterator[Task]:
    """Compute tasks on up to ``jobs`` children; yields each task when it is done.

    Raises
    ------
    StudyError
        If a block cannot begin: a parameter that a method refuses, a law that is not there, a
        child that dies before its first seed. All children are ended.
    """
    queue = iter(tasks)
    workers: list[Worker] = []
    try:
        for task in queue:
            if not task.waiting:
                yield task
                continue
            workers.append(Worker(session))
            workers[-1].begin(task)
            if len(workers) == jobs:
                break
        while workers:
            _wait(workers)
            for worker in tuple(workers):
                if worker.listen():
                    done = worker.task
                    following = None
                    for following in queue:
                        if following.waiting:
                            worker.begin(following)
                            break
                        yield following
                        following = None
                    if following is None:
                        worker.stop()
                        workers.remove(worker)
                    if done is not None:
                        yield done
    finally:
        for worker in workers:
            worker.stop()


def _wait(workers: list[Worker]) -> None:
    now = time.monotonic()
    deadline = min(worker.task.deadline for worker in workers if worker.task is not None)
    watched = MEMORY_CHECK_SECONDS if sys.platform == "linux" else _LONGEST_WAIT
    wait([worker.connection for worker in workers], max(0.0, min(deadline - now, watched)) + 0.001)


def _megabytes_allowed(session: Session) -> float:
    asked = session.configuration.block_megabytes
    if asked is not None:
        return float(asked)
    return 0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


def _cause_of_death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ProcessEnded: the method ended its process twice, with exit status {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    hint = ", most often because memory ran out" if name == "SIGKILL" else ""
    return f"ProcessEnded: the process was ended twice, by {name}{hint}"


def _serve(
    connection: Connection,
    request: Request,
    session: Session | None,
    parents_end: Connection | None,
) -> None:
    """The child: computes the seeds it is asked for until the parent is gone."""
    if parents_end is not None:
        parents_end.close()
    _prepare_child()
    from losaw.study.deferred import import_scikit_learn
    from losaw.study.runner import build_recipe

    import_scikit_learn()
    session = session or Session(request, trusted=True)
    with contextlib.suppress(EOFError, OSError):
        while True:
            block, seeds = connection.recv()
            try:
                study = session.study(block.study)
                study.learner(block.learner).entry.load()
                recipe, law = build_recipe(study, block, session.laws_folder)
            except Exception as error:
                connection.send(("refused", f"{type(error).__name__}: {error}"))
                continue
            connection.send(("ready", law))
            for seed in seeds:
                rows, seconds = run_replicate(recipe, seed)
                connection.send(("seed", seed, rows, seconds, _peak_megabytes()))


def _prepare_child() -> None:
    """Die with the parent, leave Ctrl-C to it, and be the first the kernel ends for memory."""
    import faulthandler

    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
