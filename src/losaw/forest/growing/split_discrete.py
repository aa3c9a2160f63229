"""The best split of a discrete feature at a node, weighted where there is something to adjust."""

import numpy as np

from losaw.forest.growing.arrays import (
    CONSTANT,
    NO_SPLIT,
    Candidate,
    CellWorkspace,
    ClassWorkspace,
    Grower,
    LevelSums,
    LevelWorkspace,
    Node,
    Split,
)
from losaw.forest.growing.gini import split_classes_at_levels
from losaw.forest.growing.scan_levels import can_split, read_levels, scan_levels, scan_sets
from losaw.forest.growing.weights_discrete import (
    cell_weights,
    collect_cells,
    design_of_patterns,
    spread_weights,
    sum_cells,
)
from losaw.kernels.compiled import inlined_kernel, spliced_kernel
from losaw.kernels.logit.quasi_newton import fit_logit
from losaw.kernels.logit.terms import Size
from losaw.kernels.vectors import LANES


@spliced_kernel()
def split_discrete(
    grower: Grower,
    levels: LevelWorkspace,
    cells: CellWorkspace,
    classes: ClassWorkspace,
    node: Node,
    candidate: Candidate,
) -> Split:
    """Find the best split of a discrete feature, weighted if it has adjustment features.

    A split is made between two ordered levels, or of nominal ones between a set and the others:
    Algorithm 9.4 on the levels' counts, weights and weighted responses. In plain Python:
    :meth:`losaw.forest.as_printed.forest.ForestAsPrinted.best_split`.
    """
    data, settings = grower.data, grower.settings
    feature = candidate.feature
    n_levels = data.n_levels[candidate.p]
    n_present = read_levels(grower, levels, node, candidate)
    # They come from the node's sums over levels: no row is read for them.
    size = levels.rows if settings.counts_rows_once else levels.counts

    # A single level in the node: nothing to split, and the draw does not count (redraws).
    if n_present < 2:
        return CONSTANT

    # Uniform weights: with eta = 1, or with nothing to adjust for. A level's weight is its count.
    is_weighted = data.pattern_slot[feature] >= 0
    if not is_weighted and data.has_several_classes:
        for i in range(node.end - node.start):
            grower.work.w[i] = 1.0
        decrease, level = split_classes_at_levels(grower, levels, classes, node, candidate)
        return Split(decrease, level, 1.0, 1.0, False)
    if not is_weighted:
        # With w = 1 the weight of a level is its count; mean and impurity are the node's.
        sums = LevelSums(
            n_levels,
            size,
            levels.counts,
            levels.response,
            levels.every_level,
            node.n_samples,
            node.mean,
        )
        return _split_sums(grower, levels, node, candidate, sums, node.impurity, 1.0, 1.0)

    # Weights do not change who goes left: where no split leaves enough rows on both sides, none
    # need be estimated.
    min_leaf = float(settings.min_samples_leaf)
    if not can_split(size, n_levels, min_leaf, node.size, data.is_nominal[feature]):
        return NO_SPLIT

    # A logit costs far more than all that was done up to here.
    return _split_cells(grower, levels, cells, classes, node, candidate)


@spliced_kernel()
def _split_cells(
    grower: Grower,
    levels: LevelWorkspace,
    cells: CellWorkspace,
    classes: ClassWorkspace,
    node: Node,
    candidate: Candidate,
) -> Split:
    """Find the best split of a discrete feature weighted by its own logit, cell by cell."""
    data, settings, feature = grower.data, grower.settings, candidate.feature

    # Rows that agree in the adjustment features (a pattern) and in x have the same weight: all
    # that follows runs over these cells instead of rows. Levels that are absent take no part.
    n_patterns, n_classes = collect_cells(grower, levels, cells, node, candidate)
    # Algorithm 4.3, first step: P(x | a) is a penalised multinomial logit on the cells (Section 2),
    # P(x) the share of the class in the training sample.
    width = design_of_patterns(grower, cells, feature, n_patterns)
    size = Size(n_patterns, n_classes, width, -(-width // LANES) * LANES)
    # Logits that do not reach their optimum are counted; ``fit`` warns of them.
    cells.unfinished[0] += fit_logit(cells.logit, size, settings.precision) < 0
    # Second step: their ratio is the weight of a cell (Definition 2.1), capped (Algorithm 3.2).
    before = cell_weights(grower, cells, node, candidate, n_patterns, n_classes)
    # The cap reaches eta exactly, or was not needed.
    after = max(before, settings.eta)
    if data.has_several_classes:
        spread_weights(grower, cells, node, candidate, n_patterns)
        decrease, level = split_classes_at_levels(grower, levels, classes, node, candidate)
        return Split(decrease, level, before, after, False)

    # Third step, the best split of Delta_w^rel (Definition 4.1, Algorithm 9.4). The classes present
    # are numbered anew; ``recode`` turns the best one back into a level.
    total, first, second = sum_cells(levels, cells, n_patterns, n_classes)
    mean = first / total
    sums = LevelSums(
        n_classes,
        levels.counts,
        levels.weight,
        levels.response,
        cells.recode,
        total,
        mean,
    )
    # MSE_w = E_w[y^2] - E_w[y]^2; where it vanishes no split can lower it.
    impurity = second / total - mean * mean
    if not impurity > 0.0:
        return NO_SPLIT
    return _split_sums(grower, levels, node, candidate, sums, impurity, before, after)


@inlined_kernel()
def _split_sums(
    grower: Grower,
    levels: LevelWorkspace,
    node: Node,
    candidate: Candidate,
    sums: LevelSums,
    impurity: float,
    before: float,
    after: float,
) -> Split:
    """Find the best split of sums over levels; ``before`` and ``after`` the cap: effective sizes.

    Of a nominal feature the set of levels on the left is stored for the candidate.
    """
    # Delta_w of the best split over the node's impurity is its relative decrease (Definition 4.1).
    settings, work = grower.settings, grower.work
    min_leaf = float(settings.min_samples_leaf)
    if grower.data.is_nominal[candidate.feature]:
        score, left = scan_sets(sums, min_leaf, node.size, levels.order, levels.key)
        work.left_levels[candidate.row] = left
        if left == np.uint64(0):
            return NO_SPLIT
        return Split(score / impurity, 0, before, after, False)
    # Where a split need not lower the impurity one with Delta_w = 0 counts.
    least = 0.0 if settings.needs_gain else -1.0
    score, entry = scan_levels(sums, min_leaf, node.size, least)
    if entry < 0:
        return NO_SPLIT
    return Split(score / impurity, sums.level[entry], before, after, False)
