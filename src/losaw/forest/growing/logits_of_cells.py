"""Large logits of a node's cells, in effects of levels instead of contrasts, and which are large.

A feature of m levels takes m - 1 columns of contrasts, which a pattern multiplies one by one, or m
rows of effects, of which a pattern adds one. With K classes, w columns and f adjustment features
every pattern costs a step K w products in contrasts, and K (1 + f) sums in effects, with K filled
up to a whole vector. The optimum is the same, and how close to it a fit ends.
"""

import numpy as np

from losaw.forest.growing.arrays import CellWorkspace, Grower, LevelWorkspace, Node
from losaw.forest.growing.weights_discrete import PENALTY, PRECISION
from losaw.kernels.compiled import inlined_kernel, inner_kernel
from losaw.kernels.logit.effects_fit import fit_effects
from losaw.kernels.logit.effects_terms import Shape
from losaw.kernels.vectors import LANES

# Logits of more unknowns, classes but one times columns, are fitted in effects where these cost
# less; below, naming the effects takes what they save. Ten levels (5,000 x 10) take 14 times
# scikit-learn's time instead of 31, 48, 96 and 128 gave no less, and five levels take what
# they took (``python benchmarks/forest.py --laws "ten levels" "five levels"``).
MOST_IN_CONTRASTS = 64
_GATHERING = 2  # what a sum of rows costs, each fetched and given back, in products that stream


@inlined_kernel()
def _name_levels(
    sums: np.ndarray, slot: int, n_samples: float, position: int, first: int, names: np.ndarray
) -> int:
    """Number the levels that occur in the node from ``first`` on; the number of these.

    The node's sums over levels have all counts but the first level's, which is the remainder.
    """
    n_levels = len(names)
    rest = n_samples
    for k in range(1, n_levels):
        rest -= sums[slot, k, 0, position]
    present = 0
    for k in range(n_levels):
        names[k] = first + present
        present += (rest if k == 0 else sums[slot, k, 0, position]) > 0.0
    return present


@inlined_kernel()
def shape_in_effects(
    grower: Grower,
    levels: LevelWorkspace,
    cells: CellWorkspace,
    node: Node,
    feature: int,
    n_patterns: int,
    n_classes: int,
) -> Shape:
    """Return the size of the logit; a feature with one level left has no effect."""
    data = grower.data
    n_rows = 1
    n_factors = 0
    for f in range(data.factors_start[feature], data.factors_start[feature + 1]):
        position = data.factors[f]
        names = cells.class_of[: data.n_levels[position]]
        present = _name_levels(levels.sums, node.slot, node.n_samples, position, 0, names)
        if present > 1:
            n_rows += present
            n_factors += 1
    n_columns = data.columns_start[feature + 1] - data.columns_start[feature]
    n_rows += n_columns
    n_unknowns = (n_classes - 1) * (n_rows - n_factors)
    lanes = -(-n_classes // LANES) * LANES
    return Shape(n_patterns, n_classes, lanes, n_factors, n_columns, n_rows, n_unknowns)


@inlined_kernel()
def is_cheaper_in_effects(shape: Shape, most_in_contrasts: int) -> bool:
    """Return whether the logit is large, and has levels to save columns by.

    Two classes stay in contrasts, where their penalty is that of a binary logit.
    """
    in_effects = _GATHERING * shape.lanes * (1 + shape.n_factors + shape.n_columns)
    in_contrasts = shape.n_classes * (shape.n_rows - shape.n_factors)
    is_large = shape.n_classes > 2 and shape.n_unknowns > most_in_contrasts
    return is_large and in_effects < in_contrasts


@inner_kernel()
def fit_in_effects(
    grower: Grower,
    levels: LevelWorkspace,
    cells: CellWorkspace,
    node: Node,
    feature: int,
    shape: Shape,
) -> int:
    """Hand levels, columns and counts to the logit in effects, and its probabilities back."""
    data, sample = grower.data, grower.sample
    effects, logit = cells.effects, cells.logit
    n_rows = 1
    n_factors = 0
    for f in range(data.factors_start[feature], data.factors_start[feature + 1]):
        position = data.factors[f]
        names = cells.class_of[: data.n_levels[position]]
        present = _name_levels(levels.sums, node.slot, node.n_samples, position, n_rows, names)
        if present < 2:
            continue
        for g in range(shape.n_patterns):
            level = sample.codes[cells.representative[g], position]
            effects.level_row[g, n_factors] = names[level]
        n_rows += present
        n_factors += 1
    first_column = data.columns_start[feature]
    for g in range(shape.n_patterns):
        for c in range(shape.n_columns):
            column = data.columns[first_column + c]
            effects.values[g, c] = sample.design[cells.representative[g], column]
        for k in range(shape.n_classes):
            effects.counts[g * shape.lanes + k] = logit.counts[k, g]
        for k in range(shape.n_classes, shape.lanes):
            effects.counts[g * shape.lanes + k] = 0.0
    n_steps = fit_effects(effects, shape, PENALTY, PRECISION)
    for g in range(shape.n_patterns):
        for k in range(shape.n_classes):
            logit.probability[k, g] = effects.probability[g * shape.lanes + k]
    return n_steps
