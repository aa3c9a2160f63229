"""The announcement of work that takes long, before a user waits for it."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
LONG_SECONDS = 10.0


def announced(items: Sequence[Item], what: str) -> Iterator[Item]:
    """Yield items, and say once on stderr how long the work on all of them takes, if it is long.

    The first item is not counted: it may have to compile. The work on the next ones is watched for
    a second.
    """
    is_said = False
    started = 0.0
    for number, item in enumerate(items):
        if number == 1:
            started = time.monotonic()
        elapsed = time.monotonic() - started
        if number > 1 and elapsed > 1.0 and not is_said:
            total = elapsed / (number - 1) * len(items)
            if total > LONG_SECONDS:
                is_said = True
                print(f"losaw: {what}: about {total:.0f} s", file=sys.stderr, flush=True)
        yield item
