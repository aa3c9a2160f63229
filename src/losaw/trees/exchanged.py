"""Predictions of a forest when features are exchanged, all features in one descent through a tree.

A row whose feature is exchanged leaves the way of the row as it is only at a node that splits the
feature and sends the two values to different sides. So every row descends a tree once, and once
more from every such node, instead of once for every row and feature. All rows descend together,
node by node: at a node they are compared with one threshold and parted, which does not wait for the
way of a single row and needs no branch that a processor would have to guess.

The values of the leaves are added in the order of the trees, as forests predict: the sums are those
of as many whole predictions, to the last bit.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import inlined_kernel, kernel
from losaw.kernels.trees import LEAF, Trees, bit


class Descent(NamedTuple):
    """The rows of all places on their way down a tree, and space to part them.

    An entry that descends is a row and a place in the result: place 0 for the row as it is, place
    1 + j for the row with unit j exchanged. Entries are ordered by the nodes that they wait at.
    Numbers are unsigned: a signed index is tested for counting from the end.
    """

    rows: NDArray[np.uint32]  # (n_rows * (1 + n_units) + 1,), of every entry; one is to spare
    places: NDArray[np.uint32]  # the same shape
    right_rows: NDArray[np.uint32]  # entries of a node that go right
    right_places: NDArray[np.uint32]
    # The nodes that are still to be entered, with the range of entries that waits there. Ranges
    # are entered from the end, so that the last may grow.
    stack: NDArray[np.int64]  # (n_rows * (1 + n_units) + 1, 3)
    # (n_rows, 1 + n_units), the last tree in which a row parted, or -1.
    parted_in: NDArray[np.int32]
    leaves: NDArray[np.int32]  # (n_rows, 1 + n_units), the leaf of every entry


def exchanged_predictions(
    trees: Trees,
    value: FloatArray,
    columns: FloatArray,
    copies: FloatArray,
    units: Sequence[NDArray[np.intp]],
) -> FloatArray:
    """Predictions of rows as they are, and with one unit after the other taken from the copies.

    ``columns`` and ``copies`` are (n_rows, n_columns), as the trees compare them; ``units`` the
    columns of every unit, no column in two; ``value``, (n_nodes,) or (n_nodes, n_outputs), what a
    node predicts as a leaf. Returns (1 + n_units, n_rows[, n_outputs]).
    """
    place_of_column = np.zeros(columns.shape[1], dtype=np.uint32)
    for unit, members in enumerate(units):
        place_of_column[members] = 1 + unit
    values = _by_output(value)
    shape = (len(columns), 1 + len(units))
    size = shape[0] * shape[1] + 1
    descent = Descent(
        rows=np.empty(size, dtype=np.uint32),
        places=np.empty(size, dtype=np.uint32),
        right_rows=np.empty(size, dtype=np.uint32),
        right_places=np.empty(size, dtype=np.uint32),
        stack=np.empty((size, 3), dtype=np.int64),
        parted_in=np.full(shape, -1, dtype=np.int32),
        leaves=np.empty(shape, dtype=np.int32),
    )
    total = np.zeros((len(values), *shape))
    rows, others = _contiguous(columns.T), _contiguous(copies.T)
    add_exchanged(trees, values, rows, others, place_of_column, descent, total)
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
    for own, order in zip(taken_at, orders, strict=True):
        for place, unit in enumerate(order):
            own[units[unit]] = place
    values = _by_output(value)
    stack = np.empty((len(units) + 2, 3), dtype=np.int64)
    total = np.zeros((len(values), len(rows), len(background), len(units)))
    given, others = _contiguous(rows), _contiguous(background)
    for of_output, out in zip(values, total, strict=True):
        add_growing(trees, of_output, given, others, taken_at, stack, out)
    total /= trees.n_trees
    return total[0].transpose(0, 2, 1) if value.ndim == 1 else total.transpose(1, 3, 2, 0)


def _by_output(value: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.atleast_2d(value.T), dtype=float)


def _contiguous(columns: FloatArray) -> FloatArray:
    return np.require(columns, dtype=np.float64, requirements=["C", "A", "W"])


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
    X: np.ndarray,
    copies: np.ndarray,
    place_of_column: np.ndarray,
    descent: Descent,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_outputs, n_rows, 1 + n_units).

    Only the row as it is, place 0, begins at the root. Where the two values of a unit go to
    different sides for the first time in a tree, it parts in two::

                     root      (row 7, place 0)
                      |
              x_2 <= 4 ?       row 7 has x_2 = 3, its copy has x_2 = 9
              /            \
        (row 7, 0)      (row 7, place of the unit of x_2)      parted_in[7, place] = this tree
             |                        |
            ...                      ...       below, that entry takes x_2 from the copy
           leaf A                   leaf B

    In the end ``out[7, 0]`` gets the value of leaf A, and so does every place that never parted;
    the place of the unit of x_2 gets that of leaf B.

    Parameters
    ----------
    X, copies : array of shape (n_columns, n_rows)
        Rows by column.
    place_of_column : array of shape (n_columns,)
        1 + the unit of a column; 0 for a column of no unit.
    """
    rows, places, stack = descent.rows, descent.places, descent.stack
    parted_in, leaves = descent.parted_in, descent.leaves
    n_rows = X.shape[1]
    has_sets = len(trees.left_levels) > 0
    for tree in range(len(trees.starts) - 1):
        for row in range(n_rows):
            rows[row], places[row] = row, 0
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.starts[tree], 0, n_rows
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, start, end = stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2]
            feature = trees.feature[node]
            if feature == LEAF:
                for k in range(start, end):
                    leaves[rows[k], places[k]] = node
                continue
            threshold = trees.threshold[node]
            is_set = has_sets and np.isnan(threshold)
            levels = trees.left_levels[node] if is_set else np.uint64(0)
            place_here = place_of_column[feature]
            has_unit = place_here > 0
            n_left, n_right = np.uint64(start), np.uint64(0)
            for k in range(start, end):
                row, place = rows[k], places[k]
                own = _is_left(X[feature, row], threshold, is_set, levels)
                other = _is_left(copies[feature, row], threshold, is_set, levels)
                left = other if (place == place_here) & has_unit else own
                last = parted_in[row, place_here]
                parts = (own != other) & (place == 0) & has_unit & (last != tree)
                parted_in[row, place_here] = tree if parts else last
                # Written to both sides, and overwritten on the side where it does not stay: there
                # is no branch to be mispredicted.
                rows[n_left], places[n_left] = row, place if left else place_here
                descent.right_rows[n_right] = row
                descent.right_places[n_right] = place_here if left else place
                n_left += np.uint64(left | parts)
                n_right += np.uint64((not left) | parts)
            if n_left > start:
                stack[n_waiting, 0] = trees.left[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = start, n_left
                n_waiting += 1
            if n_right > 0:
                for k in range(n_right):
                    rows[n_left + k] = descent.right_rows[k]
                    places[n_left + k] = descent.right_places[k]
                stack[n_waiting, 0] = trees.right[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = n_left, n_left + n_right
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
