"""A fitted model's own columns, of which single ones are exchanged."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.mean_of_trees import MeanOfTrees
from losaw.support.jobs import Jobs, each_short, n_threads_of
from losaw.support.outcomes import Task, class_numbers, finite_numbers

# Rows that are led through the trees at a time, or fewer, so that every thread has some.
_BLOCK = 1000
# Rows predicted in one call, as long as whole tables go into it; the same for any number of jobs.
_BATCH = 5_000
_NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class ModelColumns:
    """A model's own columns.

    Attributes
    ----------
    encode : callable
        Features (n_samples, n_features) to columns (n_samples, n_columns).
    groups : tuple of array
        Columns of each feature.
    predict : callable
        Columns to means, or to probabilities as :mod:`losaw.scoring.losses` has them.
    classes : array of shape (n_classes,) or None
        Of a classifier.
    read_trees : callable
        The model as a mean of trees of these columns, which exchanges columns at less cost; None
        if it is none.
    """

    encode: Callable[[FloatArray], FloatArray]
    groups: tuple[NDArray[np.intp], ...]
    predict: Callable[[FloatArray], FloatArray]
    classes: NDArray[Any] | None = None
    read_trees: Callable[[], MeanOfTrees | None] = lambda: None

    @property
    def task(self) -> Task:
        return "regression" if self.classes is None else "classification"

    def response(self, y: ArrayLike) -> FloatArray:
        """y (n_samples,) as a loss compares it: numbers, or positions in ``classes``."""
        return finite_numbers(y) if self.classes is None else class_numbers(y, self.classes)

    def columns_of_unit(self, members: NDArray[np.intp]) -> NDArray[np.intp]:
        """The columns of several features."""
        return np.concatenate([_NONE, *(self.groups[j] for j in members)])

    def predict_each(
        self, matrices: Iterable[FloatArray], total: int, jobs: Jobs, what: str
    ) -> Iterator[FloatArray]:
        """Predictions of ``total`` matrices of columns, in few calls of the model."""

        def predict(batch: list[FloatArray]) -> list[FloatArray]:
            ends = np.cumsum([len(matrix) for matrix in batch])[:-1]
            rows = batch[0] if len(batch) == 1 else np.vstack(batch)
            return np.split(np.asarray(self.predict(rows)), ends)

        # Matrices of one call are of one size, as all callers have them.
        first, matrices = _first(matrices)
        size = max(1, _BATCH // max(len(first), 1))
        batches = _batches(matrices, size)
        for predictions in each_short(jobs, predict, batches, -(-total // size), what):
            yield from predictions

    @cached_property
    def _trees(self) -> MeanOfTrees | None:
        return self.read_trees()

    def unchanged(self, columns: FloatArray) -> FloatArray:
        """Predictions of columns as they are, added up as :meth:`exchange` does."""
        encoded = None if self._trees is None else _finite(self._trees.encode(columns))
        if self._trees is None or encoded is None:
            return self.predict(columns)
        return self._trees.trees.predict(encoded)

    def exchange(
        self,
        columns: FloatArray,
        copies: Iterable[FloatArray],
        n_copies: int,
        units: Sequence[NDArray[np.intp]],
        jobs: Jobs,
        what: str,
    ) -> Iterator[Sequence[FloatArray]]:
        """Predictions as they are, and with one unit's columns after the other taken from copies.

        Parameters
        ----------
        columns : array of shape (n_rows, n_columns)
        copies : iterable of n_copies such arrays
            Taken one after the other, in the calling thread.
        units : sequence of int arrays
            Columns.

        Yields
        ------
        sequence of 1 + n_units arrays (n_rows, …)
            For every copy.
        """
        trees = self._trees
        encoded = None if trees is None else _finite(trees.encode(columns))
        if trees is None or encoded is None:
            same = self.predict(columns)
            matrices = (_exchanged(columns, copy, unit) for copy in copies for unit in units)
            found = self.predict_each(matrices, n_copies * len(units), jobs, what)
            while predictions := list(itertools.islice(found, len(units))):
                yield [same, *predictions]
            return
        members = [trees.columns_of(unit) for unit in units]
        # Whole copies, or parts of their rows where there are too few to keep all threads busy.
        n_threads = n_threads_of(jobs)
        n_parts = 1 if n_copies >= 4 * n_threads else n_threads
        size = min(_BLOCK, -(-len(encoded) // n_parts))
        blocks = [slice(at, at + size) for at in range(0, len(encoded), size)]
        whole = encoded

        def parts() -> Iterator[tuple[FloatArray, FloatArray | None, slice]]:
            for copy in copies:
                other = _finite(trees.encode(copy))
                yield from ((copy, other, rows) for rows in blocks)

        def of_part(part: tuple[FloatArray, FloatArray | None, slice]) -> FloatArray:
            copy, other, rows = part
            if other is not None:
                return trees.trees.exchange(whole[rows], other[rows], members)
            changed = (_exchanged(columns[rows], copy[rows], unit) for unit in (_NONE, *units))
            return np.stack([self.predict(matrix) for matrix in changed])

        predicted = each_short(jobs, of_part, parts(), n_copies * len(blocks), what)
        while of_copy := list(itertools.islice(predicted, len(blocks))):
            yield list(np.concatenate(of_copy, axis=1))

    def grow(
        self,
        rows: FloatArray,
        background: FloatArray,
        units: Sequence[NDArray[np.intp]],
        orders: Sequence[NDArray[np.intp]],
    ) -> Iterator[FloatArray]:
        """Predictions of the background when it takes a row's columns, one unit after the other.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
        background : array of shape (n_background, n_columns)
        units : sequence of int arrays
            Columns.
        orders : sequence of int arrays
            For every row the places of its units, in the order in which they are taken.

        Yields
        ------
        array of shape (n_units * n_background, …)
            For every row; the first n_background with one unit, the next with two, ….
        """
        trees = self._trees
        others = None if trees is None else _finite(trees.encode(background))
        encoded = None if trees is None else _finite(trees.encode(rows))
        if trees is None or others is None or encoded is None:
            matrices = (
                _growing(row, background, [units[j] for j in order])
                for row, order in zip(rows, orders, strict=True)
            )
            yield from self.predict_each(matrices, len(rows), Jobs(), "sage")
            return
        members = [trees.columns_of(unit) for unit in units]
        predictions = trees.trees.grow(encoded, others, members, orders)
        yield from predictions.reshape(len(predictions), -1, *predictions.shape[3:])


def _finite(columns: FloatArray) -> FloatArray | None:
    """Columns as trees can compare them; None where a value is missing."""
    return columns if np.isfinite(columns).all() else None


def _first(matrices: Iterable[FloatArray]) -> tuple[FloatArray, Iterator[FloatArray]]:
    """The first matrix, and all of them."""
    remaining = iter(matrices)
    first = next(remaining)

    def all_of_them() -> Iterator[FloatArray]:
        yield first
        yield from remaining

    return first, all_of_them()


def _batches(matrices: Iterator[FloatArray], size: int) -> Iterator[list[FloatArray]]:
    batch: list[FloatArray] = []
    for matrix in matrices:
        batch.append(matrix)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _exchanged(columns: FloatArray, copies: FloatArray, unit: NDArray[np.intp]) -> FloatArray:
    changed = columns.copy()
    changed[:, unit] = copies[:, unit]
    return changed


def _growing(
    row: FloatArray, background: FloatArray, order: Sequence[NDArray[np.intp]]
) -> FloatArray:
    """The background with one unit of ``row`` after another filled in, stacked."""
    filled = background.copy()
    stages = []
    for unit in order:
        filled[:, unit] = row[unit]
        stages.append(filled.copy())
    return np.concatenate(stages)
