"""Predictions of a forest when features are exchanged, all features in one descent through a tree.

A row whose feature is exchanged takes another way than before only from a node on that splits the
feature and sends the two values to different sides. So every row descends a tree once, and once
more from every such node, instead of once for every row and feature. All of them descend together,
node by node: at a node they are compared with one threshold and parted, which does not wait for the
way of a single row and needs no branch that a processor would have to guess.

The values of the leaves are added in the order of the trees, as forests predict: the sums are those
of as many whole predictions, to the last bit.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import inlined_kernel, kernel
from losaw.kernels.trees import LEAF, Trees, add_values, bit, together


class ExchangeableTrees:
    """Trees whose mean is a model's prediction.

    Parameters
    ----------
    trees : Trees
    value : array of shape (n_nodes,) or (n_nodes, n_outputs)
        What a node predicts as a leaf.
    """

    def __init__(self, trees: Trees, value: FloatArray) -> None:
        self.trees = trees
        self.values = np.ascontiguousarray(np.atleast_2d(value.T), dtype=float)
        self.is_single = value.ndim == 1

    def predict(self, columns: FloatArray) -> FloatArray:
        """Predictions of columns (n_rows, n_columns), without any exchange."""
        total = np.zeros((len(self.values), len(columns), 1))
        rows = _contiguous(columns)
        for value, out in zip(self.values, total, strict=True):
            add_values(self.trees, value, rows, together(), out[:, 0])
        return self._mean(total)[0]

    def exchange(
        self, columns: FloatArray, copies: FloatArray, units: Sequence[NDArray[np.intp]]
    ) -> FloatArray:
        """Predictions as they are, and with one unit after the other taken from the copies.

        Parameters
        ----------
        columns, copies : array of shape (n_rows, n_columns)
            As the trees compare them.
        units : sequence of int arrays
            The columns of every unit; no column is in two.

        Returns
        -------
        array of shape (1 + n_units, n_rows) or (1 + n_units, n_rows, n_outputs)
        """
        place_of_column = np.zeros(columns.shape[1], dtype=np.int32)
        for unit, members in enumerate(units):
            place_of_column[members] = 1 + unit
        shape = (len(columns), 1 + len(units))
        total = np.zeros((len(self.values), *shape))
        add_exchanged(
            self.trees,
            self.values,
            _contiguous(columns.T),
            _contiguous(copies.T),
            place_of_column,
            np.empty((2, shape[0] * shape[1] + 1), dtype=np.uint64),
            np.empty((shape[0] * shape[1] + 1, 3), dtype=np.int64),
            np.full(shape, -1, dtype=np.int32),
            np.empty(shape, dtype=np.int32),
            total,
        )
        return self._mean(total)

    def grow(
        self,
        rows: FloatArray,
        background: FloatArray,
        units: Sequence[NDArray[np.intp]],
        orders: Sequence[NDArray[np.intp]],
    ) -> FloatArray:
        """Predictions of background rows that take one unit after the other from a row.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
        background : array of shape (n_background, n_columns)
        units : sequence of int arrays
            The columns of every unit; no column is in two.
        orders : sequence of n_rows int arrays (n_units,)
            The units of every row in the order in which they are taken.

        Returns
        -------
        array of shape (n_rows, n_units, n_background) or (n_rows, n_units, n_background, n_outputs)
            At place k the first k + 1 units are those of the row.
        """
        place = np.full(rows.shape, len(units), dtype=np.int64)
        for own, order in zip(place, orders, strict=True):
            for turn, unit in enumerate(order):
                own[units[unit]] = turn
        stack = np.empty((len(units) + 2, 3), dtype=np.int64)
        total = np.zeros((len(self.values), len(rows), len(background), len(units)))
        given, others = _contiguous(rows), _contiguous(background)
        for value, out in zip(self.values, total, strict=True):
            add_growing(self.trees, value, given, others, place, stack, out)
        total /= self.trees.n_trees
        return total[0].transpose(0, 2, 1) if self.is_single else total.transpose(1, 3, 2, 0)

    def _mean(self, total: FloatArray) -> FloatArray:
        """Sums (n_outputs, n_rows, n_places) to means, places first."""
        total /= self.trees.n_trees
        return total[0].T if self.is_single else total.transpose(2, 1, 0)


def _contiguous(columns: FloatArray) -> FloatArray:
    return np.require(columns, dtype=np.float64, requirements=["C", "A", "W"])


@inlined_kernel()
def goes_left(trees: Trees, node: int, x: float) -> bool:
    """Return whether a value goes left at a node."""
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
    descending: np.ndarray,
    stack: np.ndarray,
    born: np.ndarray,
    leaves: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_outputs, n_rows, 1 + n_units).

    X and copies (n_columns, n_rows) are given by column. What descends is a row, in the upper half
    of an integer, and a place in ``out``, in the lower half: 0 for the row as it is, 1 + j for the
    row with unit j exchanged, which ``place_of_column`` says of each column (0: in no unit). A row
    as it is parts in two where the values of a unit go to different sides for the first time;
    ``born`` (n_rows, 1 + n_units), -1 at first, holds the tree where it last did. ``stack`` holds
    nodes that are still to be entered, with the range of ``descending`` that waits there; ranges
    are entered from the end, so that the last may grow. Both have a place for all that can descend,
    and one to spare. ``leaves`` (n_rows, 1 + n_units) is scratch.
    """
    entries, spare = descending[0], descending[1]
    n_rows = X.shape[1]
    has_sets = len(trees.left_levels) > 0
    half, lower = np.uint64(32), np.uint64(0xFFFFFFFF)
    for tree in range(len(trees.starts) - 1):
        for row in range(n_rows):
            entries[row] = np.uint64(row) << half
        stack[0, 0], stack[0, 1], stack[0, 2] = trees.starts[tree], 0, n_rows
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, start, end = stack[n_waiting, 0], stack[n_waiting, 1], stack[n_waiting, 2]
            feature = trees.feature[node]
            if feature == LEAF:
                for k in range(start, end):
                    leaves[entries[k] >> half, entries[k] & lower] = node
                continue
            threshold = trees.threshold[node]
            is_set = has_sets and np.isnan(threshold)
            levels = trees.left_levels[node] if is_set else np.uint64(0)
            place_here = np.uint64(place_of_column[feature])
            has_unit = place_here > 0
            # Places are unsigned: a signed one is tested for counting from the end.
            n_left, n_right = np.uint64(start), np.uint64(0)
            for k in range(start, end):
                entry = entries[k]
                row, place = entry >> half, entry & lower
                own = _is_left(X[feature, row], threshold, is_set, levels)
                other = _is_left(copies[feature, row], threshold, is_set, levels)
                left = other if (place == place_here) & has_unit else own
                last = born[row, place_here]
                parts = (own != other) & (place == 0) & has_unit & (last != tree)
                born[row, place_here] = tree if parts else last
                twin = (entry & ~lower) | place_here
                # Written to both sides, and overwritten where it does not stay.
                entries[n_left] = entry if left else twin
                spare[n_right] = twin if left else entry
                n_left += np.uint64(left | parts)
                n_right += np.uint64((not left) | parts)
            if n_left > start:
                stack[n_waiting, 0] = trees.left[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = start, n_left
                n_waiting += 1
            if n_right > 0:
                for k in range(n_right):
                    entries[n_left + k] = spare[k]
                stack[n_waiting, 0] = trees.right[node]
                stack[n_waiting, 1], stack[n_waiting, 2] = n_left, n_left + n_right
                n_waiting += 1
        for k in range(len(values)):
            for row in range(n_rows):
                of_leaf = values[k, np.uint64(leaves[row, 0])]
                out[k, row, 0] += of_leaf
                for place in range(1, born.shape[1]):
                    is_own = born[row, place] == tree
                    leaf = np.uint64(leaves[row, place])
                    out[k, row, place] += values[k, leaf] if is_own else of_leaf


@inlined_kernel()
def _is_left(x: float, threshold: float, is_set: bool, levels: Any) -> bool:
    """:func:`goes_left`, with what it asks of the node asked once for many values."""
    if is_set:
        return bool((levels & bit(int(x))) != np.uint64(0))
    return bool(x <= threshold)


@kernel()
def add_growing(
    trees: Trees,
    value: np.ndarray,
    rows: np.ndarray,
    background: np.ndarray,
    place: np.ndarray,
    stack: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_rows, n_background, n_units).

    Column j of a background row is that of row i from place ``place[i, j]`` on. A walk is made for
    a range of places; where the two values go to different sides it parts in two. ``stack``
    (n_units + 2, 3) holds the nodes and ranges that are still to be walked.
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
                        turn = place[row, feature]
                        if turn <= first:
                            left = goes_left(trees, node, rows[row, feature])
                        else:
                            left = goes_left(trees, node, background[other, feature])
                            if turn < end and goes_left(trees, node, rows[row, feature]) != left:
                                stack[n_waiting, 0] = child(trees, node, not left)
                                stack[n_waiting, 1] = turn
                                stack[n_waiting, 2] = end
                                n_waiting += 1
                                end = turn
                        node = child(trees, node, left)
                        feature = trees.feature[node]
                    for k in range(first, end):
                        out[row, other, k] += value[node]
