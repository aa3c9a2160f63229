"""Work on several threads with a progress bar; the results do not depend on the number."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from losaw.arguments import ArgumentTypeError

Item = TypeVar("Item")
Found = TypeVar("Found")


class Jobs(NamedTuple):
    """How many threads work, and whether a bar shows it.

    Attributes
    ----------
    n_jobs : int or None
        Threads; None is 1, -1 all cores.
    verbose : bool
        Whether a progress bar is shown on standard error.
    """

    n_jobs: int | None = None
    verbose: bool = False

    def each(
        self, function: Callable[[Item], Found], items: Iterable[Item], total: int, what: str
    ) -> Iterator[Found]:
        """``function`` of every item, in the order of the items.

        Items are made one after the other, so that a generator of them may draw random numbers.
        """
        results: Iterator[Found]
        if self.n_jobs in (None, 1) or total < 2:
            results = map(function, items)
        else:
            from sklearn.utils.parallel import Parallel, delayed

            results = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
                delayed(function)(item) for item in items
            )
        if not self.verbose:
            return results
        from tqdm import tqdm

        return iter(tqdm(results, total=total, desc=what))


def checked_jobs(n_jobs: Any, verbose: Any) -> Jobs:
    """The jobs that a user asks for.

    Raises
    ------
    ArgumentTypeError
        If ``n_jobs`` is no integer or 0.
    """
    integral = isinstance(n_jobs, int) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not integral or n_jobs == 0):
        raise ArgumentTypeError(f"n_jobs must be an integer other than 0, or None, got {n_jobs!r}")
    return Jobs(n_jobs, bool(verbose))
