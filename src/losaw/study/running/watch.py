"""One line of progress of a run that other processes compute: it looks at what they leave."""

import sys
import threading
import time
from collections.abc import Callable, Mapping

from losaw.study.design.blocks import Block
from losaw.study.files.run_record import read_run_record
from losaw.study.running.progress import duration

SECONDS_ON_A_TERMINAL = 1.0
SECONDS_IN_A_LOG = 30.0


class Watch:
    """Tells how far blocks are, from their files, until it is stopped.

    Parameters
    ----------
    expected : dict
        Block that is to be computed -> expected seconds on one core.
    n_blocks : int
        All blocks that are asked for, with those that are there already.
    """

    def __init__(self, expected: Mapping[Block, float], n_blocks: int) -> None:
        self._left = dict(expected)
        self._all = sum(expected.values())
        self._n_blocks = n_blocks
        self._before = {block: _stamp(block) for block in expected}
        self._n_failed = self._n_fits = 0
        self._started = time.monotonic()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to tell."""
        if self._left:
            self._thread.start()

    def stop(self) -> None:
        """Tell for the last time."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def line(self) -> str:
        """Blocks, fits, what failed, and the time left by cost, as things are now."""
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
            words.append(f"{self._n_failed} failed")
        if self._left and left < self._all:
            # Expected seconds count the blocks' sizes, elapsed ones this machine's speed.
            words.append(f"about {duration(spent * left / (self._all - left))} left")
        return "losaw: " + ", ".join(words)

    def _run(self) -> None:
        on_terminal = sys.stderr.isatty()
        tell: Callable[[str], None] = _over_the_last_line if on_terminal else _on_a_new_line
        pause = SECONDS_ON_A_TERMINAL if on_terminal else SECONDS_IN_A_LOG
        while not self._stopped.wait(pause):
            tell(self.line())
        tell(self.line())
        if on_terminal:
            print(file=sys.stderr, flush=True)


def _stamp(block: Block) -> int:
    try:
        return block.path.stat().st_mtime_ns
    except OSError:
        return 0


def _over_the_last_line(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _on_a_new_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
