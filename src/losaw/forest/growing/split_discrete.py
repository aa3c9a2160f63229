"""The best split of a discrete feature at a node, weighted where there is something to adjust."""

from losaw.forest.growing.arrays import (
    SMALL,
    CellWorkspace,
    ForestData,
    Sample,
    Settings,
    Split,
    Workspace,
)
from losaw.forest.growing.gini import split_classes_at_levels
from losaw.forest.growing.own_models import ask_model
from losaw.forest.growing.scan_levels import can_split, scan_levels
from losaw.forest.growing.weights_discrete import (
    cell_weights,
    collect_cells,
    design_of_patterns,
    spread_weights,
    sum_cells,
)
from losaw.forest.growing.weights_of_eight import defer
from losaw.kernels.compiled import compiled, inlined
from losaw.weighting.effective_sample_size import find_cap


@compiled()
def _split_levels(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    p: int,
    start: int,
    end: int,
    n_samples: float,
) -> tuple:
    """:func:`split_classes_at_levels` with the weights in the workspace."""
    return split_classes_at_levels(
        sample.rows,
        start,
        end,
        sample.codes,
        p,
        data.n_levels[p],
        sample.labels,
        sample.pair,
        work.w,
        work.class_sums,
        cells.level_count,
        work.class_left,
        work.class_right,
        float(settings.min_samples_leaf),
        n_samples,
    )


@compiled()
def _split_own(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    p: int,
    start: int,
    end: int,
    n_samples: float,
) -> Split:
    """Best split of a discrete feature with a user's weights, row by row in the workspace."""
    n_levels = data.n_levels[p]
    total = 0.0
    squares = 0.0
    for i in range(end - start):
        work.c[i] = sample.pair[sample.rows[0, start + i], 0]
        total += work.c[i] * work.w[i]
        squares += work.c[i] * work.w[i] * work.w[i]
    before = total * total / (squares * n_samples)
    after = max(before, settings.eta)
    if before < settings.eta:
        cut, shift = find_cap(work.w, work.c, end - start, settings.eta)
        for i in range(end - start):
            work.w[i] = min(work.w[i], cut) + shift
    if data.n_classes > 2:
        decrease, level = _split_levels(
            data, settings, sample, work, cells, p, start, end, n_samples
        )
        return Split(decrease, level, before, after, False)
    for k in range(n_levels):
        cells.level_weight[k] = 0.0
        cells.level_response[k] = 0.0
    total = 0.0
    first = 0.0
    second = 0.0
    for i in range(end - start):
        row = sample.rows[0, start + i]
        cy = sample.pair[row, 1]
        cells.level_weight[sample.codes[row, p]] += work.w[i] * work.c[i]
        cells.level_response[sample.codes[row, p]] += work.w[i] * cy
        total += work.w[i] * work.c[i]
        first += work.w[i] * cy
        second += work.w[i] * cy * cy / work.c[i]
    mean = first / total
    impurity = second / total - mean * mean
    if not impurity > 0.0:
        return Split(0.0, 0, before, after, False)
    score, level = scan_levels(
        n_levels,
        cells.level_count,
        cells.level_weight,
        cells.level_response,
        total,
        mean,
        float(settings.min_samples_leaf),
        n_samples,
    )
    return Split(score / impurity, level, before, after, False)


@inlined()
def split_discrete(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    feature: int,
    start: int,
    end: int,
    n_samples: float,
    mean: float,
    impurity: float,
    slot: int,
    candidate: int,
) -> Split:
    """Best split of one discrete feature, weighted if it has adjustment features.

    A small logit is left to :func:`~losaw.forest.growing.weights_of_eight.settle`, which knows
    the feature by its place among the node's candidates and overwrites what is returned here.
    """
    p = data.position[feature]
    n_levels = data.n_levels[p]
    min_leaf = float(settings.min_samples_leaf)
    present = 0
    cells.level_count[0] = n_samples
    cells.level_response[0] = n_samples * mean
    for k in range(1, n_levels):
        cells.level_count[k] = cells.sums[slot, k, 0, p]
        cells.level_response[k] = cells.sums[slot, k, 1, p]
        cells.level_count[0] -= cells.level_count[k]
        cells.level_response[0] -= cells.level_response[k]
        present += cells.level_count[k] > 0.0
    present += cells.level_count[0] > 0.0
    if present < 2:
        return Split(0.0, 0, 1.0, 1.0, True)
    if not can_split(cells.level_count, n_levels, min_leaf, n_samples):
        return Split(0.0, 0, 1.0, 1.0, False)
    pattern_slot = data.pattern_slot[feature]
    only_factor = data.only_factor[feature]
    weighted = settings.eta < 1.0 and pattern_slot >= 0
    if weighted and work.models[1] != 0:
        if ask_model(work.models[1], feature, start, end):
            return _split_own(data, settings, sample, work, cells, p, start, end, n_samples)
        weighted = False
    if not weighted and data.n_classes > 2:
        for i in range(end - start):
            work.w[i] = 1.0
        decrease, level = _split_levels(
            data, settings, sample, work, cells, p, start, end, n_samples
        )
        return Split(decrease, level, 1.0, 1.0, False)
    if not weighted:
        score, level = scan_levels(
            n_levels,
            cells.level_count,
            cells.level_count,
            cells.level_response,
            n_samples,
            mean,
            min_leaf,
            n_samples,
        )
        return Split(score / impurity, level, 1.0, 1.0, False)
    if only_factor >= 0 and present == SMALL:
        defer(
            candidate,
            sample.rows,
            start,
            end,
            sample.codes,
            p,
            only_factor,
            sample.pair,
            data.frequency,
            cells.batch,
        )
        return Split(0.0, 0, 1.0, 1.0, False)
    n_patterns, n_classes = collect_cells(
        sample.rows,
        start,
        end,
        sample.codes,
        p,
        n_levels,
        sample.patterns,
        pattern_slot,
        sample.pair,
        cells,
    )
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
    before = cell_weights(
        n_patterns, n_classes, width, data.frequency, p, settings.eta, n_samples, cells
    )
    after = max(before, settings.eta)
    if data.n_classes > 2:
        spread_weights(
            sample.rows,
            start,
            end,
            sample.codes,
            p,
            sample.patterns,
            pattern_slot,
            n_patterns,
            cells,
            work.w,
        )
        decrease, level = _split_levels(
            data, settings, sample, work, cells, p, start, end, n_samples
        )
        return Split(decrease, level, before, after, False)
    total, first, second = sum_cells(n_patterns, n_classes, cells)
    mean = first / total
    impurity = second / total - mean * mean
    if not impurity > 0.0:
        return Split(0.0, 0, before, after, False)
    score, level = scan_levels(
        n_classes,
        cells.level_count,
        cells.level_weight,
        cells.level_response,
        total,
        mean,
        min_leaf,
        n_samples,
    )
    return Split(score / impurity, cells.recode[max(level, 0)], before, after, False)
