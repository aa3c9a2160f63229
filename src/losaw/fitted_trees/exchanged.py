"""Predictions of a forest when features are exchanged, all features in one walk through a tree.

A row whose feature is exchanged takes another way than before only from a node on that splits the
feature and sends the two values to different sides. So a tree is walked once per row, and once more
from every such node, instead of once for every row and feature.

The values of the leaves are added in the order of the trees, as forests predict: the sums are those
of as many whole predictions, to the last bit.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import compiled, inlined
from losaw.kernels.level_sets import bit
from losaw.kernels.trees import LEAF, Trees, add_values


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
            add_values(self.trees, value, rows, out[:, 0])
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
        unit_of_column = np.full(columns.shape[1], -1, dtype=np.int64)
        for unit, members in enumerate(units):
            unit_of_column[members] = unit
        stamp = np.zeros(len(units), dtype=np.int64)
        total = np.zeros((len(self.values), len(columns), 1 + len(units)))
        rows, others = _contiguous(columns), _contiguous(copies)
        for value, out in zip(self.values, total, strict=True):
            stamp[:] = -1
            add_exchanged(self.trees, value, rows, others, unit_of_column, stamp, out)
        return self._mean(total)

    def grow(
        self, row: FloatArray, background: FloatArray, units: Sequence[NDArray[np.intp]]
    ) -> FloatArray:
        """Predictions of background rows that take one unit after the other from ``row``.

        Returns
        -------
        array of shape (n_units, n_background) or (n_units, n_background, n_outputs)
            At place k the first k + 1 units are those of ``row``.
        """
        place = np.full(len(row), len(units), dtype=np.int64)
        for unit, members in enumerate(units):
            place[members] = unit
        stack = np.empty((len(units) + 2, 3), dtype=np.int64)
        total = np.zeros((len(self.values), len(background), len(units)))
        given, rows = np.ascontiguousarray(row, dtype=float)[None], _contiguous(background)
        for value, out in zip(self.values, total, strict=True):
            add_growing(self.trees, value, given, rows, place, stack, out)
        return self._mean(total)

    def _mean(self, total: FloatArray) -> FloatArray:
        """Sums (n_outputs, n_rows, n_places) to means, places first."""
        total /= self.trees.n_trees
        return total[0].T if self.is_single else total.transpose(2, 1, 0)


def _contiguous(columns: FloatArray) -> FloatArray:
    return np.require(columns, dtype=np.float64, requirements=["C", "A", "W"])


@inlined()
def goes_left(trees: Trees, node: int, x: float) -> bool:
    """Whether a value goes left at a node."""
    if len(trees.left_levels) > 0 and np.isnan(trees.threshold[node]):
        return bool((trees.left_levels[node] & bit(int(x))) != np.uint64(0))
    return bool(x <= trees.threshold[node])


@inlined()
def child(trees: Trees, node: int, left: bool) -> int:
    """The left or the right child of a node."""
    return int(trees.left[node]) if left else int(trees.right[node])


@compiled()
def add_exchanged(
    trees: Trees,
    value: np.ndarray,
    X: np.ndarray,
    copies: np.ndarray,
    unit_of_column: np.ndarray,
    stamp: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_rows, 1 + n_units); ``stamp`` (n_units,) holds -1."""
    turn = 0
    for tree in range(len(trees.starts) - 1):
        for row in range(X.shape[0]):
            node = trees.starts[tree]
            feature = trees.feature[node]
            while feature != LEAF:
                left = goes_left(trees, node, X[row, feature])
                unit = unit_of_column[feature]
                is_open = unit >= 0 and stamp[unit] != turn
                if is_open and goes_left(trees, node, copies[row, feature]) != left:
                    stamp[unit] = turn
                    at = child(trees, node, not left)
                    split = trees.feature[at]
                    while split != LEAF:
                        x = X[row, split]
                        if unit_of_column[split] == unit:
                            x = copies[row, split]
                        at = child(trees, at, goes_left(trees, at, x))
                        split = trees.feature[at]
                    out[row, 1 + unit] += value[at]
                node = child(trees, node, left)
                feature = trees.feature[node]
            of_leaf = value[node]
            out[row, 0] += of_leaf
            for unit in range(len(stamp)):
                if stamp[unit] != turn:
                    out[row, 1 + unit] += of_leaf
            turn += 1


@compiled()
def add_growing(
    trees: Trees,
    value: np.ndarray,
    row: np.ndarray,
    background: np.ndarray,
    place: np.ndarray,
    stack: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add the values of leaves to ``out`` (n_background, n_units).

    Column j of a background row is that of ``row`` (1, n_columns) from place ``place[j]`` on. A
    walk is made for a range of places; where the two values go to different sides it parts in two.
    ``stack`` (n_units + 2, 3) holds the nodes and ranges that are still to be walked.
    """
    n_places = out.shape[1]
    for tree in range(len(trees.starts) - 1):
        for other in range(background.shape[0]):
            stack[0, 0], stack[0, 1], stack[0, 2] = trees.starts[tree], 0, n_places
            n_waiting = 1
            while n_waiting > 0:
                n_waiting -= 1
                node = stack[n_waiting, 0]
                first, end = stack[n_waiting, 1], stack[n_waiting, 2]
                feature = trees.feature[node]
                while feature != LEAF:
                    turn = place[feature]
                    if turn <= first:
                        left = goes_left(trees, node, row[0, feature])
                    else:
                        left = goes_left(trees, node, background[other, feature])
                        if turn < end and goes_left(trees, node, row[0, feature]) != left:
                            stack[n_waiting, 0] = child(trees, node, not left)
                            stack[n_waiting, 1] = turn
                            stack[n_waiting, 2] = end
                            n_waiting += 1
                            end = turn
                    node = child(trees, node, left)
                    feature = trees.feature[node]
                for k in range(first, end):
                    out[other, k] += value[node]
