"""Growing losaw trees: Algorithm 4.3 of losaw at every node, compiled.

Rows drawn more than once are merged to (row, count), which changes no sum. Each continuous
feature keeps the node's rows in its own sorted order; a split partitions these orders stably,
so that nothing is ever sorted again. Raw moments of the adjustment features and sums over levels
are computed for the smaller child; the larger one's are the parent's minus those.
"""

import numpy as np

from losaw.forest.growing.arrays import (
    LEAF,
    CellWorkspace,
    Classes,
    ForestData,
    Node,
    Nodes,
    Sample,
    Settings,
    Split,
    Workspace,
)
from losaw.forest.growing.bootstrap import draw_sample, next_index
from losaw.forest.growing.gini import node_classes
from losaw.forest.growing.partition import mark_left, partition
from losaw.forest.growing.scan_levels import level_sums, subtract_sums
from losaw.forest.growing.split_continuous import split_continuous
from losaw.forest.growing.split_discrete import split_discrete
from losaw.forest.growing.weights_continuous import add_moments
from losaw.forest.growing.weights_of_eight import settle
from losaw.kernels.compiled import REORDERED, inlined_kernel, kernel
from losaw.kernels.vectors import LANES

# In small nodes two features often part the rows alike: their decreases are equal but for rounding,
# and the one drawn first is taken, whatever the order in which a processor adds.
_TIE = 1e-9


@inlined_kernel(fastmath=REORDERED)
def node_moments(rows: np.ndarray, start: int, end: int, pair: np.ndarray) -> tuple:
    """Count, mean and variance of the response in a node."""
    count = 0.0
    first = 0.0
    second = 0.0
    for i in range(start, end):
        row = rows[0, i]
        c = pair[row, 0]
        cy = pair[row, 1]
        count += c
        first += cy
        second += cy * cy / c
    mean = first / count
    return count, mean, second / count - mean * mean


@inlined_kernel()
def write_leaf(nodes: Nodes, place: int, mean: float, count: float, impurity: float) -> None:
    """A node without a split."""
    nodes.feature[place] = LEAF
    nodes.left[place] = LEAF
    nodes.right[place] = LEAF
    nodes.threshold[place] = np.nan
    nodes.value[place] = mean
    nodes.n_samples[place] = count
    nodes.impurity[place] = max(impurity, 0.0)
    nodes.relative_decrease[place] = 0.0
    nodes.effective_size[place] = 1.0
    nodes.capped_size[place] = 1.0
    nodes.left_levels[place] = np.uint64(0)


@kernel(inline="always")
def find_split(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace | None,
    classes: Classes | None,
    node: Node,
) -> int:
    """Draw features and return the place of the best one among them, or -1 (Definition 4.2).

    Features and splits of all that were drawn are left in the workspace.
    """
    n_features = len(data.is_discrete)
    wanted = min(settings.max_features, n_features)
    min_leaf = float(settings.min_samples_leaf)
    drawn = 0
    n_constant = 0
    while drawn == n_constant and drawn < n_features:  # go on while all were constant
        # A draw without replacement: the drawn ones are swapped to the front.
        first_drawn = drawn
        while drawn < wanted:
            swap = drawn + next_index(work.state, n_features - drawn)
            feature = work.features[swap]
            work.features[swap] = work.features[drawn]
            work.features[drawn] = feature
            drawn += 1
        wanted += 1
        for i in range(first_drawn, drawn):
            feature = work.features[i]
            split = Split(0.0, 0, 1.0, 1.0, False)
            if not data.is_discrete[feature]:
                split = split_continuous(data, settings, sample, work, node, feature, classes)
            elif cells is not None and classes is not None:
                split = split_discrete(
                    data, settings, sample, work, cells, node, feature, i, classes
                )
            n_constant += split.is_constant
            work.splits[i, 0] = split.decrease
            work.splits[i, 1] = split.place
            work.splits[i, 2] = split.effective_size
            work.splits[i, 3] = split.capped_size
            # Small logits wait for each other, at most until the last candidate.
            if cells is not None:
                n_waiting = cells.batch.waiting[0]
                if n_waiting == LANES or (i + 1 == drawn and n_waiting > 0):
                    cells.unfinished[0] += settle(
                        cells.batch, settings.eta, min_leaf, node.n_samples, work.splits
                    )
    best = -1
    best_decrease = 1e-12  # below: rounding error, not a decrease
    for i in range(drawn):
        if work.splits[i, 0] > best_decrease * (1.0 + _TIE):
            best = i
            best_decrease = work.splits[i, 0]
    return best


