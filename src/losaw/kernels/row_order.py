"""Put the rows of a node in order, sorted by a column or parted by a split, without new arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel

# Runs of so many rows are sorted by insertion before they are merged.
_RUN = 16


@inlined_kernel()
def sort_rows(
    rows: NDArray[np.int32], n: int, values: NDArray[np.float32], spare: NDArray[np.int32]
) -> None:
    """Sort the first n rows by their values: runs by insertion, then merged."""
    for first in range(0, n, _RUN):
        for i in range(first + 1, min(first + _RUN, n)):
            row = rows[i]
            j = i - 1
            while j >= first and values[rows[j]] > values[row]:
                rows[j + 1] = rows[j]
                j -= 1
            rows[j + 1] = row
    width = _RUN
    while width < n:
        for first in range(0, n, 2 * width):
            middle, end = min(first + width, n), min(first + 2 * width, n)
            i, j = first, middle
            for k in range(first, end):
                if i < middle and (j >= end or values[rows[i]] <= values[rows[j]]):
                    spare[k] = rows[i]
                    i += 1
                else:
                    spare[k] = rows[j]
                    j += 1
        for k in range(n):
            rows[k] = spare[k]
        width *= 2


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
    """Do the same by the values of one column; a value of at most ``threshold`` goes left."""
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
