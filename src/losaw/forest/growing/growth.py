"""Growing trees: Algorithm 4.3 of losaw at every node, compiled.

:mod:`losaw.forest.as_printed.forest` is the same in plain Python, in the paper's words.

Rows drawn more than once are merged to (row, count), which changes no sum. Each continuous
feature keeps the node's rows in its own sorted order; a split partitions these orders stably,
so that nothing is ever sorted again. Raw moments of the adjustment features and sums over levels
are computed for the smaller child; the larger one's are the parent's minus those.

With ``eta = 1`` nothing is weighted. The rules in :class:`Settings` then make the trees those of
scikit-learn's forests or of ranger's.
"""

import numpy as np

from losaw.forest.growing.arrays import (
    CAPPED_SIZE,
    CUT,
    DECREASE,
    EFFECTIVE_SIZE,
    LEAF,
    NO_SPLIT,
    Candidate,
    CellWorkspace,
    ClassWorkspace,
    Grower,
    LevelWorkspace,
    Node,
    Nodes,
)
from losaw.forest.growing.bootstrap import draw_sample, next_index
from losaw.forest.growing.gini import node_classes
from losaw.forest.growing.partition import mark_left, partition
from losaw.forest.growing.scan_levels import count_rows, level_sums, subtract_sums
from losaw.forest.growing.split_continuous import split_continuous
from losaw.forest.growing.split_discrete import split_discrete
from losaw.forest.growing.weights_continuous import add_moments
from losaw.kernels.compiled import REORDERED, inlined_kernel, kernel, spliced_kernel

# In small nodes two features often part the rows alike: their decreases are equal but for rounding,
# and the one drawn first is taken, whatever the order in which a processor adds.
_TIE = 1e-9
_ROUNDING = 1e-12  # smaller decreases are rounding errors
_PURE = 1e-14  # of the root's impurity: a node with less has one response, but for rounding
# Rows of the stack of pending nodes.
_NUMBER, _START, _END, _DEPTH = 0, 1, 2, 3


@inlined_kernel(fastmath=REORDERED)
def node_moments(rows: np.ndarray, start: int, end: int, pair: np.ndarray) -> tuple:
    """Count, mean and variance of the response in a node."""
    # Sums of c, c y and c y^2 over the node's rows, y being centred: the variance is then the mean
    # square less the squared mean, without loss of digits.
    count = 0.0
    first = 0.0
    second = 0.0
    for i in range(start, end):
        row = rows[0, i]
        c = pair[row, 0]
        cy = pair[row, 1]
        count += c
        first += cy
        # The pair has c y, not y: (c y)^2 / c is c y^2.
        second += cy * cy / c
    mean = first / count
    return count, mean, second / count - mean * mean


@inlined_kernel()
def write_leaf(nodes: Nodes, index: int, mean: float, count: float, impurity: float) -> None:
    """Write a node without a split."""
    # All that a leaf has of its own are N_k, the unweighted mean and MSE_k (Definition 4.6 takes
    # both).
    nodes.feature[index] = LEAF
    nodes.left[index] = LEAF
    nodes.right[index] = LEAF
    nodes.threshold[index] = np.nan
    nodes.value[index] = mean
    nodes.n_samples[index] = count
    nodes.impurity[index] = max(impurity, 0.0)
    # A leaf splits nothing: no decrease, and all of its effective sample.
    nodes.relative_decrease[index] = 0.0
    nodes.effective_size[index] = 1.0
    nodes.capped_size[index] = 1.0
    nodes.left_levels[index] = np.uint64(0)


@inlined_kernel()
def _push(stack: np.ndarray, slot: int, number: int, start: int, end: int, depth: int) -> int:
    """Put a node on the stack of pending nodes; return how many are pending."""
    stack[_NUMBER, slot] = number
    stack[_START, slot] = start
    stack[_END, slot] = end
    stack[_DEPTH, slot] = depth
    return slot + 1


@inlined_kernel()
def _has_regressions(grower: Grower) -> bool:
    """Return whether continuous targets are weighted, for which moments are needed."""
    # With no design beyond the column of ones nothing is adjusted for; eta = 1 leaves weights
    # uniform.
    data = grower.data
    return data.design_width > 1 and grower.settings.eta < 1.0 and len(data.values) > 0


@inlined_kernel()
def _sum_node(
    grower: Grower, levels: LevelWorkspace | None, start: int, end: int, slot: int
) -> None:
    """Compute what the splits of rows[start:end] need: moments of adjustment, sums over levels."""
    settings, sample, work = grower.settings, grower.sample, grower.work
    width = grower.data.design_width
    # Sums c a a' of the adjustment features, for the node regressions of continuous targets.
    if _has_regressions(grower):
        add_moments(sample.rows, start, end, sample.pair, sample.design, width, work.gram[slot])
    # Counts and responses by level, from which all splits of discrete features are found.
    if levels is not None:
        level_sums(sample.rows, start, end, sample.codes, sample.pair, slot, levels.sums)
        if settings.counts_rows_once:
            count_rows(sample.rows, start, end, sample.codes, slot, levels.row_sums)


