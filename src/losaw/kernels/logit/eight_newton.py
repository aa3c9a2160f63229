"""Newton's method for eight small multinomial logits, in the lanes of a vector.

A logit of three patterns and six unknowns is too small for vectors: most of the time every number
waits for the previous number, and eight logits side by side share the wait. Every lane takes its
own steps and ends by itself, so that its result does not depend on its neighbours. Sizes that are
constants where :func:`fit_eight` is called let a compiler unroll all loops.
"""

from losaw.kernels.compiled import inlined_kernel, inner_kernel
from losaw.kernels.logit.eight_terms import (
    EightLogits,
    find_value,
    start,
    update_gradient,
    update_information,
    update_probabilities,
)
from losaw.kernels.logit.newton import MAX_STEPS, SAFE_STEP
from losaw.kernels.vectors import (
    LANES,
    divide,
    fma,
    less_product,
    load,
    multiply,
    spread,
    store,
    where_greater,
)


@inlined_kernel()
def _factorise(eight: EightLogits, unknowns: int) -> None:
    """Replace the information by L D L'; a pivot that is no more than rounding counts as none."""
    for j in range(unknowns):
        diagonal = load(eight.information, (j * unknowns + j) * LANES)
        pivot = diagonal
        for m in range(j):
            left = load(eight.information, (j * unknowns + m) * LANES)
            both = multiply(left, load(eight.information, (m * unknowns + m) * LANES))
            store(eight.scaled, m * LANES, both)
            pivot = less_product(pivot, left, both)
        inverse = where_greater(
            pivot, multiply(diagonal, spread(1e-10)), divide(spread(1.0), pivot)
        )
        store(eight.inverse, j * LANES, inverse)
        store(eight.information, (j * unknowns + j) * LANES, pivot)
        for i in range(j + 1, unknowns):
            sums = load(eight.information, (i * unknowns + j) * LANES)
            for m in range(j):
                left = load(eight.information, (i * unknowns + m) * LANES)
                sums = less_product(sums, left, load(eight.scaled, m * LANES))
            store(eight.information, (i * unknowns + j) * LANES, multiply(sums, inverse))


@inlined_kernel()
def _find_step(eight: EightLogits, unknowns: int) -> None:
    """Compute Newton's step of the lanes that move, and its slope, the squared Newton decrement."""
    for i in range(unknowns):
        sums = load(eight.gradient, i * LANES)
        for m in range(i):
            left = load(eight.information, (i * unknowns + m) * LANES)
            sums = less_product(sums, left, load(eight.step, m * LANES))
        store(eight.step, i * LANES, sums)
    moving = load(eight.moving, 0)
    slope = spread(0.0)
    for reverse in range(unknowns):
        i = unknowns - 1 - reverse
        sums = multiply(load(eight.step, i * LANES), load(eight.inverse, i * LANES))
        sums = multiply(sums, moving)
        for m in range(i + 1, unknowns):
            left = load(eight.information, (m * unknowns + i) * LANES)
            sums = less_product(sums, left, load(eight.step, m * LANES))
        store(eight.step, i * LANES, sums)
        slope = fma(sums, load(eight.gradient, i * LANES), slope)
    store(eight.slope, 0, slope)


@inlined_kernel()
def _move(eight: EightLogits, unknowns: int) -> None:
    """Add the lanes' shares of their steps to the coefficients."""
    times = load(eight.times, 0)
    for u in range(unknowns):
        b = load(eight.coefficients, u * LANES)
        store(eight.coefficients, u * LANES, fma(times, load(eight.step, u * LANES), b))


@inlined_kernel()
def _find_slope_after(eight: EightLogits, unknowns: int) -> None:
    """Compute the slope along the step at its end."""
    slope = spread(0.0)
    for u in range(unknowns):
        slope = fma(load(eight.step, u * LANES), load(eight.gradient, u * LANES), slope)
    store(eight.slope_after, 0, slope)


