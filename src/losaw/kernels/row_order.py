"""Part the rows of a node by a split, each side in its order, without new arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel


@inlined_kernel()
def part_rows(
    rows: NDArray[np.int32],
    first: int,
    end: int,
    is_left: NDArray[np.bool_],
    spare: NDArray[np.int32],
) -> int:
    """Move rows that go left to the front, both sides in order; return the start of the right."""
    n_left, n_right = first, 0
    for i in range(first, end):
        row = rows[i]
        # Both are written and only one counts: there is no branch to be mispredicted.
        rows[n_left] = row
        spare[n_right] = row
        goes_left = int(is_left[row])
        n_left += goes_left
        n_right += 1 - goes_left
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left


@inlined_kernel()
def part_by_threshold(
    rows: NDArray[np.int32],
    first: int,
    end: int,
    values: NDArray[Any],
    threshold: float,
    spare: NDArray[np.int32],
) -> int:
    """Put rows with a value up to ``threshold`` first; return where the other rows begin."""
    n_left, n_right = first, 0
    for i in range(first, end):
        row = rows[i]
        if values[row] <= threshold:
            rows[n_left] = row
            n_left += 1
        else:
            spare[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left