@kernel(inline="always")
def grow_tree(
    data: ForestData,
    settings: Settings,
    seed: int,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace | None,
    classes: Classes | None,
    nodes: Nodes,
    offset: int,
) -> int:
    """Grow one tree into ``nodes`` from ``offset`` on; returns its number of nodes."""
    # The tree's sample, and the root with all of it. Pending nodes lie on a stack; a node's slot
    # there also holds its moments of the adjustment features and its sums over levels.
    work.state[0] = seed
    n_rows = draw_sample(data, settings.bootstrap, work.state, sample)
    n_features = len(data.is_discrete)
    for p in range(n_features):
        work.features[p] = p
    n_continuous = sample.order.shape[0]
    width = data.design_width
    use_moments = width > 1 and settings.eta < 1.0 and n_continuous > 0
    min_leaf = settings.min_samples_leaf
    stack_node = work.stack[0]
    stack_start = work.stack[1]
    stack_end = work.stack[2]
    stack_depth = work.stack[3]
    depth_on_stack = 1
    stack_node[0] = 0
    stack_start[0] = 0
    stack_end[0] = n_rows
    stack_depth[0] = 0
    n_nodes = 1
    total_impurity = 0.0
    if use_moments:
        add_moments(sample.rows, 0, n_rows, sample.pair, sample.design, width, work.gram[0])
    if cells is not None:
        level_sums(sample.rows, 0, n_rows, sample.codes, sample.pair, 0, cells.sums)

    while depth_on_stack > 0:
        # The next node is written as a leaf, and stays one where it is deep, small or pure.
        depth_on_stack -= 1
        slot = depth_on_stack
        number = stack_node[slot]
        start = stack_start[slot]
        end = stack_end[slot]
        depth = stack_depth[slot]
        count, mean, impurity = node_moments(sample.rows, start, end, sample.pair)
        if classes is not None and data.n_classes > 2:
            count, impurity = node_classes(
                sample.rows,
                start,
                end,
                sample.labels,
                sample.pair,
                nodes.distribution,
                offset + number,
            )
        if number == 0:
            total_impurity = impurity
        write_leaf(nodes, offset + number, mean, count, impurity)
        if (
            depth >= settings.max_depth
            or count < 2 * min_leaf
            or impurity <= 1e-14 * total_impurity
        ):
            continue

        node = Node(start, end, count, mean, impurity, slot)
        best = find_split(data, settings, sample, work, cells, classes, node)
        if best < 0:
            continue

        # The best split makes an inner node of it, whose children get the next two numbers.
        best_feature = work.features[best]
        place = int(work.splits[best, 1])
        n_left, left_count, threshold, left_levels = mark_left(
            data,
            sample,
            best_feature,
            place,
            work.left_levels[best],
            start,
            end,
            work.goes_left,
        )
        middle = start + n_left
        left = n_nodes
        right = n_nodes + 1
        n_nodes += 2
        nodes.feature[offset + number] = best_feature
        nodes.left[offset + number] = left
        nodes.right[offset + number] = right
        nodes.threshold[offset + number] = threshold
        nodes.left_levels[offset + number] = left_levels
        nodes.relative_decrease[offset + number] = work.splits[best, 0]
        nodes.effective_size[offset + number] = work.splits[best, 2]
        nodes.capped_size[offset + number] = work.splits[best, 3]

        # The node's rows are parted, left ones first; so are all sorted orders if a child may be
        # split again. The order of the feature that was split on is parted as it stands.
        deeper = depth + 1 < settings.max_depth and (
            left_count >= 2 * min_leaf or count - left_count >= 2 * min_leaf
        )
        partition(sample.rows, 0, start, end, work.goes_left, work.scratch)
        if deeper:
            sorted_already = -1
            if not data.is_discrete[best_feature]:
                sorted_already = data.position[best_feature]
            for q in range(n_continuous):
                if q != sorted_already:
                    partition(sample.order, q, start, end, work.goes_left, work.scratch)

        # The larger child goes below on the stack, into the parent's slot.
        left_is_larger = 2 * n_left > end - start
        for is_smaller in range(2):
            is_left = left_is_larger if is_smaller == 0 else not left_is_larger
            stack_node[depth_on_stack] = left if is_left else right
            stack_start[depth_on_stack] = start if is_left else middle
            stack_end[depth_on_stack] = middle if is_left else end
            stack_depth[depth_on_stack] = depth + 1
            depth_on_stack += 1
        if not deeper:
            continue

        # The smaller child's sums are made from its rows; what they leave of the parent's, in the
        # parent's slot, are the larger child's.
        small_start = middle if left_is_larger else start
        small_end = end if left_is_larger else middle
        if use_moments:
            add_moments(
                sample.rows,
                small_start,
                small_end,
                sample.pair,
                sample.design,
                width,
                work.gram[slot + 1],
            )
            for i in range(width):
                for j in range(data.design.shape[1]):
                    work.gram[slot, i, j] -= work.gram[slot + 1, i, j]
        if cells is not None:
            level_sums(
                sample.rows,
                small_start,
                small_end,
                sample.codes,
                sample.pair,
                slot + 1,
                cells.sums,
            )
            subtract_sums(cells.sums, slot, slot + 1)
    return n_nodes


@kernel()
def grow_trees(
    data: ForestData,
    settings: Settings,
    seeds: np.ndarray,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace | None,
    classes: Classes | None,
    nodes: Nodes,
    n_nodes: np.ndarray,
) -> None:
    """Grow one tree per seed, one after the other in ``nodes``; fills their sizes.

    Where ``cells`` or ``classes`` is None, nothing that needs them is compiled.
    """
    offset = 0
    for tree in range(len(seeds)):
        n_nodes[tree] = grow_tree(
            data, settings, seeds[tree], sample, work, cells, classes, nodes, offset
        )
        offset += n_nodes[tree]
