"""Gini splits for three and more classes.

The Gini impurity is the sum of the variances of the class indicators,
``1 - sum_c p_c^2 = sum_c p_c (1 - p_c)``, so that losaw's Definition 4.1 carries over by adding up
its terms over the indicators. With W_L, T_L^c the weight and the weight of class c on the left,

    Delta_w = (sum_c (T_L^c)^2 / W_L + sum_c (T_R^c)^2 / W_R - sum_c (T^c)^2 / W) / W,

and the relative decrease divides by the node's weighted Gini impurity. For two classes both
indicators have the same variance, and the regression kernels on one of them do the same.
"""

import numpy as np

from losaw.forest.growing.arrays import (
    Candidate,
    ClassWorkspace,
    Grower,
    LevelWorkspace,
    Node,
    TreeSample,
)
from losaw.forest.growing.scan_continuous import sort_values
from losaw.forest.growing.scan_levels import first_levels, order_by_shares
from losaw.kernels.compiled import inner_kernel


@inner_kernel()
def node_classes(
    sample: TreeSample, start: int, end: int, distribution: np.ndarray, node: int
) -> tuple:
    """Write a node's class shares to ``distribution[node]``; return count and Gini impurity."""
    # Shares p_c of the classes, counted with multiplicity, and 1 - sum p_c^2.
    labels = sample.labels
    pair = sample.pair
    n_classes = distribution.shape[1]
    # Counts first, then shares: a node's rows are read once.
    for k in range(n_classes):
        distribution[node, k] = 0.0
    count = 0.0
    for i in range(start, end):
        row = sample.rows[0, i]
        distribution[node, labels[row]] += pair[row, 0]
        count += pair[row, 0]
    # 1 - sum_c p_c^2, the unweighted impurity of Definition 4.6.
    impurity = 1.0
    for k in range(n_classes):
        distribution[node, k] /= count
        impurity -= distribution[node, k] * distribution[node, k]
    return count, impurity


@inner_kernel()
def scan_classes(
    grower: Grower, classes: ClassWorkspace, node: Node, candidate: Candidate
) -> tuple:
    """Find the best split of sorted rows: (relative decrease, rows on the left), or (0, 0).

    The rows' weights and counts are in the workspace, in that order.
    """
    work, p = grower.work, candidate.p
    # Leaf sizes count rows with multiplicity, whatever their weights.
    min_leaf = float(grower.settings.min_samples_leaf)
    order = grower.sample.order
    labels = grower.sample.labels
    start = node.start
    size = node.end - node.start
    w = work.w
    c = work.c
    left = classes.left
    right = classes.right
    sorted_values = work.sorted_values
    has_ties = grower.data.has_ties[p]
    sort_values(grower, node, p)

    # At first all weight is on the right.
    n_classes = len(left)
    for k in range(n_classes):
        left[k] = 0.0
        right[k] = 0.0
    total = 0.0
    n_samples = 0.0
    for i in range(size):
        right[labels[order[p, start + i]]] += w[i] * c[i]
        total += w[i] * c[i]
        n_samples += c[i]
    node_square = 0.0
    for k in range(n_classes):
        node_square += right[k] * right[k]
    # The node's weighted Gini impurity, G_w = 1 - sum_c (T^c / W)^2. Where one class has all weight
    # no split can lower it.
    impurity = 1.0 - node_square / (total * total)
    if not impurity > 1e-14:
        return 0.0, 0

    # A row of class k and weight v moves to the left: (T + v)^2 = T^2 + v (2 T + v), so that the
    # sums of squares follow without a loop over the classes.
    square_left = 0.0
    square_right = node_square
    weight = 0.0
    count = 0.0
    # What the node itself scores, sum_c (T^c)^2 / W: a split has to do better.
    best_score = node_square / total
    best = 0
    for i in range(size - 1):
        # v = w c is the weight of all copies of the row.
        v = w[i] * c[i]
        # The class of the row that moves.
        k = labels[order[p, start + i]]
        square_left += v * (2.0 * left[k] + v)
        square_right += v * (v - 2.0 * right[k])
        left[k] += v
        right[k] -= v
        weight += v
        count += c[i]
        # A side must hold min_leaf rows; behind the last such split none follows.
        if count < min_leaf:
            continue
        # W_R; where rounding leaves none, the sides behind it have none either.
        rest = total - weight
        if n_samples - count < min_leaf or not rest > 0.0:
            break
        if rest < 1e-6 * total:  # the running sum has lost its digits
            # The difference of two nearly equal sums is replaced by the sum itself.
            square_right = 0.0
            for other in range(n_classes):
                square_right += right[other] * right[other]
        # What Delta_w gains from the sides: sum_c (T_L^c)^2 / W_L + sum_c (T_R^c)^2 / W_R.
        score = square_left / weight + square_right / rest
        # Equal values stay on one side (Definition 4.2's x <= t).
        if score > best_score and (not has_ties or sorted_values[i] < sorted_values[i + 1]):
            best_score = score
            best = i + 1
    # Delta_w^rel: the gain over the node's own sum of squares, relative to its Gini impurity.
    return (best_score - node_square / total) / total / impurity, best


