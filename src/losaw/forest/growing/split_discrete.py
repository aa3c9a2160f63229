"""The best split of a discrete feature at a node, weighted where there is something to adjust."""

from losaw.forest.growing.arrays import (
    SMALL,
    CellWorkspace,
    Classes,
    ForestData,
    LevelSums,
    Node,
    Sample,
    Settings,
    Split,
    Workspace,
)
from losaw.forest.growing.gini import split_classes_at_levels
from losaw.forest.growing.logits_of_cells import (
    fit_in_effects,
    is_cheaper_in_effects,
    shape_in_effects,
)
from losaw.forest.growing.scan_levels import can_split, scan_levels, scan_sets
from losaw.forest.growing.weights_discrete import (
    PENALTY,
    cell_weights,
    collect_cells,
    design_of_patterns,
    spread_weights,
    sum_cells,
)
from losaw.forest.growing.weights_of_eight import defer
from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.logit.newton import fit_multinomial


@inlined_kernel()
def split_discrete(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    node: Node,
    feature: int,
    candidate: int,
    classes: Classes,
) -> Split:
    """Best split of one discrete feature, weighted if it has adjustment features.

    A split is made between two ordered levels, or of nominal ones between a set and the others:
    Algorithm 9.4 on the levels' counts, weights and weighted responses. A small logit is left to
    :func:`~losaw.forest.growing.weights_of_eight.settle`, which knows the feature by its place
    ``candidate`` among the node's candidates and overwrites what is returned here.
    """
    p = data.position[feature]
    n_levels = data.n_levels[p]
    min_leaf = float(settings.min_samples_leaf)

    # Counts and responses of the levels: the node's sums over levels hold all but the first's,
    # which is what remains of the node's totals.
    present = 0
    cells.level_count[0] = node.n_samples
    cells.level_response[0] = node.n_samples * node.mean
    for k in range(1, n_levels):
        cells.level_count[k] = cells.sums[node.slot, k, 0, p]
        cells.level_response[k] = cells.sums[node.slot, k, 1, p]
        cells.level_count[0] -= cells.level_count[k]
        cells.level_response[0] -= cells.level_response[k]
        present += cells.level_count[k] > 0.0
    present += cells.level_count[0] > 0.0

    # Weights do not change who goes left: where no split leaves enough rows on both sides, none
    # need be estimated.
    if present < 2:
        return Split(0.0, 0, 1.0, 1.0, True)
    is_nominal = data.is_nominal[feature]
    if not can_split(cells.level_count, n_levels, min_leaf, node.n_samples, is_nominal):
        return Split(0.0, 0, 1.0, 1.0, False)

    # Uniform weights: with eta = 1, or with nothing to adjust for. A level's weight is its count.
    weighted = settings.eta < 1.0 and data.pattern_slot[feature] >= 0
    if not weighted and data.n_classes > 2:
        for i in range(node.end - node.start):
            work.w[i] = 1.0
        decrease, level = split_classes_at_levels(
            data, sample, work, cells, node, feature, candidate, min_leaf, classes
        )
        return Split(decrease, level, 1.0, 1.0, False)
    if not weighted:
        sums = LevelSums(
            n_levels,
            cells.level_count,
            cells.level_count,
            cells.level_response,
            work.every_level,
            node.n_samples,
            node.mean,
        )
        score, level = _scan(data, settings, work, node, feature, candidate, sums)
        return Split(score / node.impurity, level, 1.0, 1.0, False)

    # Three levels and one small adjustment feature: too few cells for a vector, so that the
    # feature waits for seven others.
    if data.only_factor[feature] >= 0 and present == SMALL:
        defer(
            candidate,
            sample.rows,
            node.start,
            node.end,
            sample.codes,
            p,
            data.only_factor[feature],
            sample.pair,
            data.frequency,
            cells.batch,
        )
        return Split(0.0, 0, 1.0, 1.0, False)
    return _split_cells(data, settings, sample, work, cells, node, feature, candidate, classes)


