"""Best split point of a continuous feature, by one walk over its sorted order.

Algorithm 9.3 of losaw in terms of sums: with W_L, T_L the weight and the weighted response on
the left, W, T those of the node and m = T / W,

    Delta_w = (T_L - m W_L)^2 / (W_L (W - W_L)),

which is Lemma 9.2 (its minus sign is a misprint) after centring; candidates are compared by
cross-multiplication, without a division. A side without weight, which rounding may leave where
all weight is elsewhere, is no split (Definition 4.1).
"""

import numpy as np

from losaw.forest.growing.arrays import Grower, Node
from losaw.kernels.compiled import inlined_kernel


@inlined_kernel()
def sort_values(grower: Grower, node: Node, p: int) -> None:
    """Copy the feature's values in sorted order to the workspace, if there are ties."""
    data, sample = grower.data, grower.sample
    if data.has_ties[p]:
        # Only equal values can forbid a split: without ties nobody reads the values themselves.
        for i in range(node.end - node.start):
            row = sample.tree_rows[sample.order[p, node.start + i]]
            grower.work.sorted_values[i] = data.values[p, row]


@inlined_kernel()
def scan_weighted(
    w: np.ndarray,
    c: np.ndarray,
    cy: np.ndarray,
    size: int,
    total: float,
    mean: float,
    min_leaf: float,
    sorted_values: np.ndarray,
    has_ties: bool,
) -> tuple:
    """Find the best split of rows in sorted order: (Delta_w, rows on the left), or (0, 0).

    The order is walked from both ends towards the middle: a sum waits for the sum before it, and
    two walks wait at the same time. T_L - m W_L and T_R - m W_R differ in sign only. A function for
    both directions would make the walk 4 % slower.
    """
    # Splits before ``first`` and behind ``last`` leave fewer than min_leaf rows on a side: the
    # walks start there, and need not count.
    count = 0.0
    first = 0
    while first < size and count + c[first] < min_leaf:
        count += c[first]
        first += 1
    count = 0.0
    last = size - 1
    while last > 0 and count + c[last] < min_leaf:
        count += c[last]
        last -= 1
    # The best Delta_w so far, as a fraction. A fraction is larger than the best one exactly if
    # numerator x best denominator > best numerator x denominator, both denominators being positive.
    best_numerator = 0.0
    best_denominator = 1.0
    best = 0
    # W_L and T_L, W_R and T_R of the rows that are on their side whatever the split.
    left_weight, left_response = 0.0, 0.0
    for i in range(min(first, size)):
        left_weight += w[i] * c[i]
        left_response += w[i] * cy[i]
    right_weight, right_response = 0.0, 0.0
    for i in range(last + 1, size):
        right_weight += w[i] * c[i]
        right_response += w[i] * cy[i]
    for step in range((last - first + 1) // 2):
        # From the left: row i is the last one on the left.
        i = first + step
        left_weight += w[i] * c[i]
        left_response += w[i] * cy[i]
        # T_L - m W_L, whose square over W_L W_R is Delta_w.
        difference = left_response - mean * left_weight
        numerator = difference * difference
        denominator = left_weight * (total - left_weight)
        # Between equal values there is no split: x <= t cannot part them (Definition 4.2's t is one
        # of the values).
        if (
            numerator * best_denominator > best_numerator * denominator
            and denominator > 0.0
            and (not has_ties or sorted_values[i] < sorted_values[i + 1])
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i + 1
        # From the right: row i is the first one on the right.
        i = last - step
        right_weight += w[i] * c[i]
        right_response += w[i] * cy[i]
        # Of the same split seen from its other side: T_R - m W_R = -(T_L - m W_L).
        difference = right_response - mean * right_weight
        numerator = difference * difference
        denominator = right_weight * (total - right_weight)
        if (
            numerator * best_denominator > best_numerator * denominator
            and denominator > 0.0
            and (not has_ties or sorted_values[i - 1] < sorted_values[i])
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i
    return best_numerator / best_denominator, best


@inlined_kernel()
def scan_uniform(grower: Grower, node: Node, p: int) -> tuple:
    """:func:`scan_weighted` with weight one for every row, read through the sorted order.

    Nothing is copied first: an unweighted forest does little else than this walk. Where a split
    need not lower the impurity, Delta_w may be 0 and more.
    """
    settings, sample = grower.settings, grower.sample
    order = sample.order
    pair = sample.pair
    values = grower.data.values
    tree_rows = sample.tree_rows
    has_ties = grower.data.has_ties[p]
    min_leaf = settings.min_samples_leaf
    # The steps are those of scan_weighted, in its order; a function for a direction, or for both
    # kinds of weights, made this walk 4 % slower.
    total = node.n_samples
    mean = node.mean
    start = node.start
    end = node.end
    # Where rows are counted once the first and last admissible split follow from the number of
    # rows; where with multiplicity, from a walk over the counts.
    first = start + min_leaf - 1
    last = end - min_leaf
    # The walk stops at the first row behind which the left side is large enough, and at the last
    # before which the right side is.
    if not settings.counts_rows_once:
        count = 0.0
        first = start
        while first < end:
            count += pair[order[p, first], 0]
            if count >= min_leaf:
                break
            first += 1
        count = 0.0
        last = end - 1
        while last > start:
            count += pair[order[p, last], 0]
            if count >= min_leaf:
                break
            last -= 1
    # A negative start lets a split without any decrease win, where the forest's rules allow one.
    best_numerator = 0.0 if settings.needs_gain else -1.0
    best_denominator = 1.0
    best = start
    # W_L and T_L, W_R and T_R of the rows that are on their side whatever the split: w is 1.
    left_weight, left_response = 0.0, 0.0
    for i in range(start, min(first, end)):
        row = order[p, i]
        left_weight += pair[row, 0]
        left_response += pair[row, 1]
    right_weight, right_response = 0.0, 0.0
    for i in range(last + 1, end):
        row = order[p, i]
        right_weight += pair[row, 0]
        right_response += pair[row, 1]
    for step in range((last - first + 1) // 2):
        # From the left: row i is the last one on the left.
        i = first + step
        row = order[p, i]
        left_weight += pair[row, 0]
        left_response += pair[row, 1]
        # T_L - m W_L, as in scan_weighted.
        difference = left_response - mean * left_weight
        numerator = difference * difference
        denominator = left_weight * (total - left_weight)
        if (
            numerator * best_denominator > best_numerator * denominator
            and denominator > 0.0
            and (not has_ties or values[p, tree_rows[row]] < values[p, tree_rows[order[p, i + 1]]])
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i + 1
        # From the right: row i is the first one on the right.
        i = last - step
        row = order[p, i]
        right_weight += pair[row, 0]
        right_response += pair[row, 1]
        difference = right_response - mean * right_weight
        numerator = difference * difference
        denominator = right_weight * (total - right_weight)
        if (
            numerator * best_denominator > best_numerator * denominator
            and denominator > 0.0
            and (not has_ties or values[p, tree_rows[order[p, i - 1]]] < values[p, tree_rows[row]])
        ):
            best_numerator = numerator
            best_denominator = denominator
            best = i
    return best_numerator / best_denominator, best - start
