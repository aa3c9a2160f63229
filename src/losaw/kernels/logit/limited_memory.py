"""Limited-memory BFGS: the last steps of a fit and how the gradient changed (Nocedal & Liu 1989).

A vector of coefficients is flat, and filled up with zeros to whole vectors of 8. Step i is in
``steps[i]``, whose flat index is i times the length of a row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel, spliced_kernel
from losaw.kernels.vectors import LANES, add, fma, load, multiply, spread, store, subtract, total

MEMORY = 12  # steps that are stored


class Memory(NamedTuple):
    """The workspace of a quasi-Newton fit of V coefficients."""

    direction: NDArray[np.float64]  # (V,)
    steps: NDArray[np.float64]  # (MEMORY, V), s_i
    changes: NDArray[np.float64]  # (MEMORY, V), y_i: of the gradient, with the opposite sign
    factors: NDArray[np.float64]  # (MEMORY, 2), 1 / s_i' y_i, and workspace


def make_memory(n_coefficients: int) -> Memory:
    """Return the workspace of a fit of at most this size, filled with zeros."""
    return Memory(
        direction=np.zeros(n_coefficients),
        steps=np.zeros((MEMORY, n_coefficients)),
        changes=np.zeros((MEMORY, n_coefficients)),
        factors=np.zeros((MEMORY, 2)),
    )


@inlined_kernel()
def inner(a: np.ndarray, a_at: int, b: np.ndarray, b_at: int, size: int) -> float:
    """Return the inner product of a[a_at : a_at + size] and b[b_at : b_at + size], flat indices.

    The last vector is read whole. Of two sums side by side, one need not wait for the other.
    """
    even = spread(0.0)
    odd = spread(0.0)
    # What is left of an odd number of vectors goes to the first sum.
    paired = size - size % (2 * LANES)
    for lane in range(0, paired, 2 * LANES):
        even = fma(load(a, a_at + lane), load(b, b_at + lane), even)
        odd = fma(load(a, a_at + lane + LANES), load(b, b_at + lane + LANES), odd)
    for lane in range(paired, size, LANES):
        even = fma(load(a, a_at + lane), load(b, b_at + lane), even)
    return total(add(even, odd))


@inlined_kernel()
def add_scaled(a: np.ndarray, scale: float, b: np.ndarray, b_at: int, size: int) -> None:
    """Add scale * b[b_at : b_at + size] to a."""
    for lane in range(0, size, LANES):
        store(a, lane, fma(spread(scale), load(b, b_at + lane), load(a, lane)))


@spliced_kernel()
def first_pass(memory: Memory, gradient: np.ndarray, size: int, held: int, newest: int) -> None:
    """Subtract from the gradient what the ``held`` newest pairs explain, newest first."""
    direction = memory.direction
    row = len(direction)
    # The two-loop recursion (Nocedal 1980): the direction starts as the gradient.
    for lane in range(0, size, LANES):
        store(direction, lane, load(gradient, lane))
    for back in range(held):
        # The memory is a ring: the oldest pair is written over by the newest.
        i = (newest + MEMORY - back) % MEMORY
        # alpha_i = s_i' q / (s_i' y_i), and q loses alpha_i y_i.
        share = memory.factors[i, 0] * inner(memory.steps, i * row, direction, 0, size)
        memory.factors[i, 1] = share
        add_scaled(direction, -share, memory.changes, i * row, size)


@spliced_kernel()
def second_pass(memory: Memory, gradient: np.ndarray, size: int, held: int, newest: int) -> float:
    """Apply the curvature of the pairs to the direction, oldest first; return its slope.

    Between the two passes the direction is multiplied by the inverse of blocks of the Hessian.
    """
    direction = memory.direction
    row = len(direction)
    for forward in range(held):
        i = (newest + MEMORY - held + 1 + forward) % MEMORY
        # beta = y_i' r / (s_i' y_i), and r gains (alpha_i - beta) s_i.
        share = memory.factors[i, 0] * inner(memory.changes, i * row, direction, 0, size)
        add_scaled(direction, memory.factors[i, 1] - share, memory.steps, i * row, size)
    return inner(gradient, 0, direction, 0, size)


@spliced_kernel()
def keep_gradient(memory: Memory, gradient: np.ndarray, size: int, at: int) -> None:
    """Store the gradient at the start of a step, where its change will be."""
    row = len(memory.direction)
    for lane in range(0, size, LANES):
        store(memory.changes, at * row + lane, load(gradient, lane))


@spliced_kernel()
def keep_step(memory: Memory, gradient: np.ndarray, size: int, at: int, times: float) -> None:
    """Store the pair of a step, ``times`` the direction, with ``gradient`` at its end."""
    # s = times x direction; y = gradient before - gradient after, positive along s where the fit is
    # concave.
    steps, changes, row = memory.steps, memory.changes, len(memory.direction)
    for lane in range(0, size, LANES):
        place = at * row + lane
        store(steps, place, multiply(spread(times), load(memory.direction, lane)))
        store(changes, place, subtract(load(changes, place), load(gradient, lane)))
    memory.factors[at, 0] = 1.0 / inner(steps, at * row, changes, at * row, size)