@inlined_kernel()
def _split_cells(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    node: Node,
    feature: int,
    candidate: int,
    classes: Classes,
) -> Split:
    """Best split of a discrete feature weighted by its own logit, cell by cell."""
    p = data.position[feature]
    min_leaf = float(settings.min_samples_leaf)

    # Rows that agree in the adjustment features (a pattern) and in x have the same weight: all
    # that follows runs over these cells instead of rows. Levels that are absent take no part.
    n_patterns, n_classes = collect_cells(
        sample.rows,
        node.start,
        node.end,
        sample.codes,
        p,
        data.n_levels[p],
        sample.patterns,
        data.pattern_slot[feature],
        sample.pair,
        cells,
    )
    # P(x | a) is a penalised multinomial logit on the cells, P(x) the share of the class in the
    # training sample; their ratio, capped as Algorithm 3.2 does, is the weight of a cell.
    shape = shape_in_effects(data, cells, node, feature, n_patterns, n_classes)
    if is_cheaper_in_effects(shape, cells.most_in_contrasts):
        n_steps = fit_in_effects(data, sample, cells, node, feature, shape)
    else:
        width = design_of_patterns(
            n_patterns,
            sample.codes,
            data.factors,
            data.factors_start[feature],
            data.factors_start[feature + 1],
            data.n_levels,
            sample.design,
            data.columns,
            data.columns_start[feature],
            data.columns_start[feature + 1],
            cells,
        )
        n_steps = fit_multinomial(cells.logit, n_patterns, n_classes, width, PENALTY)
    cells.unfinished[0] += n_steps < 0
    before = cell_weights(
        n_patterns, n_classes, data.frequency, p, settings.eta, node.n_samples, cells
    )
    after = max(before, settings.eta)
    if data.n_classes > 2:
        spread_weights(
            sample.rows,
            node.start,
            node.end,
            sample.codes,
            p,
            sample.patterns,
            data.pattern_slot[feature],
            n_patterns,
            cells,
            work.w,
        )
        decrease, level = split_classes_at_levels(
            data, sample, work, cells, node, feature, candidate, min_leaf, classes
        )
        return Split(decrease, level, before, after, False)

    # MSE_w = E_w[y^2] - E_w[y]^2 of the node; the classes present are numbered anew, so that the
    # best one is turned back into a level.
    total, first, second = sum_cells(n_patterns, n_classes, cells)
    sums = LevelSums(
        n_classes,
        cells.level_count,
        cells.level_weight,
        cells.level_response,
        cells.recode,
        total,
        first / total,
    )
    return _split_weighted(data, settings, work, node, feature, candidate, sums, second, before)


@inlined_kernel()
def _split_weighted(
    data: ForestData,
    settings: Settings,
    work: Workspace,
    node: Node,
    feature: int,
    candidate: int,
    sums: LevelSums,
    second: float,
    before: float,
) -> Split:
    """Best split of weighted sums; ``second`` is that of y^2, ``before`` the effective size."""
    after = max(before, settings.eta)
    impurity = second / sums.total - sums.mean * sums.mean
    if not impurity > 0.0:
        return Split(0.0, 0, before, after, False)
    score, level = _scan(data, settings, work, node, feature, candidate, sums)
    return Split(score / impurity, level, before, after, False)


@inlined_kernel()
def _scan(
    data: ForestData,
    settings: Settings,
    work: Workspace,
    node: Node,
    feature: int,
    candidate: int,
    sums: LevelSums,
) -> tuple:
    """Best split of sums over levels: (Delta_w, last level on the left).

    Of a nominal feature the set of levels on the left is noted for the ``candidate``.
    """
    min_leaf = float(settings.min_samples_leaf)
    if data.is_nominal[feature]:
        score, work.left_levels[candidate] = scan_sets(
            sums, min_leaf, node.n_samples, work.level_order, work.level_key
        )
        return score, 0
    score, entry = scan_levels(sums, min_leaf, node.n_samples)
    return score, sums.level[max(entry, 0)]
