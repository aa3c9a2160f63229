"""Trees of a regression forest grown again without some of their columns, where that changes them.

A tree that looks at all columns in every node takes the best split of all. Without a column that
did not win, the same split wins: the tree stays as it is above the nodes that the column splits.
Only below those it is grown again, on the rows and the bootstrap weights that reached them, and
only on the ways that the rows take whose predictions are needed.

The rules are those of scikit-learn (:mod:`losaw.fitted_trees.squared_error_splits`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.fitted_trees.squared_error_splits import (
    GrowthLimits,
    SortedRows,
    best_split,
    is_leaf_with_mean,
)
from losaw.kernels.compiled import allocating_kernel, inlined_kernel, kernel
from losaw.kernels.row_order import part_by_threshold, part_rows
from losaw.kernels.trees import LEAF, Trees


class _Waiting(NamedTuple):
    """The rows that wait at a node: places in the orders of training rows and of asked rows."""

    first: int
    end: int
    from_asked: int
    to_asked: int
    depth: int


class _Orders(NamedTuple):
    """Rows in an order that is parted at every node, and arrays to part them with."""

    rows: NDArray[np.int32]  # (n_columns, n_rows), training rows by every column's value
    asked: NDArray[np.int32]  # (n_asked,)
    spare: NDArray[np.int32]  # (the larger number of rows,)
    is_left: NDArray[np.bool_]  # (n_rows,)


@inlined_kernel()
def _put(stack: NDArray[np.int64], place: int, waiting: _Waiting) -> None:
    for k in range(len(waiting)):
        stack[place, k] = waiting[k]


@inlined_kernel()
def _taken(stack: NDArray[np.int64], place: int) -> _Waiting:
    own = stack[place]
    return _Waiting(own[0], own[1], own[2], own[3], own[4])


@inlined_kernel()
def _part(
    rows: SortedRows,
    asked: NDArray[np.float32],
    orders: _Orders,
    is_left_out: NDArray[np.bool_],
    node: _Waiting,
    column: int,
    threshold: float,
) -> tuple[_Waiting, _Waiting]:
    """Part the rows of a node in the orders of the columns that are left; return both children."""
    middle_asked = part_by_threshold(
        orders.asked, node.from_asked, node.to_asked, asked[column], threshold, orders.spare
    )
    values, order = rows.columns[column], orders.rows[column]
    for i in range(node.first, node.end):
        orders.is_left[order[i]] = values[order[i]] <= threshold
    middle = node.first
    for j in range(len(is_left_out)):
        if not is_left_out[j]:
            middle = part_rows(orders.rows[j], node.first, node.end, orders.is_left, orders.spare)
    return (
        _Waiting(node.first, middle, node.from_asked, middle_asked, node.depth + 1),
        _Waiting(middle, node.end, middle_asked, node.to_asked, node.depth + 1),
    )


@kernel()
def _grow_again(
    rows: SortedRows,
    weights: NDArray[np.float64],
    is_left_out: NDArray[np.bool_],
    limits: GrowthLimits,
    orders: _Orders,
    stack: NDArray[np.int64],
    asked: NDArray[np.float32],
    random: NDArray[np.uint64],
    total: NDArray[np.float64],
) -> None:
    """Grow from the node on the stack; add the predictions of its asked rows to ``total``."""
    some = 0
    while is_left_out[some]:
        some += 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node = _taken(stack, n_waiting)
        is_leaf, mean = is_leaf_with_mean(
            rows, weights, limits, orders.rows[some], node.first, node.end, node.depth
        )
        column, threshold = -1, 0.0
        if not is_leaf:
            column, threshold = best_split(
                rows, weights, is_left_out, limits, orders.rows, node.first, node.end, random
            )
        if column < 0:
            for i in range(node.from_asked, node.to_asked):
                total[orders.asked[i]] += mean
            continue
        # A side that no asked row takes is not grown; the left one is entered first.
        left, right = _part(rows, asked, orders, is_left_out, node, column, threshold)
        if right.from_asked < right.to_asked:
            _put(stack, n_waiting, right)
            n_waiting += 1
        if left.from_asked < left.to_asked:
            _put(stack, n_waiting, left)
            n_waiting += 1


@allocating_kernel()
def _make_orders(n_columns: int, n_rows: int, n_asked: int) -> _Orders:
    return _Orders(
        np.empty((n_columns, n_rows), np.int32),
        np.empty(n_asked, np.int32),
        np.empty(max(n_rows, n_asked), np.int32),
        np.empty(n_rows, np.bool_),
    )


@inlined_kernel()
def _fill_with_bag(rows: SortedRows, weights: NDArray[np.float64], orders: _Orders) -> int:
    """Fill the orders with the rows of a tree's sample and all asked rows; return the former."""
    n = 0
    for j in range(len(rows.order)):
        n = 0
        for i in range(rows.order.shape[1]):
            orders.rows[j, n] = rows.order[j, i]
            n += weights[rows.order[j, i]] > 0.0
    for i in range(len(orders.asked)):
        orders.asked[i] = i
    return n


