"""Work on several threads with a progress bar; the results do not depend on the number."""

import numbers
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NamedTuple, TypeVar

from losaw.support.arguments import ArgumentTypeError

Item = TypeVar("Item")
Found = TypeVar("Found")


class Jobs(NamedTuple):
    """The number of threads, and whether a progress bar is shown."""

    n_jobs: int | None = None  # threads; None is 1, -1 all cores
    verbose: bool = False  # whether a progress bar is shown on standard error

    @property
    def n_threads(self) -> int:
        """The number of threads: all cores for -1, all but a core for -2."""
        asked = self.n_jobs or 1
        return asked if asked > 0 else max(1, (os.cpu_count() or 1) + 1 + asked)

    def each(
        self, function: Callable[[Item], Found], items: Iterable[Item], total: int, what: str
    ) -> Iterator[Found]:
        """Apply ``function`` to every item; yield results in the order of the items.

        Items are taken in order, so that a generator of them may draw random numbers.
        """
        results: Iterator[Found]
        if self.n_threads == 1 or total < 2:
            results = map(function, items)
        else:
            results = _in_threads(function, items, self.n_threads)
        if not self.verbose:
            return results
        from tqdm import tqdm

        return iter(tqdm(results, total=total, desc=what))


def _in_threads(
    function: Callable[[Item], Found], items: Iterable[Item], n_threads: int
) -> Iterator[Found]:
    """Apply ``function`` to every item, under the settings of the calling thread.

    Own code: joblib's threads are polled every ten milliseconds, as long as the predictions of a
    whole draw take.
    """
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


def checked_jobs(n_jobs: Any, verbose: Any = False) -> Jobs:
    """Return the jobs that a user requests."""
    integral = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not integral or n_jobs == 0):
        raise ArgumentTypeError(f"n_jobs must be an integer other than 0, or None, got {n_jobs!r}")
    return Jobs(None if n_jobs is None else int(n_jobs), bool(verbose))
