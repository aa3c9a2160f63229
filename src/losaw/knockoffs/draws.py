"""Several draws of knockoffs, on several threads, and how far they are from their features."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.support.threads import Jobs, each_short, n_threads_of


def draws(sampler: Any, n_draws: int, rng: np.random.Generator, jobs: Jobs) -> Iterator[FloatArray]:
    """Knockoffs of a fitted sampler, one draw after the other, whatever the number of threads.

    A single draw takes its numbers from ``rng``; of several, each has a generator of its own,
    seeded from it.
    """
    generators = [rng]
    if n_draws > 1:
        generators = [as_generator(int(seed)) for seed in rng.integers(2**63, size=n_draws)]
    threads = Jobs(jobs.n_jobs if getattr(sampler, "handles_threads", False) else 1)
    samplers = [sampler] * n_draws
    if n_threads_of(threads) > 1:  # what it notes of its last draw is noted of the last one
        samplers[:-1] = (copy(sampler) for _ in samplers[:-1])

    def draw(turn: int) -> FloatArray:
        knockoffs: FloatArray = samplers[turn].sample(generators[turn])
        return knockoffs

    return each_short(threads, draw, range(n_draws), n_draws, "knockoffs")


def own_shares(
    columns: FloatArray, copies: FloatArray, units: Sequence[NDArray[np.intp]]
) -> FloatArray:
    """Return the mean square of X - X~ over twice the variance, the largest of every unit.

    1 for independent copies, 0 where a knockoff is its feature; NaN if all columns of a unit are
    constant. A value whose knockoff is missing, or the reverse, counts like an independent copy.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = columns - np.nanmean(columns, axis=0) if len(columns) else columns
        variance = np.nanmean(centred**2, axis=0)
        moved = (columns - copies) ** 2
        moved = np.where(np.isnan(columns) & np.isnan(copies), 0.0, moved)
        moved = np.where(np.isnan(moved), 2.0 * variance, moved)
        share = moved.mean(axis=0) / (2.0 * variance)
    varies = variance > 0
    for j in np.flatnonzero(~varies):  # constant where it is known, but not always known
        missing = np.isnan(columns[:, j])
        if missing.any() and not missing.all():
            share[j] = (missing != np.isnan(copies[:, j])).mean() / (
                2.0 * missing.mean() * (1.0 - missing.mean())
            )
            varies[j] = True
    share[~varies] = -np.inf
    largest = np.array([share[unit].max(initial=-np.inf) for unit in units])
    return np.where(np.isneginf(largest), np.nan, largest)
