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

from losaw.fitted_trees.squared_error_splits import Limits, Rows, best_split, is_leaf_with_mean
from losaw.kernels.compiled import allocating_kernel, inlined_kernel, kernel
from losaw.kernels.row_order import part_by_threshold, part_rows, sort_rows
from losaw.kernels.trees import LEAF, Trees

# A node with more than one in so many of all rows takes their common order; a smaller one sorts.
_SHARE = 8
# How far a leaf's value may be from the mean of its rows, relative to their largest response.
_TOLERANCE = 1e-9


class Grown(NamedTuple):
    """The trees as they were grown, and their nodes."""

    trees: Trees
    value: NDArray[np.float64]
    weight: NDArray[np.float64]  # sum of the bootstrap weights of a node's rows


class _Work(NamedTuple):
    """Arrays that are reused for every node that is grown; ``n`` is the number of rows."""

    order: NDArray[np.int32]  # (n_columns, n), the node's rows by every column's value
    spare: NDArray[np.int32]  # (the larger of n and the number of asked rows,)
    is_left: NDArray[np.bool_]  # (n,)
    stack: NDArray[np.int64]  # (n + 1, 5): first and last row, first and last asked row, depth
    asked: NDArray[np.int32]  # (n_asked,)


@inlined_kernel()
def _push(
    work: _Work, place: int, first: int, end: int, from_asked: int, to_asked: int, depth: int
) -> None:
    """Put a node on the stack."""
    work.stack[place, 0], work.stack[place, 1] = first, end
    work.stack[place, 2], work.stack[place, 3] = from_asked, to_asked
    work.stack[place, 4] = depth


@kernel()
def _grow_again(
    rows: Rows,
    weights: NDArray[np.float64],
    is_left_out: NDArray[np.bool_],
    limits: Limits,
    work: _Work,
    asked: NDArray[np.float32],
    random: NDArray[np.uint64],
    predicted: NDArray[np.float64],
) -> None:
    """Grow from the node on the stack; fills the predictions of its asked rows."""
    some = 0
    while is_left_out[some]:
        some += 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        first, end = work.stack[n_waiting, 0], work.stack[n_waiting, 1]
        from_asked, to_asked = work.stack[n_waiting, 2], work.stack[n_waiting, 3]
        depth = work.stack[n_waiting, 4]
        is_leaf, mean = is_leaf_with_mean(
            rows, weights, limits, work.order[some], first, end, depth
        )
        column, threshold = -1, 0.0
        if not is_leaf:
            column, threshold = best_split(
                rows, weights, is_left_out, limits, work.order, first, end, random
            )
        if column < 0:
            for i in range(from_asked, to_asked):
                predicted[work.asked[i]] = mean
            continue
        middle_asked = part_by_threshold(
            work.asked, from_asked, to_asked, asked[column], threshold, work.spare
        )
        values = rows.columns[column]
        for i in range(first, end):
            row = work.order[some, i]
            work.is_left[row] = values[row] <= threshold
        middle = first
        for j in range(len(is_left_out)):
            if not is_left_out[j]:
                middle = part_rows(work.order[j], first, end, work.is_left, work.spare)
        # A side that no asked row takes is not grown.
        if middle_asked < to_asked:
            _push(work, n_waiting, middle, end, middle_asked, to_asked, depth + 1)
            n_waiting += 1
        if from_asked < middle_asked:
            _push(work, n_waiting, first, middle, from_asked, middle_asked, depth + 1)
            n_waiting += 1


@inlined_kernel()
def _gather(
    rows: Rows,
    is_left_out: NDArray[np.bool_],
    work: _Work,
    node_rows: NDArray[np.int32],
    stamp: NDArray[np.int32],
    turn: int,
) -> None:
    """The rows of a node in the order of every column that is left."""
    n = len(node_rows)
    is_large = n * _SHARE > rows.columns.shape[1]
    if is_large:
        for i in range(n):
            stamp[node_rows[i]] = turn
    for j in range(len(is_left_out)):
        if is_left_out[j]:
            continue
        order = work.order[j]
        if is_large:
            place = 0
            for i in range(rows.order.shape[1]):
                row = rows.order[j, i]
                if stamp[row] == turn:
                    order[place] = row
                    place += 1
        else:
            for i in range(n):
                order[i] = node_rows[i]
            sort_rows(order, n, rows.columns[j], work.spare)


@kernel()
def _lead(
    trees: Trees,
    tree: int,
    columns: NDArray[np.float32],
    taken: NDArray[np.int32],
    ends: NDArray[np.int64],
    spare: NDArray[np.int32],
) -> None:
    """Order rows by the leaves they reach; node k then has those from ends[k, 0] to ends[k, 1]."""
    root = trees.starts[tree]
    ends[0, 0], ends[0, 1] = 0, len(taken)
    # Children stand behind their parent.
    for node in range(root, trees.starts[tree + 1]):
        if trees.feature[node] == LEAF:
            continue
        first, end = ends[node - root, 0], ends[node - root, 1]
        middle = part_by_threshold(
            taken, first, end, columns[trees.feature[node]], trees.threshold[node], spare
        )
        left, right = trees.left[node] - root, trees.right[node] - root
        ends[left, 0], ends[left, 1] = first, middle
        ends[right, 0], ends[right, 1] = middle, end


