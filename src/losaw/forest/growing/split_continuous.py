"""The best split of a continuous feature at a node, weighted where there is something to adjust."""

import numpy as np

from losaw.forest.growing.arrays import ForestData, Sample, Settings, Split, Workspace
from losaw.forest.growing.gini import scan_classes
from losaw.forest.growing.own_models import ask_model
from losaw.forest.growing.scan_continuous import scan_uniform, scan_weighted
from losaw.forest.growing.weights_continuous import apply_cap, gaussian_weights, regress
from losaw.kernels.compiled import compiled, inlined
from losaw.weighting.effective_sample_size import find_cap


@inlined()
def _sort_values(
    data: ForestData, sample: Sample, work: Workspace, p: int, start: int, size: int
) -> None:
    """The feature's values in sorted order, where ties have to be seen."""
    if data.has_ties[p]:
        for i in range(size):
            row = sample.tree_rows[sample.order[p, start + i]]
            work.sorted_values[i] = data.values[p, row]


@compiled()
def _scan_classes(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    p: int,
    start: int,
    size: int,
) -> tuple:
    """:func:`scan_classes` with the weights in the workspace."""
    _sort_values(data, sample, work, p, start, size)
    return scan_classes(
        sample.order,
        p,
        start,
        size,
        sample.labels,
        work.w,
        work.c,
        work.class_left,
        work.class_right,
        float(settings.min_samples_leaf),
        work.sorted_values,
        data.has_ties[p],
    )


@inlined()
def split_continuous(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    work: Workspace,
    feature: int,
    start: int,
    end: int,
    n_samples: float,
    mean: float,
    impurity: float,
    slot: int,
) -> Split:
    """Best split of one continuous feature, weighted if it has adjustment features."""
    p = data.position[feature]
    order = sample.order
    if data.has_ties[p] and (
        data.values[p, sample.tree_rows[order[p, start]]]
        == data.values[p, sample.tree_rows[order[p, end - 1]]]
    ):
        return Split(0.0, 0, 1.0, 1.0, True)
    min_leaf = float(settings.min_samples_leaf)
    first_column = data.columns_start[feature]
    last_column = data.columns_start[feature + 1]
    weighted = settings.eta < 1.0 and last_column > first_column
    n = end - start
    if weighted and work.models[0] != 0:
        for i in range(n):
            work.c[i] = sample.pair[order[p, start + i], 0]
            work.cy[i] = sample.pair[order[p, start + i], 1]
        weighted = ask_model(work.models[0], feature, start, end)
    elif weighted:
        column = data.design_column[feature]
        cross = work.cross
        if column >= 0:
            for j in range(data.design_width):
                cross[j] = work.gram[slot, column, j]
            square = work.gram[slot, column, column]
            for i in range(n):
                row = order[p, start + i]
                work.z[i] = sample.design[row, column]
                work.c[i] = sample.pair[row, 0]
                work.cy[i] = sample.pair[row, 1]
        else:
            square = 0.0
            cross[0] = 0.0
            for j in range(first_column, last_column):
                cross[data.columns[j]] = 0.0
            for i in range(n):
                row = order[p, start + i]
                z = (data.values[p, sample.tree_rows[row]] - data.location[p]) / data.scale[p]
                c = sample.pair[row, 0]
                work.z[i] = z
                work.c[i] = c
                work.cy[i] = sample.pair[row, 1]
                square += c * z * z
                cross[0] += c * z
                for j in range(first_column, last_column):
                    cross[data.columns[j]] += c * z * sample.design[row, data.columns[j]]
        variance = regress(
            work.gram[slot],
            cross,
            square,
            data.columns,
            first_column,
            last_column,
            work.coefficients,
            work.covariance,
            work.diagonal,
            work.side,
            work.solution,
        )
        if variance > 0.0:
            gaussian_weights(
                order,
                p,
                start,
                end,
                sample.design,
                data.columns,
                first_column,
                last_column,
                work.coefficients,
                variance,
                work.z,
                data.log_marginal,
                sample.tree_rows,
                work.w,
            )
        work.coefficients[0] = 0.0
        for j in range(first_column, last_column):
            work.coefficients[data.columns[j]] = 0.0
        weighted = variance > 0.0
    if not weighted and data.n_classes > 2:
        for i in range(n):
            work.w[i] = 1.0
            work.c[i] = sample.pair[order[p, start + i], 0]
        decrease, place = _scan_classes(data, settings, sample, work, p, start, n)
        return Split(decrease, place, 1.0, 1.0, False)
    if not weighted:
        score, place = scan_uniform(
            order,
            p,
            start,
            end,
            sample.pair,
            n_samples,
            mean,
            min_leaf,
            data.values,
            sample.tree_rows,
            data.has_ties[p],
        )
        return Split(score / impurity, place, 1.0, 1.0, False)
    total = 0.0
    squares = 0.0
    for i in range(n):
        total += work.c[i] * work.w[i]
        squares += work.c[i] * work.w[i] * work.w[i]
    before = total * total / (squares * n_samples)
    cut, shift = np.inf, 0.0
    if before < settings.eta:
        cut, shift = find_cap(work.w, work.c, n, settings.eta)
    total, first, second = apply_cap(work.w, work.c, work.cy, n, cut, shift)
    after = max(before, settings.eta)
    if data.n_classes > 2:
        decrease, place = _scan_classes(data, settings, sample, work, p, start, n)
        return Split(decrease, place, before, after, False)
    weighted_mean = first / total
    weighted_impurity = second / total - weighted_mean * weighted_mean
    if not weighted_impurity > 0.0:
        return Split(0.0, 0, before, after, False)
    _sort_values(data, sample, work, p, start, n)
    score, place = scan_weighted(
        work.w,
        work.c,
        work.cy,
        n,
        total,
        weighted_mean,
        min_leaf,
        work.sorted_values,
        data.has_ties[p],
    )
    return Split(score / weighted_impurity, place, before, after, False)
