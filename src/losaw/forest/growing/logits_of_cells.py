"""The logit of a node's cells: in contrasts or in effects of levels, whichever costs less.

Contrasts take m - 1 columns for a feature of m levels and have the patterns in the lanes of
vectors, effects take one row and have the classes there. Up to three classes and levels contrasts
are as cheap, and exact to the last digits; beyond, effects are.

Effects stop at :data:`PRECISION_OF_EFFECTS`, 1e-5 standard errors for a coefficient (root mean
square). 1e-3 in its place, a thirtieth of one, would save time but moves numbers of
ten levels by more than a quarter of a Monte Carlo error (``python benchmarks/precision.py``).
"""

import numpy as np

from losaw.forest.growing.arrays import SMALL, CellWorkspace
from losaw.forest.growing.weights_discrete import PENALTY, design_of_patterns
from losaw.kernels.compiled import inlined, part
from losaw.kernels.vectors import LANES
from losaw.weighting.logit.effects_fit import fit_effects
from losaw.weighting.logit.effects_terms import Shape
from losaw.weighting.logit.newton import fit_multinomial
from losaw.weighting.logit.terms import MOST_UNKNOWNS

# Squared distance to the optimum in standard errors, for each unknown, at which a fit ends.
PRECISION_OF_EFFECTS = 1e-10


@inlined()
def _name_rows(
    n_patterns: int,
    n_classes: int,
    codes: np.ndarray,
    factors: np.ndarray,
    first_factor: int,
    last_factor: int,
    n_levels: np.ndarray,
    n_columns: int,
    work: CellWorkspace,
) -> tuple:
    """Give each level that occurs a row of effects; the logit's shape, and the most levels."""
    n_rows = 1
    n_factors = 0
    most = 0
    for f in range(first_factor, last_factor):
        position = factors[f]
        for k in range(n_levels[position]):
            work.class_of[k] = -1
        for g in range(n_patterns):
            level = codes[work.representative[g], position]
            work.effects.level_row[g, n_factors] = level
            work.class_of[level] = 0
        present = 0
        for k in range(n_levels[position]):
            if work.class_of[k] == 0:
                work.class_of[k] = n_rows + present
                present += 1
        most = max(most, present)
        # A feature with one level left has no effect.
        if present < 2:
            continue
        for g in range(n_patterns):
            level = work.effects.level_row[g, n_factors]
            work.effects.level_row[g, n_factors] = work.class_of[level]
        n_rows += present
        n_factors += 1
    n_rows += n_columns
    n_unknowns = (n_classes - 1) * (n_rows - n_factors)
    lanes = -(-n_classes // LANES) * LANES
    shape = Shape(n_patterns, n_classes, lanes, n_factors, n_columns, n_rows, n_unknowns)
    return shape, most


@part()
def _fit_effects_of_cells(
    shape: Shape,
    design: np.ndarray,
    columns: np.ndarray,
    first_column: int,
    work: CellWorkspace,
    precision: float,
) -> int:
    """Hand counts and columns to the logit in effects, and its probabilities back."""
    effects, logit = work.effects, work.logit
    for g in range(shape.n_patterns):
        for c in range(shape.n_columns):
            column = columns[first_column + c]
            effects.values[g, c] = design[work.representative[g], column]
        for k in range(shape.n_classes):
            effects.counts[g * shape.lanes + k] = logit.counts[k, g]
        for k in range(shape.n_classes, shape.lanes):
            effects.counts[g * shape.lanes + k] = 0.0
    n_steps = fit_effects(effects, shape, PENALTY, precision)
    for g in range(shape.n_patterns):
        for k in range(shape.n_classes):
            logit.probability[k, g] = effects.probability[g * shape.lanes + k]
    return n_steps


@inlined()
def fit_cells(
    n_patterns: int,
    n_classes: int,
    codes: np.ndarray,
    factors: np.ndarray,
    first_factor: int,
    last_factor: int,
    n_levels: np.ndarray,
    design: np.ndarray,
    columns: np.ndarray,
    first_column: int,
    last_column: int,
    precision: float,
    work: CellWorkspace,
) -> None:
    """Probabilities of the collected cells into ``work.logit``."""
    if n_classes >= SMALL:
        shape, most = _name_rows(
            n_patterns,
            n_classes,
            codes,
            factors,
            first_factor,
            last_factor,
            n_levels,
            last_column - first_column,
            work,
        )
        if n_classes > SMALL or (most > SMALL and shape.n_unknowns > MOST_UNKNOWNS):
            n_steps = _fit_effects_of_cells(shape, design, columns, first_column, work, precision)
            work.unfinished[0] += n_steps < 0
            return
    width = design_of_patterns(
        n_patterns,
        codes,
        factors,
        first_factor,
        last_factor,
        n_levels,
        design,
        columns,
        first_column,
        last_column,
        work,
    )
    work.unfinished[0] += fit_multinomial(work.logit, n_patterns, n_classes, width, PENALTY) < 0