@inlined_kernel()
def _is_as_grown(
    grown: Grown,
    tree: int,
    rows: Rows,
    weights: NDArray[np.float64],
    taken: NDArray[np.int32],
    ends: NDArray[np.int64],
    largest: float,
) -> bool:
    """Return whether the leaves have the weights and the means of these rows."""
    root = grown.trees.starts[tree]
    for node in range(root, grown.trees.starts[tree + 1]):
        if grown.trees.feature[node] != LEAF:
            continue
        weight, total = 0.0, 0.0
        for i in range(ends[node - root, 0], ends[node - root, 1]):
            weight += weights[taken[i]]
            total += weights[taken[i]] * rows.response[taken[i]]
        if weight != grown.weight[node]:
            return False
        if not abs(total / weight - grown.value[node]) <= _TOLERANCE * largest:
            return False
    return True


@allocating_kernel()
def add_without(
    grown: Grown,
    rows: Rows,
    weights: NDArray[np.float64],
    asked: NDArray[np.float32],
    left_out: NDArray[np.bool_],
    limits: Limits,
    seeds: NDArray[np.uint64],
    total: NDArray[np.float64],
) -> bool:
    """Add the predictions of the trees, grown again without one set of columns after the other.

    Parameters
    ----------
    weights : array of shape (n_trees, n_rows)
        How often a row is in a tree's sample.
    asked : array of shape (n_columns, n_asked)
        Rows whose predictions are needed.
    left_out : array of shape (n_sets, n_columns)
    seeds : array of shape (n_trees, n_sets)
        Not 0; they decide among equally good splits.
    total : array of shape (n_sets, n_asked)

    Returns
    -------
    bool
        False, and ``total`` is of no use, if the trees were not grown on these rows.
    """
    trees = grown.trees
    n_rows, n_asked = rows.columns.shape[1], asked.shape[1]
    largest = np.abs(rows.response).max()
    n_nodes = 0
    for tree in range(len(trees.starts) - 1):
        n_nodes = max(n_nodes, trees.starts[tree + 1] - trees.starts[tree])
    work = _Work(
        np.empty(rows.columns.shape, np.int32),
        np.empty(max(n_rows, n_asked), np.int32),
        np.empty(n_rows, np.bool_),
        np.empty((n_rows + 1, 5), np.int64),
        np.empty(n_asked, np.int32),
    )
    stamp, turn = np.full(n_rows, -1, np.int32), 0
    every = np.empty(n_rows, np.int32)
    asked_order = np.empty(n_asked, np.int32)
    ends, asked_ends = np.empty((n_nodes, 2), np.int64), np.empty((n_nodes, 2), np.int64)
    depth = np.zeros(n_nodes, np.int64)
    is_reached = np.zeros(n_nodes, np.bool_)
    as_grown, predicted = np.empty(n_asked), np.empty(n_asked)
    random = np.empty(1, np.uint64)
    for tree in range(len(trees.starts) - 1):
        n = 0
        for row in range(n_rows):
            if weights[tree, row] > 0.0:
                every[n] = row
                n += 1
        taken = every[:n]
        for row in range(n_asked):
            asked_order[row] = row
        _lead(trees, tree, rows.columns, taken, ends, work.spare)
        _lead(trees, tree, asked, asked_order, asked_ends, work.spare)
        if not _is_as_grown(grown, tree, rows, weights[tree], taken, ends, largest):
            return False
        root = trees.starts[tree]
        for node in range(root, trees.starts[tree + 1]):
            k = node - root
            if trees.feature[node] == LEAF:
                for i in range(asked_ends[k, 0], asked_ends[k, 1]):
                    as_grown[asked_order[i]] = grown.value[node]
            else:
                depth[trees.left[node] - root] = depth[k] + 1
                depth[trees.right[node] - root] = depth[k] + 1
        for out in range(len(left_out)):
            predicted[:] = as_grown
            random[0] = seeds[tree, out]
            is_reached[:] = False
            is_reached[0] = True
            for node in range(root, trees.starts[tree + 1]):
                k = node - root
                from_asked, to_asked = asked_ends[k, 0], asked_ends[k, 1]
                if not is_reached[k] or trees.feature[node] == LEAF or from_asked == to_asked:
                    continue
                if not left_out[out, trees.feature[node]]:
                    is_reached[trees.left[node] - root] = True
                    is_reached[trees.right[node] - root] = True
                    continue
                node_rows = taken[ends[k, 0] : ends[k, 1]]
                turn += 1
                _gather(rows, left_out[out], work, node_rows, stamp, turn)
                work.asked[from_asked:to_asked] = asked_order[from_asked:to_asked]
                _push(work, 0, 0, len(node_rows), from_asked, to_asked, depth[k])
                _grow_again(
                    rows, weights[tree], left_out[out], limits, work, asked, random, predicted
                )
            for row in range(n_asked):
                total[out, row] += predicted[row]
    return True
