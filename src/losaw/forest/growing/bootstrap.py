"""A tree's sample: in-bag rows merged to (row, count), in the arrays that nodes read."""

import numpy as np

from losaw.forest.growing.arrays import ForestData, Sample
from losaw.forest.growing.random_stream import draw_in_bag_counts
from losaw.kernels.compiled import compiled


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
            sample.labels[n] = data.labels[row]
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
