"""Scratch arrays for one tree at a time; a thread fills them again for every tree it grows."""

import numpy as np

from losaw.forest.growing.arrays import (
    MAX_LEVELS,
    STACK,
    CellWorkspace,
    ClassWorkspace,
    ForestData,
    Grower,
    LevelWorkspace,
    Settings,
    TreeSample,
    TreeWorkspace,
)
from losaw.kernels.inversion import padded
from losaw.kernels.logit.terms import make_logit


def make_grower(data: ForestData, settings: Settings) -> Grower:
    """Return the records for trees on ``data``."""
    return Grower(data, settings, _make_sample(data), _make_workspace(data))


def _make_sample(data: ForestData) -> TreeSample:
    # Room for a sample without a repeated row; one place more where the filter writes past its end.
    n = len(data.response)
    return TreeSample(
        counts=np.empty(n, dtype=np.int64),
        compact=np.empty(n, dtype=np.uint32),
        tree_rows=np.empty(n, dtype=np.uint32),
        pair=np.empty((n, 2)),
        labels=np.empty(n, dtype=np.uint32),
        rows=np.empty((1, n), dtype=np.uint32),
        order=np.empty((data.presorted.shape[0], n + 1), dtype=np.uint32),
        design=np.empty(data.design.shape),
        codes=np.empty(data.codes.shape, dtype=np.uint8),
        patterns=np.empty(data.patterns.shape, dtype=np.uint32),
    )


def _make_workspace(data: ForestData) -> TreeWorkspace:
    n = len(data.response)
    width = data.design_width
    row = data.design.shape[1]
    return TreeWorkspace(
        state=np.empty(1, dtype=np.uint64),
        stack=np.empty((4, STACK), dtype=np.int64),
        features=np.empty(len(data.is_discrete), dtype=np.int64),
        splits=np.empty((len(data.is_discrete), 4)),
        left_levels=np.zeros(len(data.is_discrete), dtype=np.uint64),
        w=np.empty(n),
        c=np.empty(n),
        cy=np.empty(n),
        z=np.empty(n),
        sorted_values=np.empty(n),
        goes_left=np.empty(n, dtype=np.uint8),
        scratch=np.empty(n, dtype=np.uint32),
        # One matrix of moments for every node that may be pending.
        gram=np.empty((STACK, width, row)),
        cross=np.empty(row),
        coefficients=np.zeros(row),
        covariance=np.zeros((width, row)),
        diagonal=np.zeros(row),
        side=np.zeros(row),
        solution=np.zeros(row),
    )


def make_classes(data: ForestData) -> ClassWorkspace:
    """Return scratch arrays of the classes; empty in a regression."""
    n = data.n_classes
    return ClassWorkspace(np.empty(n), np.empty(n), np.empty((MAX_LEVELS, n)), np.empty((2, n)))


def make_levels(data: ForestData, settings: Settings) -> LevelWorkspace | None:
    """Return sums over levels and scratch arrays of splits between them; None without levels."""
    if not data.is_discrete.any():
        return None
    pending = len(data.response).bit_length() + 1  # the smaller child is grown first
    n_levels, padded_features = int(data.n_levels.max()), data.codes.shape[1]
    return LevelWorkspace(
        sums=np.zeros((pending, n_levels, 2, padded_features)),
        row_sums=np.zeros((pending * settings.counts_rows_once, n_levels, 1, padded_features)),
        rows=np.empty(MAX_LEVELS),
        counts=np.empty(MAX_LEVELS),
        weight=np.empty(MAX_LEVELS),
        response=np.empty(MAX_LEVELS),
        every_level=np.arange(MAX_LEVELS),
        order=np.empty(MAX_LEVELS, dtype=np.int64),
        key=np.empty(MAX_LEVELS),
    )


def make_cells(data: ForestData) -> CellWorkspace | None:
    """Return scratch arrays for the weights of discrete features; None if no feature has levels.

    Where nothing is weighted they are empty: all is compiled once, for weights and without.
    """
    if not data.is_discrete.any():
        return None
    n = len(data.response) if len(data.patterns) > 0 else 0
    levels = int(max(data.n_levels, default=1))
    widest = 1
    for target in np.flatnonzero(data.pattern_slot >= 0):
        factors = data.factors[data.factors_start[target] : data.factors_start[target + 1]]
        columns = int(data.columns_start[target + 1] - data.columns_start[target])
        widest = max(widest, 1 + columns + int((data.n_levels[factors] - 1).sum()))
    # No more patterns than rows, in whole vectors.
    rows = padded(n)
    return CellWorkspace(
        local=np.full(data.n_patterns, -1, dtype=np.int32),
        representative=np.empty(n, dtype=np.uint32),
        pattern_level=np.empty(n, dtype=np.int64),
        logit=make_logit(n, levels, widest),
        response=np.empty((levels, rows)),
        square=np.empty((levels, rows)),
        weight=np.empty(rows * levels + 1),
        multiplicity=np.empty(rows * levels + 1),
        recode=np.empty(MAX_LEVELS + 1, dtype=np.int64),
        place=np.empty(MAX_LEVELS, dtype=np.int64),
        class_of=np.empty(MAX_LEVELS, dtype=np.int64),
        unfinished=np.zeros(1, dtype=np.int64),
    )
