"""Limited-memory BFGS: the last steps of a fit and how the gradient changed (Nocedal & Liu 1989).

Vectors have rows, padded with zeros to whole vectors: one per class but the first in contrasts, a
single one in effects. Places in an array are the flat index of a vector's first element.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.vectors import LANES, fma, load, multiply, spread, store, subtract, total

MEMORY = 12  # steps that are stored


class Memory(NamedTuple):
    """Workspace of a quasi-Newton fit whose vectors have R rows of w numbers."""

    direction: NDArray[np.float64]  # (R, w)
    steps: NDArray[np.float64]  # (MEMORY, R, w)
    changes: NDArray[np.float64]  # (MEMORY, R, w), of the gradient, with the opposite sign
    factors: NDArray[np.float64]  # (MEMORY, 2), one over step' change; workspace


def make_memory(n_rows: int, row: int) -> Memory:
    """Return the workspace of a fit of at most this size, filled with zeros."""
    return Memory(
        direction=np.zeros((n_rows, row)),
        steps=np.zeros((MEMORY, n_rows, row)),
        changes=np.zeros((MEMORY, n_rows, row)),
        factors=np.zeros((MEMORY, 2)),
    )


@inlined_kernel()
def inner(
    a: np.ndarray, a_at: int, b: np.ndarray, b_at: int, n_rows: int, row: int, width: int
) -> float:
    """Return the inner product of two vectors."""
    sums = spread(0.0)
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            sums = fma(load(a, a_at + lane), load(b, b_at + lane), sums)
    return total(sums)


@inlined_kernel()
def add_scaled(
    a: np.ndarray,
    a_at: int,
    scale: float,
    b: np.ndarray,
    b_at: int,
    n_rows: int,
    row: int,
    width: int,
) -> None:
    """Add scale * b to a."""
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            moved = fma(spread(scale), load(b, b_at + lane), load(a, a_at + lane))
            store(a, a_at + lane, moved)


@inlined_kernel()
def first_pass(
    memory: Memory, gradient: np.ndarray, n_rows: int, width: int, held: int, newest: int
) -> None:
    """Subtract from the gradient what the ``held`` newest pairs explain, newest first."""
    direction, steps, changes, factors = (
        memory.direction,
        memory.steps,
        memory.changes,
        memory.factors,
    )
    row = direction.shape[1]
    size = direction.shape[0] * row
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            store(direction, lane, load(gradient, lane))
    for back in range(held):
        i = (newest + MEMORY - back) % MEMORY
        share = factors[i, 0] * inner(steps, i * size, direction, 0, n_rows, row, width)
        factors[i, 1] = share
        add_scaled(direction, 0, -share, changes, i * size, n_rows, row, width)


@inlined_kernel()
def second_pass(
    memory: Memory, gradient: np.ndarray, n_rows: int, width: int, held: int, newest: int
) -> float:
    """Apply the curvature of the pairs to the direction, oldest first; return its slope.

    Between the two passes the direction is multiplied by the inverse of blocks of the Hessian.
    """
    direction, steps, changes, factors = (
        memory.direction,
        memory.steps,
        memory.changes,
        memory.factors,
    )
    row = direction.shape[1]
    size = direction.shape[0] * row
    for forward in range(held):
        i = (newest + MEMORY - held + 1 + forward) % MEMORY
        share = factors[i, 0] * inner(changes, i * size, direction, 0, n_rows, row, width)
        share = factors[i, 1] - share
        add_scaled(direction, 0, share, steps, i * size, n_rows, row, width)
    return inner(gradient, 0, direction, 0, n_rows, row, width)


@inlined_kernel()
def keep_gradient(memory: Memory, gradient: np.ndarray, n_rows: int, width: int, at: int) -> None:
    """Store the gradient at the start of a step, where its change will be."""
    row = memory.direction.shape[1]
    size = memory.direction.shape[0] * row
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            store(memory.changes, at * size + lane, load(gradient, lane))


@inlined_kernel()
def keep_step(
    memory: Memory, gradient: np.ndarray, n_rows: int, width: int, at: int, times: float
) -> None:
    """Store the pair of a step, ``times`` the direction, with ``gradient`` at its end."""
    steps, changes = memory.steps, memory.changes
    row = memory.direction.shape[1]
    size = memory.direction.shape[0] * row
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            start = at * size + lane
            store(steps, start, multiply(spread(times), load(memory.direction, lane)))
            store(changes, start, subtract(load(changes, start), load(gradient, lane)))
    product = inner(steps, at * size, changes, at * size, n_rows, row, width)
    memory.factors[at, 0] = 1.0 / product
