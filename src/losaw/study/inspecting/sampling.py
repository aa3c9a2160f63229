"""Random samples of blocks, and the probability that a sample misses altered ones."""

import heapq
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from losaw.study.errors import StudyError

Item = TypeVar("Item")
Stratum = TypeVar("Stratum", bound=Hashable)


def allocate(sizes: Sequence[int], n: int) -> list[int]:
    """Share out a sample of ``n``: one to each stratum, then in proportion to the sizes.

    After the first of each, every next one goes to the stratum with the most items per item drawn.

    Raises
    ------
    StudyError
        If there are fewer than one for each stratum.
    """
    if n < len(sizes):
        raise StudyError(
            f"a sample of {n} blocks is too small: there are {len(sizes)} combinations of study "
            "and method, and each needs one; take a larger --sample, or select fewer with --study "
            "or --set"
        )
    drawn = [1] * len(sizes)
    waiting = [(-float(size), index) for index, size in enumerate(sizes) if size > 1]
    heapq.heapify(waiting)
    for _ in range(min(n, sum(sizes)) - len(sizes)):
        _, index = heapq.heappop(waiting)
        drawn[index] += 1
        if drawn[index] < sizes[index]:
            heapq.heappush(waiting, (-sizes[index] / drawn[index], index))
    return drawn


def draw(strata: Mapping[Stratum, Sequence[Item]], n: int, seed: int) -> dict[Stratum, list[Item]]:
    """Draw from each stratum, without replacement, as many items as :func:`allocate` says."""
    rng = np.random.default_rng(seed)
    numbers = allocate([len(items) for items in strata.values()], n)
    return {
        stratum: [items[index] for index in sorted(rng.choice(len(items), number, replace=False))]
        for (stratum, items), number in zip(strata.items(), numbers, strict=True)
    }


def chance_of_missing(
    sizes: Sequence[int], drawn: Sequence[int], share: float
) -> tuple[int, float]:
    """Return how many blocks a share is, and the largest probability that a sample misses all.

    With K_h altered ones of the M_h blocks of stratum h, of which N_h are drawn without
    replacement, the probability is

        prod_h C(M_h - K_h, N_h) / C(M_h, N_h)

    (hypergeometric). Its logarithm is concave in each K_h, so that adding the altered blocks one
    by one, each where it lowers the probability least, finds the largest value over all ways to
    distribute them. With one stratum this is the probability itself.

    Parameters
    ----------
    sizes, drawn : sequence of int
        M_h and N_h.
    share : float
        Share of altered blocks; their number is rounded up.

    Returns
    -------
    n_altered : int
    chance : float
    """
    n_altered = math.ceil(share * sum(sizes))
    chance = 1.0
    altered = [0] * len(sizes)
    # The factor by which one more altered block in a stratum lowers the probability.
    waiting = [
        (-(size - n) / size, index)
        for index, (size, n) in enumerate(zip(sizes, drawn, strict=True))
    ]
    heapq.heapify(waiting)
    for _ in range(n_altered):
        factor, index = heapq.heappop(waiting)
        chance *= -factor
        altered[index] += 1
        left = sizes[index] - altered[index]
        if left:
            heapq.heappush(waiting, (-max(left - drawn[index], 0) / left, index))
    return n_altered, chance
