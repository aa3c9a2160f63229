"""The best split of a continuous feature at a node, weighted where there is something to adjust."""

import numpy as np

from losaw.forest.growing.arrays import (
    CONSTANT,
    NO_SPLIT,
    Candidate,
    ClassWorkspace,
    Grower,
    Node,
    Split,
)
from losaw.forest.growing.gini import scan_classes
from losaw.forest.growing.scan_continuous import scan_uniform, scan_weighted, sort_values
from losaw.forest.growing.weights_continuous import apply_cap, gaussian_weights, relative_size
from losaw.kernels.capping import find_cap
from losaw.kernels.compiled import spliced_kernel


@spliced_kernel()
def split_continuous(
    grower: Grower, classes: ClassWorkspace, node: Node, candidate: Candidate
) -> Split:
    """Find the best split of a continuous feature, weighted if it has adjustment features.

    A split at t leaves the rows with x <= t on the left. Definition 4.1's relative decrease,

        Delta_w^rel = (MSE_w - w_- MSE_w,- - w_+ MSE_w,+) / MSE_w,

    is found for all t by one walk over the rows in the order of x (Algorithm 9.3). In plain Python:
    :meth:`losaw.forest.as_printed.forest.ForestAsPrinted.best_split`.
    """
    data, settings, sample, work = grower.data, grower.settings, grower.sample, grower.work
    feature, p = candidate.feature, candidate.p
    order = sample.order
    # The two ends of the order are the smallest and the largest value: if they are equal, the
    # feature is constant in the node.
    if data.has_ties[p] and (
        data.values[p, sample.tree_rows[order[p, node.start]]]
        == data.values[p, sample.tree_rows[order[p, node.end - 1]]]
    ):
        return CONSTANT

    # Algorithm 4.3, first step: propensities of the rows, and their stabilised inverses w, which
    # are proportional to P(x) / P(x | a) (Section 2, Definition 2.1), from a node regression. With
    # eta = 1 or nothing to adjust for they are uniform, and so they are where x follows from a:
    # P(x | a) would be a point mass.
    n = node.end - node.start
    is_weighted = settings.eta < 1.0 and (
        data.columns_start[feature + 1] > data.columns_start[feature]
    )
    # Weights go to ``work.w``, in the order of x; False where there is no density.
    if is_weighted:
        is_weighted = gaussian_weights(grower, node, candidate)

    # Uniform weights: the node's impurity is known, and the rows are read in place through their
    # sorted order, so that nothing is copied.
    if data.has_several_classes and not is_weighted:
        # The Gini scan reads weights and counts from the workspace: w is 1.
        for i in range(n):
            work.w[i] = 1.0
            work.c[i] = sample.pair[order[p, node.start + i], 0]
        decrease, cut = scan_classes(grower, classes, node, candidate)
        return Split(decrease, cut, 1.0, 1.0, False)
    if not is_weighted:
        score, cut = scan_uniform(grower, node, p)
        # No cut lowers the impurity and leaves enough rows on both sides.
        if cut == 0:
            return NO_SPLIT
        return Split(score / node.impurity, cut, 1.0, 1.0, False)

    # Second step, the cap (Algorithm 3.2): the largest weights are cut, and what was cut is shared
    # out, until the effective sample size is at least eta N. Weights that have it stay as they are.
    before = relative_size(work.w, work.c, n, node.n_samples)
    cap, shift = np.inf, 0.0
    if before < settings.eta:
        cap, shift = find_cap(work.w, work.c, n, settings.eta)
    total, first, second = apply_cap(work.w, work.c, work.cy, n, cap, shift)
    # The cap reaches eta exactly, or was not needed.
    after = max(before, settings.eta)
    if data.has_several_classes:
        decrease, cut = scan_classes(grower, classes, node, candidate)
        return Split(decrease, cut, before, after, False)

    # Third step, the best split of Delta_w^rel (Definition 4.1, Algorithm 9.3). Where
    # MSE_w = E_w[y^2] - E_w[y]^2 of the node vanishes no split can lower it.
    weighted_mean = first / total
    weighted_impurity = second / total - weighted_mean * weighted_mean
    if not weighted_impurity > 0.0:
        return NO_SPLIT
    sort_values(grower, node, p)
    score, cut = scan_weighted(
        work.w,
        work.c,
        work.cy,
        n,
        total,
        weighted_mean,
        float(settings.min_samples_leaf),
        work.sorted_values,
        data.has_ties[p],
    )
    # Delta_w over MSE_w, since the latter differs between features (Remark 4.4).
    return Split(score / weighted_impurity, cut, before, after, False)
