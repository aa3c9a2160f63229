"""Seeds computed in child processes that are watched: a hang or a crash costs one seed.

What a method raises is a row already (:mod:`losaw.study.running.replicate`). A method that never
returns, kills its process or eats the memory cannot report on itself; here its process is ended,
its seed becomes a failed row, and a fresh process goes on with the next seed. A process that was
ended by something else is given a second chance first: an operator, or the memory that another
program took, is not the method's doing. Children only compute; files are written by the parent,
so an orphan can never write one.
"""

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from losaw.registry.plugins import loaded_plugins
from losaw.study.running.task import Task
from losaw.study.running.worker_process import serve

# Forking costs milliseconds; other systems than Linux do not survive it with their libraries.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
LOOK_SECONDS = 0.2


def compute(companies: Iterable[Iterable[Task]], jobs: int) -> Iterator[Task]:
    """Compute tasks on up to ``jobs`` children; yields each task when it is done or refused.

    One child computes the tasks of a company, one after the other.
    """
    queue = iter(companies)
    finished: deque[Task] = deque()
    workers: list[Worker] = []

    def following(company: Iterator[Task]) -> tuple[Task, Iterator[Task]] | None:
        for tasks in itertools.chain([company], map(iter, queue)):
            for task in tasks:
                if task.waiting:
                    return task, tasks
                finished.append(task)
        return None

    try:
        while len(workers) < jobs and (found := following(iter(()))):
            workers.append(Worker())  # known before it starts: then it is also stopped
            workers[-1].begin(*found)
        while workers or finished:
            while finished:
                yield finished.popleft()
            if workers:
                wait([worker.connection for worker in workers], LOOK_SECONDS)
            for worker in tuple(workers):
                if not worker.listen():
                    continue
                # Its file is written before another block is begun: a kill loses that one only.
                yield worker.task
                if found := following(worker.company):
                    worker.begin(*found)
                else:
                    worker.stop()
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.stop()


class Worker:
    """A child process and the task it works on; the process starts with the first task."""

    task: Task
    company: Iterator[Task]

    def __init__(self) -> None:
        self._context: Any = multiprocessing.get_context(START_METHOD)
        self.process: Any = None

    def _start(self) -> None:
        self.connection, theirs = self._context.Pipe()
        # A forked child has the plugins already, and our end of the pipe, which it must close.
        forked = START_METHOD == "fork"
        plugins, inherited = ((), self.connection) if forked else (loaded_plugins(), None)
        self.process = self._context.Process(target=serve, args=(theirs, plugins, inherited))
        with _interrupts_held_back():
            self.process.start()
        theirs.close()

    def begin(self, task: Task, company: Iterator[Task]) -> None:
        """Start a task; the rest of its company is next."""
        self.task, self.company = task, company
        if self.process is None:
            self._start()
        task.begin()
        self._ask()

    def _ask(self) -> None:
        self._heard = time.monotonic()
        # A child that has died already is found when it is listened to.
        with contextlib.suppress(OSError):
            block = self.task.block
            asked = [(seed, self.task.missing(seed)) for seed in self.task.waiting]
            self.connection.send((block.series, block.law_path, asked))

    def listen(self) -> bool:
        """Take what the child has sent, end it if it must be; True when the task is done."""
        # Looked at first: what a child sent before it ended is still taken.
        ended = not self.process.is_alive()
        try:
            while self.task.waiting and self.connection.poll():
                self.task.take(self.connection.recv())
                self._heard = time.monotonic()
        except (EOFError, OSError):
            ended = True
        if self.task.waiting:
            self._judge(ended)
        return not self.task.waiting

    def _judge(self, ended: bool) -> None:
        if ended:
            self.process.join(1)
            reason = _cause_of_death(self.process.exitcode)
            self._go_on(reason, self.task.may_try_again())
        elif time.monotonic() > self.task.deadline:
            minutes = self.task.seconds_allowed / 60
            self._go_on(f"TimeLimit: no result in its share of {minutes:g} minutes (block_minutes)")
        elif self._megabytes() > (allowed := self._megabytes_allowed()):
            limit = f"{allowed:.0f} megabytes (block_megabytes)"
            self._go_on(f"MemoryLimit: used more than {limit}")

    def _go_on(self, reason: str, same_seed: bool = False) -> None:
        """Start a fresh child on the seed that was being computed, or give that up for the next."""
        self.stop()
        if not same_seed:
            self.task.give_up(reason, time.monotonic() - self._heard)
        self._start()
        if self.task.waiting:
            self._ask()

    def _megabytes_allowed(self) -> float:
        return self.task.block.limits.megabytes or _most_of_the_memory()

    def _megabytes(self) -> float:
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError, ValueError):  # no /proc here, or gone just now
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def stop(self) -> None:
        """End the child, whatever it does."""
        if self.process is not None and self.process.pid is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait: what it raises inside a fork is lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _most_of_the_memory() -> float:
    return 0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


def _cause_of_death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ProcessEnded: the method ended its process twice, with exit status {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    hint = ", most often because memory ran out" if name == "SIGKILL" else ""
    return f"ProcessEnded: the process was ended twice, by {name}{hint}"
