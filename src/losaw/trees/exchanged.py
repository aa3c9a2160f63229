"""Predictions of a forest when features are exchanged, all in one descent through a tree.

A row whose feature is exchanged leaves the way of the row as it is only at a node that splits the
feature and sends the two values to different sides. So every row descends a tree once, and once
more from every such node, instead of once for every row and feature. All rows descend together,
node by node, and with several copies: at a node they are compared with one threshold and parted,
which does not wait for the way of a single row and needs no branch that a processor would have to
guess.

The values of the leaves are added in the order of the trees, as forests predict: the sums are those
of as many whole predictions, to the last bit.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import inlined_kernel, kernel
from losaw.kernels.trees import LEAF, Trees, bit


class Places(NamedTuple):
    """What the places of a result exchange. Units and sources count from 1; 0 is the row as it is.

    Place 0 of the result is the row as it is; the other places are all units of the first copy,
    then those of the next.
    """

    unit_of_column: NDArray[np.uint32]  # (n_columns,), 0 for a column of no unit
    unit: NDArray[np.uint32]  # (n_places,)
    source: NDArray[np.uint32]  # (n_places,), where the unit's columns are taken from

    @classmethod
    def of(cls, units: Sequence[NDArray[np.intp]], n_columns: int, n_copies: int) -> Self:
        """Number the places of some units, each its columns, and of some copies."""
        unit_of_column = np.zeros(n_columns, dtype=np.uint32)
        numbers = np.arange(1, len(units) + 1, dtype=np.uint32)
        if len(units) > 0:
            columns = np.concatenate(units)
            if len(np.unique(columns)) < len(columns):
                raise ValueError("a column is in two units, which cannot be exchanged apart")
            unit_of_column[columns] = np.repeat(numbers, [len(columns) for columns in units])
        unit, source = np.zeros((2, 1 + n_copies * len(units)), dtype=np.uint32)
        unit[1:] = np.tile(numbers, n_copies)
        source[1:] = np.repeat(np.arange(1, n_copies + 1), len(units))
        return cls(unit_of_column, unit, source)


class Descent(NamedTuple):
    """The rows on their way down a tree, and space to part them.

    Rows that wait at a node stand together. A row that has parted is written with its place, as
    ``place << 32 | row``. Numbers are unsigned: a signed index is tested for counting from the end.
    """

    rows: NDArray[np.uint32]  # (n_rows + 1,), rows as they are; one is to spare
    right_rows: NDArray[np.uint32]  # those of a node that go right
    parted: NDArray[np.uint64]  # (n_rows * (n_places - 1) + 1,), rows with a unit exchanged
    right_parted: NDArray[np.uint64]
    # The nodes that are still to be entered, with the ranges of ``rows`` and of ``parted`` that
    # wait there. Ranges are entered from the end, so that the last may grow.
    stack: NDArray[np.int64]  # (nodes of the largest tree, 5)
    parted_in: NDArray[np.int32]  # (n_rows, n_places), the last tree in which a row parted, or -1
    leaves: NDArray[np.int32]  # (n_rows, n_places), the leaf of every row and place

    @classmethod
    def of(cls, trees: Trees, n_rows: int, n_places: int) -> Self:
        """Make space for some rows and places."""
        shape, most_parted = (n_rows, n_places), n_rows * (n_places - 1) + 1
        return cls(
            rows=np.empty(n_rows + 1, dtype=np.uint32),
            right_rows=np.empty(n_rows + 1, dtype=np.uint32),
            parted=np.empty(most_parted, dtype=np.uint64),
            right_parted=np.empty(most_parted, dtype=np.uint64),
            stack=np.empty((np.diff(trees.starts).max(), 5), dtype=np.int64),
            parted_in=np.full(shape, -1, dtype=np.int32),
            leaves=np.empty(shape, dtype=np.int32),
        )


def exchanged_predictions(
    trees: Trees,
    value: FloatArray,
    columns: FloatArray,
    copies: FloatArray,
    units: Sequence[NDArray[np.intp]],
) -> FloatArray:
    """Predictions of rows as they are, and with one unit after the other taken from the copies.

    ``columns`` are (n_rows, n_columns) and ``copies`` (n_copies, n_rows, n_columns), as the trees
    compare them; ``units`` the columns of every unit, no column in two; ``value``, (n_nodes,) or
    (n_nodes, n_outputs), what a node predicts as a leaf. Returns (n_places, n_rows[, n_outputs]),
    with the places of :class:`Places`.
    """
    places = Places.of(units, columns.shape[1], len(copies))
    shape = (len(columns), len(places.unit))
    sources = np.array([columns.T, *copies.transpose(0, 2, 1)], dtype=float, order="C")
    values = _by_output(value)
    total = np.zeros((len(values), *shape))
    add_exchanged(trees, values, sources, places, Descent.of(trees, *shape), total)
    total /= trees.n_trees
    return total[0].T if value.ndim == 1 else total.transpose(2, 1, 0)


def growing_predictions(
    trees: Trees,
    value: FloatArray,
    rows: FloatArray,
    background: FloatArray,
    units: Sequence[NDArray[np.intp]],
    orders: Sequence[NDArray[np.intp]],
) -> FloatArray:
    """Predictions of background rows that take one unit after the other from a row.

    ``orders`` has, for each of the ``rows``, the units in the order in which they are taken.
    Returns (n_rows, n_units, n_background[, n_outputs]): at place k the first k + 1 units are the
    row's.
    """
    taken_at = np.full(rows.shape, len(units), dtype=np.int64)
    for place_of_column, order in zip(taken_at, orders, strict=True):
        for place, unit in enumerate(order):
            place_of_column[units[unit]] = place
    values = _by_output(value)
    stack = np.empty((len(units) + 2, 3), dtype=np.int64)
    total = np.zeros((len(values), len(rows), len(background), len(units)))
    contiguous_rows, others = _contiguous(rows), _contiguous(background)
    for of_output, out in zip(values, total, strict=True):
        add_growing(trees, of_output, contiguous_rows, others, taken_at, stack, out)
    total /= trees.n_trees
    return total[0].transpose(0, 2, 1) if value.ndim == 1 else total.transpose(1, 3, 2, 0)


def _by_output(value: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.atleast_2d(value.T), dtype=float)


def _contiguous(columns: FloatArray) -> FloatArray:
    return np.require(columns, dtype=np.float64, requirements=["C", "A", "W"])


# The parts of ``place << 32 | row``.
_PLACE, _ROW = np.uint64(32), np.uint64(2**32 - 1)


@inlined_kernel()
def goes_left(trees: Trees, node: int, x: float) -> bool:
    """Return true if a value goes left at a node."""
    if len(trees.left_levels) > 0 and np.isnan(trees.threshold[node]):
        return bool((trees.left_levels[node] & bit(int(x))) != np.uint64(0))
    return bool(x <= trees.threshold[node])


@inlined_kernel()
def child(trees: Trees, node: int, left: bool) -> int:
    """The left or the right child of a node."""
    return int(trees.left[node]) if left else int(trees.right[node])


@kernel()
def add_exchanged(
    trees: Trees,
    values: np.ndarray,
    sources: np.ndarray,
    places: Places,
    descent: Descent,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_outputs, n_rows, n_places).

    Only the row as it is, place 0, begins at the root. Where a unit's values in the row and in a
    copy go to different sides for the first time in a tree, the row parts in two::

                     root      (row 7, place 0)
                      |
              x_2 <= 4 ?       row 7 has x_2 = 3, its copy has x_2 = 9
              /            \
        (row 7, 0)      (row 7, place of the unit of x_2)      parted_in[7, place] = this tree
             |                        |
            ...                      ...       below, that row takes x_2 from the copy
           leaf A                   leaf B

    In the end ``out[7, 0]`` gets the value of leaf A, and so does every place that never parted;
    the place of the unit of x_2 gets that of leaf B.

    Parameters
    ----------
    sources : array of shape (1 + n_copies, n_columns, n_rows)
        The rows as they are, and their copies.
    """
    rows, right_rows, stack = descent.rows, descent.right_rows, descent.stack
    parted, right_parted = descent.parted, descent.right_parted
    parted_in, leaves = descent.parted_in, descent.leaves
    n_sources, n_rows = sources.shape[0], sources.shape[2]
    n_units = np.uint64((len(places.unit) - 1) // max(n_sources - 1, 1))
    has_sets = len(trees.left_levels) > 0
    for tree in range(len(trees.starts) - 1):
        for row in range(n_rows):
            rows[row] = row
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.starts[tree], 0, n_rows
        stack[0, 3], stack[0, 4] = 0, 0
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, start, end = stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2]
            parted_start, parted_end = stack[n_waiting, 3], stack[n_waiting, 4]
            feature = trees.feature[node]
            if feature == LEAF:
                for k in range(start, end):
                    leaves[rows[k], 0] = node
                for k in range(parted_start, parted_end):
                    leaves[parted[k] & _ROW, parted[k] >> _PLACE] = node
                continue
            threshold = trees.threshold[node]
            is_set = has_sets and np.isnan(threshold)
            levels = trees.left_levels[node] if is_set else np.uint64(0)
            unit = places.unit_of_column[feature]
            # A row is written to both sides, and overwritten on the side where it does not stay:
            # there is no branch to be mispredicted.
            n_left_parted, n_right_parted = np.uint64(parted_start), np.uint64(0)
            for k in range(parted_start, parted_end):
                entry = parted[k]
                place = entry >> _PLACE
                source = places.source[place] if places.unit[place] == unit else np.uint32(0)
                left = _is_left(sources[source, feature, entry & _ROW], threshold, is_set, levels)
                parted[n_left_parted] = right_parted[n_right_parted] = entry
                n_left_parted += np.uint64(left)
                n_right_parted += np.uint64(not left)
            n_left, n_right = np.uint64(start), np.uint64(0)
            for k in range(start, end):
                row = rows[k]
                left = _is_left(sources[0, feature, row], threshold, is_set, levels)
                rows[n_left] = right_rows[n_right] = row
                n_left += np.uint64(left)
                n_right += np.uint64(not left)
                if unit == 0:
                    continue
                place = np.uint64(unit)
                for source in range(1, n_sources):
                    other = _is_left(sources[source, feature, row], threshold, is_set, levels)
                    last = parted_in[row, place]
                    parts = (left != other) & (last != tree)
                    parted_in[row, place] = tree if parts else last
                    entry = place << _PLACE | np.uint64(row)
                    parted[n_left_parted] = right_parted[n_right_parted] = entry
                    n_left_parted += np.uint64(parts & other)
                    n_right_parted += np.uint64(parts & left)
                    place += n_units
            if n_left > start or n_left_parted > parted_start:
                stack[n_waiting, 0] = trees.left[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = start, n_left
                stack[n_waiting, 3], stack[n_waiting, 4] = parted_start, n_left_parted
                n_waiting += 1
            if n_right > 0 or n_right_parted > 0:
                for k in range(n_right):
                    rows[n_left + k] = right_rows[k]
                for k in range(n_right_parted):
                    parted[n_left_parted + k] = right_parted[k]
                stack[n_waiting, 0] = trees.right[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = n_left, n_left + n_right
                stack[n_waiting, 3] = n_left_parted
                stack[n_waiting, 4] = n_left_parted + n_right_parted
                n_waiting += 1
        for k in range(len(values)):
            for row in range(n_rows):
                as_it_is = values[k, np.uint64(leaves[row, 0])]
                out[k, row, 0] += as_it_is
                for place in range(1, parted_in.shape[1]):
                    has_parted = parted_in[row, place] == tree
                    leaf = np.uint64(leaves[row, place])
                    out[k, row, place] += values[k, leaf] if has_parted else as_it_is


@inlined_kernel()
def _is_left(x: float, threshold: float, is_set: bool, levels: Any) -> bool:
    """Return true if a value goes left at a node that is read once for many values."""
    if is_set:
        return bool((levels & bit(int(x))) != np.uint64(0))
    return bool(x <= threshold)


@kernel()
def add_growing(
    trees: Trees,
    value: np.ndarray,
    rows: np.ndarray,
    background: np.ndarray,
    taken_at: np.ndarray,
    stack: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_rows, n_background, n_units).

    At place k a background row has taken the first k + 1 units from a row. One walk leads a range
    of places together. Where the values of the row and of the background go to different sides, it
    parts at the place from which on the column is the row's::

              places 0 1 2 3 4          column j is taken at place 2
                     |
               x_j <= 4 ?               background: left, row: right
               /           \
          places 0 1    places 2 3 4    goes on now / waits on the stack

    Parameters
    ----------
    taken_at : int array of shape (n_rows, n_columns)
        The place from which on a column of a background row is that of the row.
    stack : array of shape (n_units + 2, 3)
        The nodes that are still to be entered, with the first place and the end of their ranges.
    """
    n_places = out.shape[2]
    for tree in range(len(trees.starts) - 1):
        for row in range(rows.shape[0]):
            for other in range(background.shape[0]):
                stack[0, 0], stack[0, 1], stack[0, 2] = trees.starts[tree], 0, n_places
                n_waiting = 1
                while n_waiting > 0:
                    n_waiting -= 1
                    node = stack[n_waiting, 0]
                    first, end = stack[n_waiting, 1], stack[n_waiting, 2]
                    feature = trees.feature[node]
                    while feature != LEAF:
                        from_place = taken_at[row, feature]
                        if from_place <= first:
                            left = goes_left(trees, node, rows[row, feature])
                        else:
                            left = goes_left(trees, node, background[other, feature])
                            if (
                                from_place < end
                                and goes_left(trees, node, rows[row, feature]) != left
                            ):
                                stack[n_waiting, 0] = child(trees, node, not left)
                                stack[n_waiting, 1] = from_place
                                stack[n_waiting, 2] = end
                                n_waiting += 1
                                end = from_place
                        node = child(trees, node, left)
                        feature = trees.feature[node]
                    for k in range(first, end):
                        out[row, other, k] += value[node]
