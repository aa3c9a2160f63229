"""The random stream of one tree: SplitMix64 (Steele, Lea & Flood 2014), as compiled functions.

A tree's stream starts from its own 64-bit seed and is used by nothing else, so that a tree is
the same whichever thread grows it and however many trees are grown beside it.
"""

import numpy as np

from losaw.kernels.compiled import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@compiled()
def next_index(state: np.ndarray, size: int) -> int:
    """A uniform index in [0, size), size < 2^31; moves ``state`` (one uint64) on."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    z = z ^ (z >> np.uint64(31))
    return np.int64(  # type: ignore[return-value]
        ((z >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)
    )


@compiled()
def draw_in_bag_counts(state: np.ndarray, bootstrap: bool, counts: np.ndarray) -> None:
    """How often each row stands in the tree's sample: N draws with replacement, or each once."""
    n = len(counts)
    if not bootstrap:
        counts[:] = 1
        return
    counts[:] = 0
    for _ in range(n):
        counts[next_index(state, n)] += 1