@inner_kernel()
def split_classes_at_levels(
    grower: Grower,
    levels: LevelWorkspace,
    classes: ClassWorkspace,
    node: Node,
    candidate: Candidate,
) -> tuple:
    """Find the best split between levels: (relative decrease, last level on the left), or (0, -1).

    ``work.w`` is the weight of a copy of each of the node's rows, ``levels.counts`` the
    number of rows of each level. Nominal levels are moved to the left along their principal
    component; the best set of them is stored for the candidate.
    """
    data, sample, work = grower.data, grower.sample, grower.work
    min_leaf = float(grower.settings.min_samples_leaf)
    p = candidate.p
    is_nominal = data.is_nominal[candidate.feature]
    rows = sample.rows
    labels = sample.labels
    codes = sample.codes
    n_levels = data.n_levels[p]
    sums = classes.sums
    left = classes.left
    right = classes.right
    level_count = levels.counts

    # Weight of every class at every level; at first all of it is on the right.
    n_classes = len(left)
    for k in range(n_levels):
        for c in range(n_classes):
            sums[k, c] = 0.0
    # v c of a row is added to its class at its level: all splits follow from these few sums.
    for i in range(node.start, node.end):
        row = rows[0, i]
        sums[codes[row, p], labels[row]] += work.w[i - node.start] * sample.pair[row, 0]
    total = 0.0
    node_square = 0.0
    for c in range(n_classes):
        left[c] = 0.0
        right[c] = 0.0
        for k in range(n_levels):
            right[c] += sums[k, c]
        total += right[c]
        node_square += right[c] * right[c]
    impurity = 1.0 - node_square / (total * total)
    if not impurity > 1e-14:
        return 0.0, -1

    # Level after level moves to the left.
    order = levels.order
    # Nominal levels have no order of their own; that of their class shares stands in for it.
    n_ordered = n_levels
    if is_nominal:
        n_ordered = order_by_shares(
            n_levels, level_count, sums, total, right, classes.axis, order, levels.key
        )
    else:
        for k in range(n_levels):
            order[k] = k
    # The largest sum of the sides' sums of squares is the largest decrease: see the formula above.
    weight = 0.0
    count = 0.0
    best_score = node_square / total
    best = -1
    for place in range(n_ordered - 1):
        k = order[place]
        # A level without rows in the node moves nothing: its split is that of the level before it.
        if level_count[k] == 0.0:
            continue
        count += level_count[k]
        square_left = 0.0
        square_right = 0.0
        for c in range(n_classes):
            weight += sums[k, c]
            left[c] += sums[k, c]
            right[c] -= sums[k, c]
            square_left += left[c] * left[c]
            square_right += right[c] * right[c]
        # W_R, and both sides must hold min_leaf rows.
        rest = total - weight
        if count < min_leaf or node.n_samples - count < min_leaf or not rest > 0.0:
            continue
        score = square_left / weight + square_right / rest
        if score > best_score:
            best_score = score
            best = place
    # The set goes to the candidate's place: the feature may be the node's best.
    if is_nominal and best >= 0:
        work.left_levels[candidate.row] = first_levels(
            order, best + 1, n_ordered, levels.every_level
        )
    # Delta_w^rel, as for sorted rows.
    return (best_score - node_square / total) / total / impurity, best
