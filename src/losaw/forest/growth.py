"""Growing losaw trees: Algorithm 4.3 of losaw at every node, compiled.

Rows drawn more than once are merged to (row, count), which changes no sum. Each continuous
feature keeps the node's rows in its own sorted order; a split partitions these orders stably,
so that nothing is ever sorted again. Raw moments of the adjustment features are computed for
the smaller child; the larger one's are the parent's minus those.
"""

from typing import NamedTuple

import numpy as np

from losaw.forest.continuous import (
    add_moments,
    apply_cap,
    gaussian_weights,
    regress,
    scan_uniform,
    scan_weighted,
)
from losaw.forest.discrete import (
    can_split,
    collect_cells,
    design_of_patterns,
    level_sums,
    scan_levels,
    split_cells,
)
from losaw.forest.layout import LEAF, CellWorkspace, ForestData, Nodes, Sample, Settings, Workspace
from losaw.forest.stream import draw_in_bag_counts, next_index
from losaw.weighting.compiled import compiled
from losaw.weighting.effective_sample_size import find_cap


class Split(NamedTuple):
    """Outcome for one feature: relative decrease 0 where nothing can be split."""

    decrease: float
    place: int  # rows on the left in sorted order, or last level on the left
    effective_size: float
    capped_size: float
    is_constant: bool


@compiled()
def draw_sample(data: ForestData, bootstrap: bool, state: np.ndarray, sample: Sample) -> int:
    """The tree's in-bag rows, merged, with compact copies of what nodes gather; their number."""
    n_samples = len(data.response)
    counts = sample.counts
    draw_in_bag_counts(state, bootstrap, counts)
    width = data.design.shape[1]
    n = 0
    for row in range(n_samples):
        if counts[row] > 0:
            sample.compact[row] = n
            sample.tree_rows[n] = row
            sample.rows[0, n] = n
            sample.pair[n, 0] = counts[row]
            sample.pair[n, 1] = counts[row] * data.response[row]
            for j in range(width):
                sample.design[n, j] = data.design[row, j]
            for p in range(data.codes.shape[1]):
                sample.codes[n, p] = data.codes[row, p]
            for slot in range(data.patterns.shape[0]):
                sample.patterns[slot, n] = data.patterns[slot, row]
            n += 1
    for p in range(data.presorted.shape[0]):
        k = 0
        for i in range(n_samples):
            row = data.presorted[p, i]
            sample.order[p, k] = sample.compact[row]  # kept only if the row is in bag
            k += counts[row] > 0
    return n


@compiled()
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
    if weighted:
        n = end - start
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
            work.matrix,
            work.vector,
        )
        if variance > 0.0:
            gaussian_weights(
                order, p, start, end, sample.design, work.coefficients, variance, work.z, work.w
            )
        work.coefficients[0] = 0.0
        for j in range(first_column, last_column):
            work.coefficients[data.columns[j]] = 0.0
        weighted = variance > 0.0
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
    weighted_mean = first / total
    weighted_impurity = second / total - weighted_mean * weighted_mean
    if not weighted_impurity > 0.0:
        return Split(0.0, 0, before, max(before, settings.eta), False)
    if data.has_ties[p]:
        for i in range(n):
            work.sorted_values[i] = data.values[p, sample.tree_rows[order[p, start + i]]]
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
    return Split(score / weighted_impurity, place, before, max(before, settings.eta), False)


