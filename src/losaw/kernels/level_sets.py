"""Sets of up to 64 levels, as the bits of a word."""

import numpy as np

from losaw.kernels.compiled import inlined_kernel


@inlined_kernel()
def bit(level: int) -> np.uint64:
    """The set that holds one level."""
    return np.uint64(1) << np.uint64(level)