@allocating_kernel()
def add_without(
    trees: Trees,
    value: NDArray[np.float64],
    rows: SortedRows,
    weights: NDArray[np.float64],
    asked: NDArray[np.float32],
    left_out: NDArray[np.bool_],
    limits: GrowthLimits,
    seeds: NDArray[np.uint64],
    total: NDArray[np.float64],
) -> None:
    """Add the predictions of the trees, grown again without one set of columns after the other.

    Parameters
    ----------
    value : array of shape (n_nodes,)
        Means of the nodes as they were grown.
    weights : array of shape (n_trees, n_rows)
        How often a row is in a tree's sample.
    asked : array of shape (n_columns, n_asked)
        Rows whose predictions are needed.
    left_out : array of shape (n_sets, n_columns)
    seeds : array of shape (n_trees, n_sets)
        Not 0; they decide among equally good splits, and are changed.
    total : array of shape (n_sets, n_asked)
    """
    n_columns, n_rows = rows.columns.shape
    n_asked, n_nodes = asked.shape[1], np.max(np.diff(trees.starts))
    orders = _make_orders(n_columns, n_rows, n_asked)
    below = _make_orders(n_columns, n_rows, n_asked)
    stack = np.empty((n_rows + 1, 5), np.int64)
    waiting = np.empty((n_nodes, 5), np.int64)
    # The sets that split no node above: their trees are as they were up to here.
    is_as_grown = np.empty((n_nodes, len(left_out)), np.bool_)
    none = np.zeros(n_columns, np.bool_)
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        is_as_grown[:] = False
        is_as_grown[0] = True
        _put(waiting, 0, _Waiting(0, _fill_with_bag(rows, weights[tree], orders), 0, n_asked, 0))
        # Children come after their parent.
        for node in range(root, trees.starts[tree + 1]):
            here = node - root
            if not is_as_grown[here].any():
                continue
            at, feature = _taken(waiting, here), trees.feature[node]
            if at.from_asked == at.to_asked:
                continue
            left, right = trees.left[node] - root, trees.right[node] - root
            for out in range(len(left_out)):
                if not is_as_grown[here, out]:
                    continue
                if feature == LEAF:
                    for i in range(at.from_asked, at.to_asked):
                        total[out, orders.asked[i]] += value[node]
                elif not left_out[out, feature]:
                    is_as_grown[left, out] = is_as_grown[right, out] = True
                else:
                    for j in range(n_columns):
                        if not left_out[out, j]:
                            below.rows[j, at.first : at.end] = orders.rows[j, at.first : at.end]
                    for i in range(at.from_asked, at.to_asked):
                        below.asked[i] = orders.asked[i]
                    _put(stack, 0, at)
                    _grow_again(
                        rows,
                        weights[tree],
                        left_out[out],
                        limits,
                        below,
                        stack,
                        asked,
                        seeds[tree, out : out + 1],
                        total[out],
                    )
            if feature != LEAF and is_as_grown[left].any():
                on_left, on_right = _part(
                    rows, asked, orders, none, at, feature, trees.threshold[node]
                )
                _put(waiting, left, on_left)
                _put(waiting, right, on_right)