@inlined_kernel()
def _subtract_node(grower: Grower, levels: LevelWorkspace | None, slot: int, other: int) -> None:
    """Subtract the sums of one child from its parent's: they become the other child's."""
    # Sums over the parent's rows less those over one child's are the other child's: the larger
    # child's rows are never read for them.
    work, width = grower.work, grower.data.design_width
    if _has_regressions(grower):
        for i in range(width):
            for j in range(grower.data.design.shape[1]):
                work.gram[slot, i, j] -= work.gram[other, i, j]
    if levels is not None:
        subtract_sums(levels.sums, slot, other)
        if grower.settings.counts_rows_once:
            subtract_sums(levels.row_sums, slot, other)


@inlined_kernel()
def _draw(grower: Grower, drawn: int) -> Candidate:
    """Draw a feature that is not among the ``drawn`` ones, which are at the front."""
    # One step of a Fisher-Yates shuffle: what was drawn moves to the front, and M_try is a uniform
    # sample without replacement.
    features, data = grower.work.features, grower.data
    swap = drawn + next_index(grower.work.state, len(features) - drawn)
    feature = features[swap]
    features[swap] = features[drawn]
    features[drawn] = feature
    return Candidate(feature, data.position[feature], drawn)


@spliced_kernel()
def find_split(
    grower: Grower,
    levels: LevelWorkspace | None,
    cells: CellWorkspace | None,
    classes: ClassWorkspace,
    node: Node,
) -> int:
    """Draw features and return the row of the best one in the table of splits, or -1.

    Definition 4.2 and Algorithm 4.3. Features and splits of all that were drawn are left in the
    workspace.
    """
    # M_try of Algorithm 4.3 is drawn one feature at a time, since redraws depend on what was drawn.
    data, settings, work = grower.data, grower.settings, grower.work
    n_features = len(data.is_discrete)
    wanted = min(settings.max_features, n_features)
    drawn = 0
    n_constant = 0
    # Algorithm 4.3: of each drawn feature p_i its weights w_i, and with them its best split x_i and
    # that split's relative decrease Delta_i.
    while drawn < wanted:
        candidate = _draw(grower, drawn)
        drawn += 1
        # Weights and impurity differ between features, so that only relative decreases compare
        # (Remark 4.4).
        split = NO_SPLIT
        if not data.is_discrete[candidate.feature]:
            split = split_continuous(grower, classes, node, candidate)
        elif levels is not None and cells is not None:
            split = split_discrete(grower, levels, cells, classes, node, candidate)
        n_constant += split.is_constant
        # Row i of the table holds Delta_i, its split, and the effective sample size before and
        # after.
        work.splits[candidate.row, DECREASE] = split.decrease
        work.splits[candidate.row, CUT] = split.cut
        work.splits[candidate.row, EFFECTIVE_SIZE] = split.effective_size
        work.splits[candidate.row, CAPPED_SIZE] = split.capped_size
        # A feature that is constant in the node has no split: as long as only such ones were drawn
        # another is drawn, as in scikit-learn.
        if settings.redraws and n_constant == wanted and wanted < n_features:
            wanted += 1
    # The feature with the largest Delta_i. Where a split need not lower the impurity, any split
    # counts, and only a feature without one (-1) does not.
    best = -1
    best_decrease = _ROUNDING if settings.needs_gain else -0.5
    for i in range(drawn):
        if work.splits[i, DECREASE] > best_decrease * (1.0 + _TIE):
            best = i
            best_decrease = work.splits[i, DECREASE]
    return best


