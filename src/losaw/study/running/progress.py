"""Progress of a run: a bar on a terminal, a plain line now and then in a log."""

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from losaw.study.design.blocks import Block

SECONDS_BETWEEN_LINES = 30.0


class Progress:
    """Counts finished blocks and says how long the rest may take.

    Parameters
    ----------
    expected : dict
        Block -> expected seconds on one core.
    jobs : int
        Blocks that run at the same time.
    """

    def __init__(self, expected: Mapping[Block, float], jobs: int) -> None:
        self._left = dict(expected)
        self._jobs = jobs
        self._n_blocks = len(expected)
        self._expected = sum(expected.values())
        self._started = self._spoke = time.monotonic()
        self._failed = 0
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        if self._n_blocks and sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=self._n_blocks, unit="block", file=sys.stderr)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def done(self, block: Block, failed: int) -> None:
        """Count a block; ``failed`` of its fits failed."""
        del self._left[block]
        self._failed += failed
        if self._bar is not None:
            self._bar.set_postfix_str(f"failed fits {self._failed}", refresh=False)
            self._bar.update()
            return
        now = time.monotonic()
        if not self._left or now - self._spoke >= SECONDS_BETWEEN_LINES:
            self._spoke = now
            print(self._line(now - self._started), file=sys.stderr, flush=True)

    def _line(self, elapsed: float) -> str:
        done = self._n_blocks - len(self._left)
        line = f"{done} of {self._n_blocks} blocks in {duration(elapsed)}"
        if self._failed:
            line += f", {self._failed} failed fits"
        if self._left:
            # Expected seconds count the blocks' sizes, elapsed ones this machine's speed.
            left = sum(self._left.values())
            line += f", about {duration(elapsed * left / max(self._expected - left, 1e-9))} left"
        return line


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
