"""A tree's random stream, and its sample: in-bag rows merged to (row, count).

The stream is SplitMix64 (Steele, Lea & Flood 2014). It starts from the tree's own 64-bit seed and
is used by nothing else, so that a tree is the same whichever thread grows it and however many
trees are grown next to it.
"""

import numpy as np

from losaw.forest.growing.arrays import ForestData, TreeSample
from losaw.kernels.compiled import inner_kernel, kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@inner_kernel()
def next_index(state: np.ndarray, size: int) -> int:
    """Draw a uniform index in [0, size), size < 2^31; moves ``state`` (one uint64) on."""
    # An odd step visits all 2^64 states before one comes again.
    state[0] += _STEP
    z = state[0]
    # The mixing steps of SplitMix64 with their published constants.
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z = z ^ (z >> np.uint64(31))
    # The upper 32 bits as a fraction of 2^32, times the size (Lemire 2019): no division. Of size
    # indices the most and least likely differ by less than size / 2^32.
    return np.int64(  # type: ignore[return-value]
        ((z >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)
    )


@kernel()
def draw_in_bag_counts(state: np.ndarray, bootstrap: bool, counts: np.ndarray) -> None:
    """Count how often each row is in the tree's sample: N draws with replacement, or each once."""
    n = len(counts)
    if not bootstrap:
        counts[:] = 1
        return
    # N draws with replacement from the N rows.
    counts[:] = 0
    for _ in range(n):
        counts[next_index(state, n)] += 1


@inner_kernel()
def draw_sample(data: ForestData, bootstrap: bool, state: np.ndarray, sample: TreeSample) -> int:
    """Draw the tree's in-bag rows, merged, with compact copies of what nodes read; their number."""
    # Weights enter all sums as c w: a row that was drawn c times is one row with count c.
    n_samples = len(data.response)
    counts = sample.counts
    draw_in_bag_counts(state, bootstrap, counts)
    # Rows that were drawn are numbered anew, one after the other, and what nodes read of them is
    # copied next to each other: a node then reads from a third less memory.
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
    # Each sorted order of the training sample without the rows that were not drawn.
    for p in range(data.presorted.shape[0]):
        k = 0
        for i in range(n_samples):
            row = data.presorted[p, i]
            sample.order[p, k] = sample.compact[row]  # overwritten unless the row is in bag
            k += counts[row] > 0
    return n
