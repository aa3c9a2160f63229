"""A logit in the effects of levels solved from Python, for tests; kernels only call the solver."""

import numpy as np

from losaw.kernels.compiled import kernel
from losaw.kernels.inversion import padded
from losaw.kernels.logit.effects_fit import fit_effects
from losaw.kernels.logit.effects_terms import EffectsLogit, Shape, make_effects_logit
from losaw.weighting.levels import helmert


@kernel()
def fit(logit: EffectsLogit, shape: Shape, penalty: float, precision: float) -> int:
    """A kernel that does nothing else."""
    return fit_effects(logit, shape, penalty, precision)


def solve(levels, values, counts, precision, penalty=1.0):
    """Probabilities (patterns, classes) and steps for counts of that shape; all levels occur."""
    n_patterns, n_classes = counts.shape
    n_levels = levels.max(axis=0) + 1
    n_rows = 1 + n_levels.sum() + values.shape[1]
    n_factors, n_columns = levels.shape[1], values.shape[1]
    n_unknowns = (n_classes - 1) * (n_rows - n_factors)
    logit = make_effects_logit(n_patterns, n_classes, n_factors, n_columns, n_rows)
    logit.level_row[:] = levels + 1 + np.cumsum(n_levels) - n_levels
    logit.values[:] = values
    logit.counts.reshape(n_patterns, -1)[:, :n_classes] = counts
    shape = Shape(
        n_patterns, n_classes, padded(n_classes), n_factors, n_columns, n_rows, n_unknowns
    )
    steps = fit(logit, shape, penalty, precision)
    return logit.probability.reshape(n_patterns, -1)[:, :n_classes].copy(), steps


def contrasts(levels, values):
    """The design of the same logit: ones, contrasts, columns."""
    blocks = [np.ones((len(levels), 1))]
    blocks += [helmert(column.max() + 1)[column] for column in levels.T]
    return np.hstack([*blocks, values])
