"""Limited-memory BFGS: the last steps of a fit and how the gradient changed (Nocedal & Liu 1989).

Vectors have one row per class but the first, padded with zeros to whole vectors, as a logit's
coefficients; places in an array are the flat index of a vector's first element.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.inversion import padded, padded_row
from losaw.kernels.vectors import LANES, fma, load, multiply, spread, store, subtract, total

MEMORY = 12  # steps that are stored


class Memory(NamedTuple):
    """Workspace of a quasi-Newton fit of K classes with w coefficients each."""

    direction: NDArray[np.float64]  # (K - 1, w)
    steps: NDArray[np.float64]  # (MEMORY, K - 1, w)
    changes: NDArray[np.float64]  # (MEMORY, K - 1, w), of the gradient, with the opposite sign
    factors: NDArray[np.float64]  # (MEMORY, 2), one over step' change; workspace
    blocks: NDArray[np.float64]  # (K, w, w + 8), inverses of the Hessian's diagonal blocks
    rows: NDArray[np.float64]  # (3, w), workspace


def make_memory(n_classes: int, width: int) -> Memory:
    """Return the workspace of a fit of at most this size, filled with zeros."""
    row = padded(width)
    return Memory(
        direction=np.zeros((n_classes - 1, row)),
        steps=np.zeros((MEMORY, n_classes - 1, row)),
        changes=np.zeros((MEMORY, n_classes - 1, row)),
        factors=np.zeros((MEMORY, 2)),
        blocks=np.zeros((n_classes, width, padded_row(width))),
        rows=np.zeros((3, row)),
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
def _solve_blocks(memory: Memory, n_classes: int, width: int) -> None:
    """Replace the direction by its product with the inverse blocks.

    In the symmetric form the first class's gradient is minus the sum of the others', and the step
    of a class against the first one is the difference of two.
    """
    direction, blocks, rows = memory.direction, memory.blocks, memory.rows
    row = direction.shape[1]
    place = blocks.shape[2]
    block = blocks.shape[1] * place
    for lane in range(0, width, LANES):
        sums = spread(0.0)
        for k in range(n_classes - 1):
            sums = subtract(sums, load(direction, k * row + lane))
        store(rows, lane, sums)
    for lane in range(0, width, LANES):
        sums = spread(0.0)
        for i in range(width):
            sums = fma(spread(rows[0, i]), load(blocks, i * place + lane), sums)
        store(rows, row + lane, sums)
    for k in range(n_classes - 1):
        for lane in range(0, width, LANES):
            sums = spread(0.0)
            for i in range(width):
                start = (k + 1) * block + i * place + lane
                sums = fma(spread(direction[k, i]), load(blocks, start), sums)
            store(rows, 2 * row + lane, subtract(sums, load(rows, row + lane)))
        for lane in range(0, width, LANES):
            store(direction, k * row + lane, load(rows, 2 * row + lane))


@inlined_kernel()
def find_direction(
    memory: Memory, gradient: np.ndarray, n_classes: int, width: int, held: int, newest: int
) -> float:
    """Compute the quasi-Newton step from the ``held`` newest pairs; return its slope."""
    direction, steps, changes, factors = (
        memory.direction,
        memory.steps,
        memory.changes,
        memory.factors,
    )
    n_rows = n_classes - 1
    row = direction.shape[1]
    size = direction.shape[0] * row
    for k in range(n_rows):
        for lane in range(k * row, k * row + width, LANES):
            store(direction, lane, load(gradient, lane))
    # From the newest pair back: subtract the part of the gradient that the pair explains.
    for back in range(held):
        i = (newest + MEMORY - back) % MEMORY
        share = factors[i, 0] * inner(steps, i * size, direction, 0, n_rows, row, width)
        factors[i, 1] = share
        add_scaled(direction, 0, -share, changes, i * size, n_rows, row, width)
    _solve_blocks(memory, n_classes, width)
    # From the oldest pair on: replace the curvature of the blocks by that of the pairs.
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