@inner_kernel()
def _step_back(
    eight: EightLogits, n_patterns: int, n_classes: int, width: int, penalty: float
) -> None:
    """Halve steps in doubt, already taken, until the objective has risen (Armijo's rule).

    ``times`` is 1 for a lane in doubt, else 0. No lane is moved because of another lane.
    """
    unknowns = (n_classes - 1) * width
    # The objective at the end of the step, then back to its start for the objective there.
    find_value(eight, n_patterns, n_classes, width, penalty, 1)
    for lane in range(LANES):
        eight.taken[lane] = eight.times[lane]
        eight.times[lane] = -eight.times[lane]
    _move(eight, unknowns)
    update_probabilities(eight, n_patterns, n_classes, width)
    find_value(eight, n_patterns, n_classes, width, penalty, 0)
    # Half the step, from its start, in the lanes whose objective has not risen enough.
    while True:
        is_over = True
        for lane in range(LANES):
            share = eight.taken[lane]
            wanted = eight.value[0, lane] + 1e-4 * share * eight.slope[lane]
            if eight.times[lane] != 0.0 and share > 1e-15 and not eight.value[1, lane] >= wanted:
                eight.taken[lane] = 0.5 * share
                eight.times[lane] = 0.5 * share
                is_over = False
            else:
                eight.times[lane] = 0.0
        if is_over:
            break
        _move(eight, unknowns)
        update_probabilities(eight, n_patterns, n_classes, width)
        find_value(eight, n_patterns, n_classes, width, penalty, 1)
        for lane in range(LANES):
            eight.times[lane] = -eight.times[lane]
        _move(eight, unknowns)
    # The shares that were found are taken for good.
    for lane in range(LANES):
        eight.times[lane] = eight.taken[lane]
    _move(eight, unknowns)
    update_probabilities(eight, n_patterns, n_classes, width)
    update_gradient(eight, n_patterns, n_classes, width, penalty)


@inlined_kernel()
def fit_eight(
    eight: EightLogits,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    precision: float,
) -> int:
    """Fit the logits to their counts and designs; return how many do not reach their optimum.

    Fills coefficients and probabilities.

    All have the same number of classes. Newton's method from the class frequencies, as
    :func:`~losaw.kernels.logit.newton.fit_multinomial`, but with a new Hessian at every
    step, which costs little here.
    """
    start(eight, n_patterns, n_classes, width)
    if width == 1:
        return 0
    unknowns = (n_classes - 1) * width
    update_gradient(eight, n_patterns, n_classes, width, penalty)
    store(eight.moving, 0, spread(1.0))
    for _ in range(MAX_STEPS):
        update_information(eight, n_patterns, n_classes, width, penalty)
        _factorise(eight, unknowns)
        _find_step(eight, unknowns)
        store(eight.times, 0, spread(1.0))
        _move(eight, unknowns)
        update_probabilities(eight, n_patterns, n_classes, width)
        # The error after a step is about the square of its size: lanes of small error end here.
        is_over = True
        for lane in range(LANES):
            if eight.slope[lane] * eight.slope[lane] < precision:
                eight.moving[lane] = 0.0
            else:
                is_over = False
        if is_over:
            return 0
        update_gradient(eight, n_patterns, n_classes, width, penalty)
        _find_slope_after(eight, unknowns)
        # A step goes too far unless the slope at its end is above minus half the slope at its
        # start.
        is_in_doubt = False
        for lane in range(LANES):
            slope = eight.slope[lane]
            too_far = slope > SAFE_STEP and not eight.slope_after[lane] >= -0.5 * slope
            eight.times[lane] = 1.0 if too_far else 0.0
            is_in_doubt |= too_far
        if is_in_doubt:
            _step_back(eight, n_patterns, n_classes, width, penalty)
    n_moving = 0
    for lane in range(LANES):
        n_moving += eight.moving[lane] > 0.0
    return n_moving