@compiled()
def split_discrete(
    data: ForestData,
    settings: Settings,
    sample: Sample,
    cells: CellWorkspace,
    feature: int,
    place: int,
    start: int,
    end: int,
    n_samples: float,
    mean: float,
    impurity: float,
) -> Split:
    """Best split of one discrete feature, weighted if it has adjustment features."""
    p = data.position[feature]
    n_levels = data.n_levels[p]
    min_leaf = float(settings.min_samples_leaf)
    present = 0
    for k in range(n_levels):
        cells.level_count[k] = cells.sums[place, k, 0]
        cells.level_response[k] = cells.sums[place, k, 1]
        present += cells.level_count[k] > 0.0
    if present < 2:
        return Split(0.0, 0, 1.0, 1.0, True)
    if not can_split(cells.level_count, n_levels, min_leaf, n_samples):
        return Split(0.0, 0, 1.0, 1.0, False)
    pattern_slot = data.pattern_slot[feature]
    if settings.eta >= 1.0 or pattern_slot < 0:
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
    n_patterns = collect_cells(
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
    decrease, level, before, after = split_cells(
        n_patterns,
        width,
        n_levels,
        data.frequency,
        p,
        settings.eta,
        min_leaf,
        n_samples,
        cells,
    )
    return Split(decrease, level, before, after, False)


@compiled()
def partition(
    order: np.ndarray,
    p: int,
    start: int,
    end: int,
    goes_left: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Stable partition of order[p, start:end], without branches."""
    left = start
    right = 0
    for i in range(start, end):
        row = order[p, i]
        go = goes_left[row]
        order[p, left] = row
        scratch[right] = row
        left += go
        right += 1 - go
    for i in range(right):
        order[p, left + i] = scratch[i]


@compiled()
def grow_tree(
    data: ForestData,
    settings: Settings,
    seed: int,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    nodes: Nodes,
    offset: int,
) -> int:
    """Grow one tree into ``nodes`` from ``offset`` on; returns its number of nodes."""
    state = work.state
    state[0] = seed
    n_rows = draw_sample(data, settings.bootstrap, state, sample)
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

    while depth_on_stack > 0:
        depth_on_stack -= 1
        slot = depth_on_stack
        node = stack_node[slot]
        start = stack_start[slot]
        end = stack_end[slot]
        depth = stack_depth[slot]
        count = 0.0
        first = 0.0
        second = 0.0
        for i in range(start, end):
            row = sample.rows[0, i]
            c = sample.pair[row, 0]
            cy = sample.pair[row, 1]
            count += c
            first += cy
            second += cy * cy / c
        mean = first / count
        impurity = second / count - mean * mean
        if node == 0:
            total_impurity = impurity
        nodes.value[offset + node] = mean
        nodes.n_samples[offset + node] = count
        nodes.impurity[offset + node] = max(impurity, 0.0)
        nodes.feature[offset + node] = LEAF
        nodes.left[offset + node] = LEAF
        nodes.right[offset + node] = LEAF
        nodes.threshold[offset + node] = np.nan
        nodes.relative_decrease[offset + node] = 0.0
        nodes.effective_size[offset + node] = 1.0
        nodes.capped_size[offset + node] = 1.0
        if (
            depth >= settings.max_depth
            or count < 2 * min_leaf
            or impurity <= 1e-14 * total_impurity
        ):
            continue

        best_feature = -1
        best = Split(1e-12, 0, 1.0, 1.0, False)  # below: rounding error, not a decrease
        wanted = min(settings.max_features, n_features)
        drawn = 0
        n_constant = 0
        while drawn == n_constant and drawn < n_features:  # go on while all were constant
            first_drawn = drawn
            n_discrete = 0
            while drawn < wanted:
                swap = drawn + next_index(state, n_features - drawn)
                feature = work.features[swap]
                work.features[swap] = work.features[drawn]
                work.features[drawn] = feature
                drawn += 1
                if data.is_discrete[feature]:
                    work.drawn[n_discrete] = data.position[feature]
                    n_discrete += 1
            wanted += 1
            if n_discrete > 0:
                level_sums(
                    sample.rows,
                    start,
                    end,
                    sample.codes,
                    work.drawn,
                    0,
                    n_discrete,
                    sample.pair,
                    cells.sums,
                )
            place = 0
            for i in range(first_drawn, drawn):
                feature = work.features[i]
                if data.is_discrete[feature]:
                    split = split_discrete(
                        data,
                        settings,
                        sample,
                        cells,
                        feature,
                        place,
                        start,
                        end,
                        count,
                        mean,
                        impurity,
                    )
                    place += 1
                else:
                    split = split_continuous(
                        data,
                        settings,
                        sample,
                        work,
                        feature,
                        start,
                        end,
                        count,
                        mean,
                        impurity,
                        slot,
                    )
                n_constant += split.is_constant
                if split.decrease > best.decrease:
                    best = split
                    best_feature = feature
        if best_feature < 0:
            continue

        p = data.position[best_feature]
        n_left = 0
        left_count = 0.0
        if data.is_discrete[best_feature]:
            threshold = float(best.place)
            for i in range(start, end):
                row = sample.rows[0, i]
                go = sample.codes[row, p] <= best.place
                work.goes_left[row] = go
                n_left += go
                left_count += go * sample.pair[row, 0]
        else:
            n_left = best.place
            threshold = data.values[p, sample.tree_rows[sample.order[p, start + n_left - 1]]]
            for i in range(start, end):
                row = sample.order[p, i]
                go = i < start + n_left
                work.goes_left[row] = go
                left_count += go * sample.pair[row, 0]
        middle = start + n_left
        left = n_nodes
        right = n_nodes + 1
        n_nodes += 2
        nodes.feature[offset + node] = best_feature
        nodes.left[offset + node] = left
        nodes.right[offset + node] = right
        nodes.threshold[offset + node] = threshold
        nodes.relative_decrease[offset + node] = best.decrease
        nodes.effective_size[offset + node] = best.effective_size
        nodes.capped_size[offset + node] = best.capped_size

        deeper = depth + 1 < settings.max_depth and (
            left_count >= 2 * min_leaf or count - left_count >= 2 * min_leaf
        )
        partition(sample.rows, 0, start, end, work.goes_left, work.scratch)
        if deeper:
            for q in range(n_continuous):
                if data.is_discrete[best_feature] or q != p:
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
        if use_moments and deeper:
            small_start = middle if left_is_larger else start
            small_end = end if left_is_larger else middle
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
    return n_nodes


@compiled()
def grow_trees(
    data: ForestData,
    settings: Settings,
    seeds: np.ndarray,
    sample: Sample,
    work: Workspace,
    cells: CellWorkspace,
    nodes: Nodes,
    n_nodes: np.ndarray,
) -> None:
    """Grow one tree per seed, one after the other in ``nodes``; fills their sizes."""
    offset = 0
    for tree in range(len(seeds)):
        n_nodes[tree] = grow_tree(data, settings, seeds[tree], sample, work, cells, nodes, offset)
        offset += n_nodes[tree]
