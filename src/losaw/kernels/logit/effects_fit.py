"""A quasi-Newton method for a logit in the effects of levels.

The steps are those of :mod:`losaw.kernels.logit.quasi_newton`: blocks of the Hessian, a few times
in a fit, and what they miss learnt from the steps taken.
"""

from losaw.kernels.compiled import inlined_kernel, inner_kernel
from losaw.kernels.logit.effects_curvature import solve_blocks, update_blocks
from losaw.kernels.logit.effects_terms import (
    EffectsLogit,
    Shape,
    centre,
    start_from_frequencies,
    update,
)
from losaw.kernels.logit.limited_memory import MEMORY, add_scaled, inner
from losaw.kernels.vectors import LANES, load, multiply, spread, store, subtract

# Blocks are renewed at the first two steps, and at every second step while the squared distance to
# the optimum, in standard errors, is above this for each unknown.
_FAR = 0.1
MAX_STEPS = 3000


@inlined_kernel()
def _find_direction(logit: EffectsLogit, shape: Shape, held: int, newest: int) -> float:
    """Compute the quasi-Newton step from the ``held`` newest pairs; return its slope.

    The two passes of :func:`~losaw.kernels.logit.limited_memory.find_direction`, around blocks of
    another layout.
    """
    length = shape.n_rows * shape.lanes
    size = logit.steps.shape[1]
    direction, steps, changes = logit.direction, logit.steps, logit.changes
    for i in range(0, length, LANES):
        store(direction, i, load(logit.gradient, i))
    for back in range(held):
        i = (newest + MEMORY - back) % MEMORY
        share = logit.factors[i, 0] * inner(steps, i * size, direction, 0, 1, length, length)
        logit.factors[i, 1] = share
        add_scaled(direction, 0, -share, changes, i * size, 1, length, length)
    solve_blocks(logit, shape)
    centre(direction, shape)
    for forward in range(held):
        i = (newest + MEMORY - held + 1 + forward) % MEMORY
        share = logit.factors[i, 0] * inner(changes, i * size, direction, 0, 1, length, length)
        add_scaled(direction, 0, logit.factors[i, 1] - share, steps, i * size, 1, length, length)
    return inner(logit.gradient, 0, direction, 0, 1, length, length)


@inlined_kernel()
def _move(logit: EffectsLogit, shape: Shape, penalty: float, times: float) -> float:
    """Move the effects along the direction; return the slope where they arrive."""
    length = shape.n_rows * shape.lanes
    add_scaled(logit.effects, 0, times, logit.direction, 0, 1, length, length)
    update(logit, shape, penalty)
    return inner(logit.gradient, 0, logit.direction, 0, 1, length, length)


@inlined_kernel()
def _keep_gradient(logit: EffectsLogit, shape: Shape, at: int) -> None:
    """Store the gradient at the start of a step, where its change will be."""
    start = at * logit.steps.shape[1]
    for i in range(0, shape.n_rows * shape.lanes, LANES):
        store(logit.changes, start + i, load(logit.gradient, i))


@inlined_kernel()
def _keep_step(logit: EffectsLogit, shape: Shape, at: int, times: float) -> None:
    """Store the pair of a step, ``times`` the direction, and the change of the gradient."""
    steps, changes = logit.steps, logit.changes
    length = shape.n_rows * shape.lanes
    start = at * steps.shape[1]
    for i in range(0, length, LANES):
        store(steps, start + i, multiply(spread(times), load(logit.direction, i)))
        store(changes, start + i, subtract(load(changes, start + i), load(logit.gradient, i)))
    logit.factors[at, 0] = 1.0 / inner(steps, start, changes, start, 1, length, length)


@inner_kernel()
def fit_effects(logit: EffectsLogit, shape: Shape, penalty: float, precision: float) -> int:
    """Fit the logit to its counts and levels; return the number of steps, -1 without convergence.

    Fills effects and probabilities. Starts from the class frequencies; ends where the squared
    distance to the optimum, in standard errors of the effects, is below ``precision``.
    """
    start_from_frequencies(logit, shape)
    update(logit, shape, penalty)
    if shape.n_rows == 1:
        return 0
    far = _FAR * shape.n_unknowns
    held = 0
    newest = 0
    since = 0
    slope = 1.0
    for taken in range(MAX_STEPS):
        if taken < 2 or (slope > far and since >= 2):
            update_blocks(logit, shape, penalty)
            held = 0
            since = 0
        since += 1
        before = slope
        slope = _find_direction(logit, shape, held, newest)
        newest = (newest + 1) % MEMORY
        _keep_gradient(logit, shape, newest)
        after = _move(logit, shape, penalty, 1.0)
        # Steps shrink by a factor that itself shrinks: the error is about the step before.
        if max(slope / before, 1e-3) * slope < precision:
            return taken + 1
        # A step past the maximum of its line is shortened to the maximum of a parabola.
        times = 1.0
        while not after >= -0.5 * slope and times > 1e-12:
            shorter = times * max(0.1, slope / (slope - after))
            after = _move(logit, shape, penalty, shorter - times)
            times = shorter
        _keep_step(logit, shape, newest, times)
        held = min(held + 1, MEMORY)
    return -1