@spliced_kernel()
def grow_tree(
    grower: Grower,
    levels: LevelWorkspace | None,
    cells: CellWorkspace | None,
    classes: ClassWorkspace,
    seed: int,
    nodes: Nodes,
    offset: int,
) -> int:
    """Grow one tree into ``nodes`` from ``offset`` on; returns its number of nodes."""
    # The tree's sample, and the root with all of it. Pending nodes are on a stack; a node's slot
    # there is also that of its moments of the adjustment features and its sums over levels.
    data, settings, sample, work = grower.data, grower.settings, grower.sample, grower.work
    # The tree's own random stream draws its bootstrap sample first, then features at each node.
    work.state[0] = seed
    n_rows = draw_sample(data, settings.bootstrap, work.state, sample)
    # Any permutation to start from will do: the draws make it a random one. This one is the same in
    # every tree, which then depends on its seed alone.
    for p in range(len(data.is_discrete)):
        work.features[p] = p
    # The root is node 0, and has slot 0 with the sums over all rows.
    min_leaf = settings.min_samples_leaf
    stack = work.stack
    n_pending = _push(stack, 0, 0, 0, n_rows, 0)
    n_nodes = 1
    total_impurity = 0.0
    _sum_node(grower, levels, 0, n_rows, 0)

    while n_pending > 0:
        # The next node is written as a leaf, and stays one where it is deep, small or pure.
        n_pending -= 1
        slot = n_pending
        number = stack[_NUMBER, slot]
        start = stack[_START, slot]
        end = stack[_END, slot]
        depth = stack[_DEPTH, slot]
        index = offset + number
        count, mean, impurity = node_moments(sample.rows, start, end, sample.pair)
        if data.has_several_classes:
            count, impurity = node_classes(sample, start, end, nodes.distribution, index)
        # Purity is measured against the root: a node's own impurity has no scale to compare with.
        if number == 0:
            total_impurity = impurity
        write_leaf(nodes, index, mean, count, impurity)
        # N_k counts a row as often as it was drawn: counting it once, as ranger does, does not
        # reproduce losaw's Table 7.
        size = float(end - start) if settings.counts_rows_once else count
        if (
            depth >= settings.max_depth
            or size < 2 * min_leaf
            or count < settings.min_samples_split
            or impurity <= _PURE * total_impurity
        ):
            continue
        node = Node(start, end, count, size, mean, impurity, slot)
        best = find_split(grower, levels, cells, classes, node)
        # Definition 4.2 has no maximiser: no drawn feature has a split, and the node stays a leaf.
        if best < 0:
            continue

        # The best split makes an inner node of it, whose children get the next two numbers.
        feature = work.features[best]
        n_left, left_size, threshold, left_levels = mark_left(grower, levels, node, best)
        # Children are numbered when their parent is split, so that they always stand behind it.
        middle = start + n_left
        left, right = n_nodes, n_nodes + 1
        n_nodes += 2
        nodes.feature[index] = feature
        nodes.left[index] = left
        nodes.right[index] = right
        nodes.threshold[index] = threshold
        nodes.left_levels[index] = left_levels
        # Delta_k^rel, of which Definition 4.6 makes importances together with MSE_k and N_k.
        nodes.relative_decrease[index] = work.splits[best, DECREASE]
        nodes.effective_size[index] = work.splits[best, EFFECTIVE_SIZE]
        nodes.capped_size[index] = work.splits[best, CAPPED_SIZE]

        # The node's rows are parted, left ones first; so are all sorted orders if a child may be
        # split again. The order of the feature that was split on is parted as it is.
        is_split_again = depth + 1 < settings.max_depth and (
            left_size >= 2 * min_leaf or size - left_size >= 2 * min_leaf
        )
        partition(sample.rows, 0, start, end, work.goes_left, work.scratch)
        if is_split_again:
            sorted_already = -1 if data.is_discrete[feature] else data.position[feature]
            for q in range(sample.order.shape[0]):
                if q != sorted_already:
                    partition(sample.order, q, start, end, work.goes_left, work.scratch)

        # The larger child goes below on the stack, into the parent's slot. The smaller one's sums
        # are made from its rows; what they leave of the parent's are the larger one's.
        if 2 * n_left > end - start:
            n_pending = _push(stack, slot, left, start, middle, depth + 1)
            n_pending = _push(stack, n_pending, right, middle, end, depth + 1)
        else:
            n_pending = _push(stack, slot, right, middle, end, depth + 1)
            n_pending = _push(stack, n_pending, left, start, middle, depth + 1)
        if is_split_again:
            _sum_node(grower, levels, stack[_START, slot + 1], stack[_END, slot + 1], slot + 1)
            _subtract_node(grower, levels, slot, slot + 1)
    return n_nodes


@kernel()
def grow_trees(
    grower: Grower,
    levels: LevelWorkspace | None,
    cells: CellWorkspace | None,
    classes: ClassWorkspace,
    seeds: np.ndarray,
    nodes: Nodes,
    n_nodes: np.ndarray,
) -> None:
    """Grow one tree per seed, one after the other in ``nodes``; fills their sizes.

    Where ``levels`` and ``cells`` are None, nothing that needs them is compiled.
    """
    # Trees lie one behind the other, so that a batch of them is one set of arrays.
    offset = 0
    for tree in range(len(seeds)):
        n_nodes[tree] = grow_tree(grower, levels, cells, classes, seeds[tree], nodes, offset)
        offset += n_nodes[tree]
