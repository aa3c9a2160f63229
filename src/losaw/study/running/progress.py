"""The progress of a run: one count, read from files, and one line that shows it."""

import contextlib
import sys
import time
from collections.abc import Iterable, Sequence
from threading import Event
from typing import TextIO

from losaw.study.design.blocks import Block
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.run_record import read_run_record
from losaw.study.running.estimate import block_seconds

SECONDS_ON_A_TERMINAL = 1.0
SECONDS_IN_A_LOG = 30.0


class Progress:
    """A count of the blocks and fits that are done, whichever processes compute them.

    Parameters
    ----------
    to_do : iterable of Block
        Blocks that are to be computed. A block is done when its file is new.
    n_blocks : int
        The number of all blocks, with those that are stored already.
    every : float or None
        Seconds between two lines; None is 1 on a terminal and 30 elsewhere.
    out : file or None
        None is the standard error.
    """

    def __init__(
        self,
        to_do: Iterable[Block],
        n_blocks: int,
        every: float | None = None,
        out: TextIO | None = None,
    ) -> None:
        self._left = {block: block_seconds(block) for block in to_do}
        self._before = {block: _stamp(block) for block in self._left}
        self._all_seconds = sum(self._left.values())
        self._n_blocks = n_blocks
        self._n_failed = self._n_fits = 0
        self._out = sys.stderr if out is None else out
        self._on_terminal = self._out.isatty()
        self._every = every or (SECONDS_ON_A_TERMINAL if self._on_terminal else SECONDS_IN_A_LOG)
        self._started = self._shown = time.monotonic()

    @property
    def is_done(self) -> bool:
        """True if nothing was left when the last line was shown."""
        return not self._left

    def line(self) -> str:
        """Return blocks, fits, failed fits and the time left, as files show them now."""
        for block in [block for block in self._left if _stamp(block) != self._before[block]]:
            record = read_run_record(block.record_path)
            self._n_fits += len(block.seeds)
            self._n_failed += record.failed_seeds if record else 0
            del self._left[block]
        done = self._n_blocks - len(self._left)
        spent = time.monotonic() - self._started
        left = sum(self._left.values())
        words = [f"{done} of {self._n_blocks} blocks", f"{self._n_fits} fits in {duration(spent)}"]
        if self._n_failed:
            words.append(f"{self._n_failed} failed fits")
        if self._left and left < self._all_seconds:
            # Expected seconds count the blocks' sizes, elapsed seconds this machine's speed.
            words.append(f"about {duration(spent * left / (self._all_seconds - left))} left")
        return "losaw: " + ", ".join(words)

    def show(self) -> None:
        """Write the line: over the last one on a terminal, below it elsewhere."""
        self._shown = time.monotonic()
        begin, end = ("\r\033[K", "") if self._on_terminal else ("", "\n")
        print(f"{begin}{self.line()}", end=end, file=self._out, flush=True)

    def show_if_due(self) -> None:
        """Write the line if the last one is old enough."""
        if time.monotonic() - self._shown >= self._every:
            self.show()

    def show_until(self, stopped: Event) -> None:
        """Write the line again and again, until all is done or the event is set."""
        while not self.is_done and not stopped.wait(self._every):
            self.show()

    def end(self) -> None:
        """Write the last line."""
        self.show()
        if self._on_terminal:
            print(file=self._out, flush=True)


def watch(blocks: Sequence[Block], every: float | None = None, out: TextIO | None = None) -> None:
    """Show how far other processes are with blocks, until all are done or a person interrupts.

    Parameters
    ----------
    every, out
        As of :class:`Progress`.
    """
    progress = Progress(blocks_to_do(blocks), len(blocks), every, out)
    with contextlib.suppress(KeyboardInterrupt):
        progress.show()
        progress.show_until(Event())
    print(file=out)


def _stamp(block: Block) -> tuple[int, int]:
    try:
        status = block.path.stat()
    except OSError:
        return 0, 0
    # A file that is only touched, as Snakemake does after a job, keeps its number.
    return status.st_ino, status.st_size


def duration(seconds: float) -> str:
    """``95`` as ``1 min 35 s``: two units at most."""
    seconds = round(seconds)
    for size, unit, smaller_size, smaller in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if seconds >= size:
            rest = seconds % size // smaller_size
            return f"{seconds // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{seconds} s"
