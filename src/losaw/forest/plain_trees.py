"""Growing trees by the rules of scikit-learn's random forest, compiled."""

import numpy as np

from losaw.forest.growing.arrays import ForestData, Nodes, Sample, Settings
from losaw.forest.growing.bootstrap import draw_sample
from losaw.forest.growing.growth import node_moments, write_leaf
from losaw.forest.growing.partition import partition
from losaw.forest.growing.scan_levels import level_sums, subtract_sums
from losaw.forest.plain_splits import Room, find_split, go_left
from losaw.kernels.compiled import inlined_kernel, kernel


@inlined_kernel()
def _grow_tree(
    data: ForestData,
    settings: Settings,
    seed: int,
    sample: Sample,
    room: Room,
    nodes: Nodes,
    offset: int,
) -> int:
    """Grow one tree into ``nodes`` from ``offset`` on; returns its number of nodes."""
    room.state[0] = seed
    n_rows = draw_sample(data, settings.bootstrap, room.state, sample)
    for p in range(len(data.is_discrete)):
        room.features[p] = p
    for i in range(n_rows):
        room.ones[i, 1] = sample.pair[i, 0]
    has_levels = len(data.n_levels) > 0
    smallest = max(2, 2 * settings.min_samples_leaf)  # of the nodes that may be split
    stack = room.stack
    stack[0, 0] = 0
    stack[1, 0] = 0
    stack[2, 0] = n_rows
    stack[3, 0] = 0
    n_waiting = 1
    n_nodes = 1
    total_impurity = 0.0
    if has_levels:
        level_sums(sample.rows, 0, n_rows, sample.codes, room.ones, 0, room.rows)
        level_sums(sample.rows, 0, n_rows, sample.codes, sample.pair, 0, room.sums)

    while n_waiting > 0:
        # The next node is written as a leaf, and stays one where it is deep, small or pure.
        n_waiting -= 1
        slot = n_waiting
        number = stack[0, slot]
        start = stack[1, slot]
        end = stack[2, slot]
        depth = stack[3, slot]
        count, mean, impurity = node_moments(sample.rows, start, end, sample.pair)
        if number == 0:
            total_impurity = impurity
        write_leaf(nodes, offset + number, mean, count, impurity)
        if (
            depth >= settings.max_depth
            or end - start < smallest
            or impurity <= 1e-14 * total_impurity
        ):
            continue
        feature, decrease, place, above = find_split(
            data, settings, sample, room, slot, start, end, count, mean
        )
        if feature < 0:
            continue

        # The split makes an inner node of it, whose children get the next two numbers.
        n_left, threshold = go_left(data, sample, room, feature, place, above, start, end)
        middle = start + n_left
        left = n_nodes
        right = n_nodes + 1
        n_nodes += 2
        nodes.feature[offset + number] = feature
        nodes.left[offset + number] = left
        nodes.right[offset + number] = right
        nodes.threshold[offset + number] = threshold
        nodes.relative_decrease[offset + number] = decrease / impurity

        # Rows, and sorted orders if a child may be split again, are parted, left ones first.
        deeper = depth + 1 < settings.max_depth and max(n_left, end - middle) >= smallest
        partition(sample.rows, 0, start, end, room.goes_left, room.scratch)
        if deeper:
            for q in range(sample.order.shape[0]):
                if data.is_discrete[feature] or q != data.position[feature]:
                    partition(sample.order, q, start, end, room.goes_left, room.scratch)

        # The larger child goes below on the stack, into the parent's slot.
        left_is_larger = 2 * n_left > end - start
        for is_smaller in range(2):
            is_left = left_is_larger if is_smaller == 0 else not left_is_larger
            stack[0, n_waiting] = left if is_left else right
            stack[1, n_waiting] = start if is_left else middle
            stack[2, n_waiting] = middle if is_left else end
            stack[3, n_waiting] = depth + 1
            n_waiting += 1

        # The smaller child's sums over levels are made from its rows; what they leave of the
        # parent's, in the parent's slot, are the larger child's.
        if deeper and has_levels:
            first = middle if left_is_larger else start
            last = end if left_is_larger else middle
            level_sums(sample.rows, first, last, sample.codes, room.ones, slot + 1, room.rows)
            level_sums(sample.rows, first, last, sample.codes, sample.pair, slot + 1, room.sums)
            subtract_sums(room.rows, slot, slot + 1)
            subtract_sums(room.sums, slot, slot + 1)
    return n_nodes


@kernel()
def grow_plain_trees(
    data: ForestData,
    settings: Settings,
    seeds: np.ndarray,
    sample: Sample,
    room: Room,
    nodes: Nodes,
    n_nodes: np.ndarray,
) -> None:
    """Grow one tree per seed, one after the other in ``nodes``; fills their sizes."""
    offset = 0
    for tree in range(len(seeds)):
        n_nodes[tree] = _grow_tree(data, settings, seeds[tree], sample, room, nodes, offset)
        offset += n_nodes[tree]
