"""A multinomial logit in the effects of levels: its data, probabilities and gradient.

Every level of every discrete adjustment feature has one row of effects, one for each class, and so
have the intercept and each continuous column. A pattern's predictors are the sum of the rows that
it has, and the gradient gives each pattern's residuals back to the same rows:

    f_gk = b_0k + sum_j b_(level of feature j in g),k + sum_c z_gc b_ck,    p_gk ~ exp(f_gk),
    maximise  sum_gk n_gk log p_gk - (1 / 2C) |b|^2   (no intercepts).

A feature of m levels costs one row instead of the m - 1 columns of its contrasts, and the optimum
is that of :mod:`losaw.kernels.logit.terms`: effects that sum to zero, over the levels of a
feature and over the classes, cost least. Classes are the lanes of vectors; the last vector is
filled up with classes that never occur.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import exponential_of_eight, inlined_kernel, inner_kernel
from losaw.kernels.inversion import padded
from losaw.kernels.logit.limited_memory import Memory, make_memory
from losaw.kernels.vectors import (
    LANES,
    add,
    fma,
    less_product,
    load,
    multiply,
    spread,
    store,
    subtract,
    total,
)

# Sums of odds between these come from predictors that were not cut, but for probabilities that
# cannot be distinguished from zero.
_LEAST_ODDS = 1e-20
_MOST_ODDS = 1e60
_NEVER = -1e9  # intercept of a class that fills up a vector


class EffectsLogit(NamedTuple):
    """Data, result and workspace; G patterns, K classes filled up to whole vectors, T rows."""

    level_row: NDArray[np.int32]  # (G, features), the row of each pattern's level, from 1 on
    values: NDArray[np.float64]  # (G, columns), of the continuous columns, whose rows come last
    counts: NDArray[np.float64]  # (G K,), pattern after pattern
    size: NDArray[np.float64]  # (G,), counts of a pattern
    probability: NDArray[np.float64]  # (G K,)
    effects: NDArray[np.float64]  # (T K,), row after row; the first row holds the intercepts
    gradient: NDArray[np.float64]  # (T K,)
    memory: Memory  # of the last steps, as vectors of one row
    blocks: NDArray[np.float64]  # (K T T,), blocks of the Hessian, eight classes side by side
    inverse: NDArray[np.float64]  # (K T,), of the blocks' pivots
    scaled: NDArray[np.float64]  # (T, 8)


class Shape(NamedTuple):
    """The size of a logit."""

    n_patterns: int
    n_classes: int
    lanes: int  # classes, filled up to whole vectors
    n_factors: int
    n_columns: int
    n_rows: int  # of effects: intercept, levels, columns
    n_unknowns: int  # that are free: effects of a feature, and of a row, sum to zero


def make_effects_logit(
    n_patterns: int, n_classes: int, n_factors: int, n_columns: int, n_rows: int
) -> EffectsLogit:
    """Return the arrays of a logit of at most this size, filled with zeros."""
    lanes = padded(n_classes)
    size = n_rows * lanes
    return EffectsLogit(
        level_row=np.zeros((n_patterns, n_factors), dtype=np.int32),
        values=np.zeros((n_patterns, n_columns)),
        counts=np.zeros(n_patterns * lanes),
        size=np.zeros(n_patterns),
        probability=np.zeros(n_patterns * lanes),
        effects=np.zeros(size),
        gradient=np.zeros(size),
        memory=make_memory(1, size),
        blocks=np.zeros(size * n_rows),
        inverse=np.zeros(size),
        scaled=np.zeros((n_rows, LANES)),
    )


@inlined_kernel()
def start_from_frequencies(logit: EffectsLogit, shape: Shape) -> None:
    """Set the intercepts to the centred logarithms of the class shares, other effects to zero."""
    lanes = shape.lanes
    for i in range(shape.n_rows * lanes):
        logit.effects[i] = 0.0
    for g in range(shape.n_patterns):
        size = 0.0
        for k in range(shape.n_classes):
            count = logit.counts[g * lanes + k]
            logit.effects[k] += count
            size += count
        logit.size[g] = size
    mean = 0.0
    for k in range(shape.n_classes):
        logit.effects[k] = np.log(logit.effects[k])
        mean += logit.effects[k] / shape.n_classes
    for k in range(lanes):
        logit.effects[k] = logit.effects[k] - mean if k < shape.n_classes else _NEVER


@inner_kernel()
def _odds_far_apart(logit: EffectsLogit, shape: Shape, g: int) -> float:
    """Compute the odds of a pattern against its likeliest class; return their sum."""
    first = g * shape.lanes
    largest = -np.inf
    for k in range(shape.n_classes):
        predictor = logit.effects[k]
        for j in range(shape.n_factors):
            predictor += logit.effects[logit.level_row[g, j] * shape.lanes + k]
        for c in range(shape.n_columns):
            row = shape.n_rows - shape.n_columns + c
            predictor += logit.values[g, c] * logit.effects[row * shape.lanes + k]
        logit.probability[first + k] = predictor
        largest = max(largest, predictor)
    sums = 0.0
    for k in range(shape.n_classes):
        odds = np.exp(max(logit.probability[first + k] - largest, -150.0))
        logit.probability[first + k] = odds
        sums += odds
    return sums


@inner_kernel()
def update(logit: EffectsLogit, shape: Shape, penalty: float) -> None:
    """Compute probabilities and gradient at the effects, in a single pass over the patterns."""
    effects, gradient, probability = logit.effects, logit.gradient, logit.probability
    lanes = shape.lanes
    first_column = (shape.n_rows - shape.n_columns) * lanes
    for i in range(0, shape.n_rows * lanes, LANES):
        store(gradient, i, multiply(spread(-penalty), load(effects, i)))
    for i in range(0, lanes, LANES):
        store(gradient, i, spread(0.0))
    for g in range(shape.n_patterns):
        # The exponentials of the sum of the pattern's rows are the odds of the classes.
        sums = spread(0.0)
        for lane in range(0, lanes, LANES):
            predictor = load(effects, lane)
            for j in range(shape.n_factors):
                row = int(logit.level_row[g, j]) * lanes
                predictor = add(predictor, load(effects, row + lane))
            for c in range(shape.n_columns):
                place = first_column + c * lanes + lane
                predictor = fma(spread(logit.values[g, c]), load(effects, place), predictor)
            odds = exponential_of_eight(predictor)
            store(probability, g * lanes + lane, odds)
            sums = add(sums, odds)
        sum_of_odds = total(sums)
        if not _LEAST_ODDS < sum_of_odds < _MOST_ODDS:
            sum_of_odds = _odds_far_apart(logit, shape, g)
        # The counts less the expected counts are added to the same rows.
        inverse = spread(1.0 / sum_of_odds)
        size = spread(logit.size[g])
        for lane in range(0, lanes, LANES):
            p = multiply(load(probability, g * lanes + lane), inverse)
            store(probability, g * lanes + lane, p)
            residual = less_product(load(logit.counts, g * lanes + lane), size, p)
            store(gradient, lane, add(load(gradient, lane), residual))
            for j in range(shape.n_factors):
                place = int(logit.level_row[g, j]) * lanes + lane
                store(gradient, place, add(load(gradient, place), residual))
            for c in range(shape.n_columns):
                place = first_column + c * lanes + lane
                value = spread(logit.values[g, c])
                store(gradient, place, fma(value, residual, load(gradient, place)))


@inlined_kernel()
def centre(vector: np.ndarray, shape: Shape) -> None:
    """Take the classes' mean off every row: a shift that all classes share is no effect."""
    lanes = shape.lanes
    for row in range(0, shape.n_rows * lanes, lanes):
        sums = spread(0.0)
        for lane in range(0, lanes, LANES):
            sums = add(sums, load(vector, row + lane))
        mean = spread(total(sums) / shape.n_classes)
        for lane in range(0, lanes, LANES):
            store(vector, row + lane, subtract(load(vector, row + lane), mean))
        for k in range(shape.n_classes, lanes):
            vector[0, row + k] = 0.0
