"""Work on several threads; the results do not depend on their number."""

import numbers
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from losaw.support.arguments import ArgumentTypeError

Item = TypeVar("Item")
Found = TypeVar("Found")


def checked_jobs(n_jobs: Any) -> int:
    """Return the number of threads that is requested: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    integral = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not integral or n_jobs == 0:
        raise ArgumentTypeError(f"n_jobs must be an integer other than 0, or None, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def each(
    function: Callable[[Item], Found], items: Iterable[Item], n_threads: int
) -> Iterator[Found]:
    """Apply ``function`` to every item; yield results in the order of the items.

    Items are taken in order, so that a generator of them may draw random numbers. Threads have the
    settings of the calling one.

    Own code: joblib's threads are polled every ten milliseconds, as long as the predictions of a
    whole draw take.
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    from sklearn import config_context, get_config

    settings = get_config()

    def work(item: Item) -> Found:
        with config_context(**settings):
            return function(item)

    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(copy_context().run, work, item))
                if len(waiting) > 2 * n_threads:  # few items are in memory at a time
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # on an error or Ctrl-C nothing more is begun
            for future in waiting:
                future.cancel()
