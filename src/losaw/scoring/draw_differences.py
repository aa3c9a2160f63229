"""Differences in loss of single rows when features are replaced by draws."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.knockoffs import make_sampler
from losaw.rng import as_generator
from losaw.scoring.model_on_table import ModelOnTable
from losaw.scoring.rows import Rows, require_complete
from losaw.scoring.tests import Differences, Fit
from losaw.support.threads import Jobs, each_short, n_threads_of

# A draw that differs from its feature by less than this part of what an independent draw would
# leaves nothing to be tested.
SMALLEST_OWN_SHARE = 1e-3
REASON_FOR_COPIES = "untestable: its draws are its copies, because the other features determine it"
_CONSTANT = "constant: there is nothing to test"


def sampler_of(sampler: Any, parameters: Mapping[str, Any] | None) -> Any:
    """Return a new sampler; Gaussian knockoffs that are given by name take ``s_method="mvr"``.

    The published semidefinite program sets s_j = 0 for many strongly correlated features, whose
    knockoffs are then copies although no other feature determines them.
    """
    parameters = dict(parameters or {})
    if sampler == "gaussian":
        parameters.setdefault("s_method", "mvr")
    return make_sampler(sampler, **parameters)


def draws_of(
    sampler: Any, rows: Rows, models: Sequence[Fit], n_draws: int, rng: np.random.Generator
) -> list[FloatArray] | None:
    """Return draws of all rows by a sampler that draws units given all columns outside of them.

    It is fitted once to all rows, since it never sees the response. None for joint knockoffs, which
    are fitted to the rows that a fold holds out, as published: see :func:`with_knockoffs`.
    """
    if not getattr(sampler, "handles_units", False):
        return None
    subject = models[0].model
    fit_units(sampler, rows, rng, subject.members)
    return list(draws(sampler, n_draws, rng, subject.jobs))


def fit_units(
    sampler: Any, rows: Rows, rng: np.random.Generator, units: list[NDArray[np.intp]]
) -> None:
    """Fit a sampler of units to all rows, with their weights and clusters where it takes them."""
    more: dict[str, Any] = {}
    if getattr(sampler, "handles_weights", False):
        more["weights"] = rows.weights
    if getattr(sampler, "handles_clusters", False):
        more["clusters"] = rows.clusters
    sampler.fit(rows.table.codes, rows.table.kinds, rng, units=units, **more)


def with_knockoffs(
    sampler: Any, subject: ModelOnTable, n_draws: int, rng: np.random.Generator
) -> Differences:
    """Return the differences when held-out rows are replaced by knockoffs fitted to them."""
    table, columns = subject.table, subject.columns
    knows_levels = getattr(sampler, "handles_nominal", False)
    _check_sampler(subject, sampler, knows_levels)
    if knows_levels:
        sampler.fit(table.codes, table.kinds, rng)
    elif columns.shape[1]:
        sampler.fit(columns, None, rng)
    knockoffs = draws(sampler, n_draws, rng, subject.jobs)
    reason = getattr(sampler, "reason_for_copies", REASON_FOR_COPIES)
    return differences_of_draws(subject, knockoffs, n_draws, knows_levels, reason)


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


def differences_of_draws(
    subject: ModelOnTable,
    drawn: Iterable[FloatArray],
    n_draws: int,
    knows_levels: bool = True,
    reason: str = REASON_FOR_COPIES,
) -> Differences:
    """Return the loss with each scored unit replaced minus the loss, (n_rows, n_units).

    Parameters
    ----------
    subject : ModelOnTable
    drawn : iterable of n_draws arrays
        Draws of the features, (n_rows, n_features), or of the model's columns.
    knows_levels : bool
        Whether ``drawn`` contains features; if not, the model's columns.
    reason : str
        The note of a unit whose draws are its copies.
    """
    columns, replaced = subject.columns, subject.scored_columns
    total = np.zeros((len(subject.table), len(replaced)))
    own = np.zeros(len(replaced))

    seen, given = itertools.tee(map(subject.encode, drawn) if knows_levels else drawn)
    exchanged = subject.exchange(given, n_draws, "cpi, draws")
    for copies, predictions in zip(seen, exchanged, strict=True):
        own += own_shares(columns, copies, replaced)
        original, *others = (subject.loss(subject.y, predicted) for predicted in predictions)
        total += np.column_stack([other - original for other in others])
    own /= n_draws
    notes = {
        name: _CONSTANT if np.isnan(share) else reason
        for name, share in zip(subject.names, own, strict=True)
        if not share >= SMALLEST_OWN_SHARE
    }
    return Differences(total / n_draws, details={"own_share": own, "notes": notes})


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


def _check_sampler(subject: ModelOnTable, sampler: Any, knows_levels: bool) -> None:
    if not getattr(sampler, "handles_missing", False):
        require_complete(
            subject.table,
            f"{type(sampler).__name__} cannot draw them",
            "use sampler='conditional', or impute them first",
        )
    if knows_levels or subject.table.is_plain:
        return
    for name, levels in zip(subject.table.names, subject.table.levels, strict=True):
        if levels is not None:
            raise ValueError(
                f"column {name!r} holds levels, which {type(sampler).__name__} would imitate as "
                "numbers; use sampler='conditional'"
            )
