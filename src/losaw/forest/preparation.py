"""From a checked sample to :class:`ForestData`: sorted once per forest, read by all trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import MAX_LEVELS, ForestData
from losaw.forest.growing.scan_levels import encode_levels
from losaw.kernels.inversion import padded
from losaw.kernels.vectors import LANES
from losaw.weighting.levels import helmert, pattern_codes


def prepare(
    X: FloatArray,
    y: FloatArray,
    is_discrete: NDArray[np.bool_],
    is_nominal: NDArray[np.bool_],
    levels: list[FloatArray],
    location: FloatArray,
    scale: FloatArray,
    n_classes: int = 0,
) -> ForestData:
    """Prepare a sample for trees, without any adjustment.

    ``levels`` are the sorted values of each discrete feature; with more than two classes, ``y`` are
    class numbers.
    """
    n_samples, n_features = X.shape
    continuous = np.flatnonzero(~is_discrete)
    discrete = np.flatnonzero(is_discrete)
    position = np.empty(n_features, dtype=np.int64)
    position[continuous] = np.arange(len(continuous))
    position[discrete] = np.arange(len(discrete))
    values = np.ascontiguousarray(X.T[continuous])
    presorted = np.empty(values.shape, dtype=np.uint32)
    has_ties = np.zeros(len(continuous), dtype=bool)
    for p, column in enumerate(values):
        presorted[p] = np.argsort(column)
        has_ties[p] = np.any(np.diff(column[presorted[p]]) == 0)
    codes = np.zeros((n_samples, padded(len(discrete))), dtype=np.uint8)
    frequency = np.zeros((len(discrete), MAX_LEVELS))
    level_values = np.zeros((len(discrete), MAX_LEVELS))
    for p, feature in enumerate(discrete):
        level_values[p, : len(levels[p])] = levels[p]
        encode_levels(X, int(feature), levels[p], codes, p, frequency)
    frequency /= n_samples
    design = np.zeros((n_samples, LANES))
    design[:, 0] = 1.0
    none = np.zeros(n_features + 1, dtype=np.int64)
    return ForestData(
        response=y - y.mean(),
        labels=(y if n_classes > 2 else np.zeros(n_samples)).astype(np.uint32),
        has_several_classes=n_classes > 2,
        n_classes=n_classes if n_classes > 2 else 0,
        is_discrete=is_discrete,
        is_nominal=is_nominal,
        position=position,
        values=values,
        presorted=presorted,
        has_ties=has_ties,
        location=np.ascontiguousarray(location[continuous]),
        scale=np.ascontiguousarray(scale[continuous]),
        codes=codes,
        n_levels=np.array([len(level) for level in levels], dtype=np.int64),
        level_values=level_values,
        frequency=frequency,
        design=design,
        design_width=1,
        design_column=np.full(n_features, -1, dtype=np.int64),
        columns_start=none,
        columns=np.empty(0, dtype=np.int64),
        factors_start=none.copy(),
        factors=np.empty(0, dtype=np.int64),
        pattern_slot=np.full(n_features, -1, dtype=np.int64),
        patterns=np.empty((0, n_samples), dtype=np.uint32),
        n_patterns=0,
    )


def add_adjustment(data: ForestData, X: FloatArray, adjustment: NDArray[np.bool_]) -> ForestData:
    """Add design columns and patterns for the mask [target, adjustment feature]."""
    n_samples, n_features = X.shape
    discrete = data.is_discrete
    columns_of: dict[int, list[int]] = {}
    blocks = [np.ones((n_samples, 1))]
    width = 1
    for q in range(n_features):
        if not discrete[q] and adjustment[:, q].any():
            j = data.position[q]
            scaled = (data.values[j] - data.location[j]) / data.scale[j]
            blocks.append(scaled[:, None])
        elif discrete[q] and adjustment[~discrete, q].any():
            contrasts = helmert(data.n_levels[data.position[q]])
            blocks.append(contrasts[data.codes[:, data.position[q]]])
        else:
            continue
        columns_of[q] = list(range(width, width + blocks[-1].shape[1]))
        width += blocks[-1].shape[1]
    design = np.zeros((n_samples, -(-width // LANES) * LANES))
    design[:, :width] = np.hstack(blocks)

    design_column = np.full(n_features, -1, dtype=np.int64)
    columns: list[int] = []
    columns_start = [0]
    factors: list[int] = []
    factors_start = [0]
    pattern_slot = np.full(n_features, -1, dtype=np.int64)
    patterns: list[NDArray[np.uint32]] = []
    for p in range(n_features):
        adjusted_for = [int(q) for q in np.flatnonzero(adjustment[p])]
        if not discrete[p]:
            if p in columns_of:
                design_column[p] = columns_of[p][0]
            for q in adjusted_for:
                columns += columns_of[q]
        elif len(adjusted_for):
            pattern_slot[p] = len(patterns)
            codes, _ = pattern_codes([_ranks(data, q) for q in adjusted_for], n_samples)
            patterns.append(codes.astype(np.uint32))
            for q in adjusted_for:
                if discrete[q]:
                    factors.append(int(data.position[q]))
                else:
                    columns += columns_of[q]
        columns_start.append(len(columns))
        factors_start.append(len(factors))
    ids = np.array(patterns, dtype=np.uint32).reshape(len(patterns), n_samples)
    return data._replace(
        design=design,
        design_width=width,
        design_column=design_column,
        columns_start=np.array(columns_start, dtype=np.int64),
        columns=np.array(columns, dtype=np.int64),
        factors_start=np.array(factors_start, dtype=np.int64),
        factors=np.array(factors, dtype=np.int64),
        pattern_slot=pattern_slot,
        patterns=ids,
        n_patterns=int(ids.max()) + 1 if ids.size else 0,
    )


def _ranks(data: ForestData, feature: int) -> tuple[NDArray[Any], int]:
    """Return the rank of every row's value among the distinct ones, and their number."""
    p = data.position[feature]
    if data.is_discrete[feature]:
        return data.codes[:, p], int(data.n_levels[p])
    order = data.presorted[p]
    steps = np.diff(data.values[p, order], prepend=data.values[p, order[0]]) > 0
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(steps)
    return ranks, int(steps.sum()) + 1
