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
from losaw.kernels.logit.limited_memory import (
    MEMORY,
    add_scaled,
    first_pass,
    inner,
    keep_gradient,
    keep_step,
    second_pass,
)

# Blocks are renewed at the first two steps, and at every second step while the squared distance to
# the optimum, in standard errors, is above this for each unknown.
_FAR = 0.1
MAX_STEPS = 3000


@inlined_kernel()
def _move(logit: EffectsLogit, shape: Shape, penalty: float, times: float) -> float:
    """Move the effects along the direction; return the slope where they arrive."""
    length = shape.n_rows * shape.lanes
    add_scaled(logit.effects, 0, times, logit.memory.direction, 0, 1, length, length)
    update(logit, shape, penalty)
    return inner(logit.gradient, 0, logit.memory.direction, 0, 1, length, length)


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
    memory, gradient = logit.memory, logit.gradient
    length = shape.n_rows * shape.lanes
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
        first_pass(memory, gradient, 1, length, held, newest)
        solve_blocks(logit, shape)
        centre(memory.direction, shape)
        slope = second_pass(memory, gradient, 1, length, held, newest)
        newest = (newest + 1) % MEMORY
        keep_gradient(memory, gradient, 1, length, newest)
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
        keep_step(memory, gradient, 1, length, newest, times)
        held = min(held + 1, MEMORY)
    return -1
