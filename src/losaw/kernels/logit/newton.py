"""Newton's method for the penalised multinomial logit of :mod:`losaw.kernels.logit.terms`."""

import numpy as np

from losaw.kernels.compiled import inlined_kernel, inner_kernel, kernel
from losaw.kernels.inversion import invert, product
from losaw.kernels.logit.quasi_newton import fit_quasi_newton
from losaw.kernels.logit.terms import (
    MOST_UNKNOWNS,
    Logit,
    objective,
    update_gradient,
    update_information,
    update_probabilities,
)
from losaw.kernels.vectors import LANES, add, load, store

# Squared distance to the optimum, in standard errors of the coefficients, at which fits from Python
# end.
PRECISION = 1e-10
# Below this squared decrement the inverse Hessian serves for further steps.
_NEAR = 0.05
# Below this squared decrement Newton's full steps converge without a look at the objective.
SAFE_STEP = 0.1
MAX_STEPS = 100


@inlined_kernel()
def _move(logit: Logit, n_classes: int, width: int, times: float) -> None:
    """Add ``times`` the step to the coefficients."""
    for k in range(n_classes - 1):
        for j in range(width):
            logit.coefficients[k, j] += times * logit.step[k * width + j]


@inlined_kernel()
def _slope(logit: Logit, n_classes: int, width: int) -> float:
    """Return the derivative of the objective along the step."""
    slope = 0.0
    for k in range(n_classes - 1):
        for j in range(width):
            slope += logit.gradient[k, j] * logit.step[k * width + j]
    return slope


@inlined_kernel()
def _find_step(logit: Logit, n_classes: int, width: int) -> float:
    """Compute Newton's step with the inverse; return its slope, the squared Newton decrement."""
    for k in range(n_classes - 1):
        for j in range(width):
            logit.slopes[k * width + j] = logit.gradient[k, j]
    product(logit.information, (n_classes - 1) * width, logit.slopes, logit.step)
    return _slope(logit, n_classes, width)


@inner_kernel()
def _step_back(
    logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float, slope: float
) -> None:
    """Halve a step, already taken, until the objective has risen (Armijo's rule)."""
    value = objective(logit, n_patterns, n_classes, width, penalty)
    _move(logit, n_classes, width, -1.0)
    update_probabilities(logit, n_patterns, n_classes, width)
    start = objective(logit, n_patterns, n_classes, width, penalty)
    times = 1.0
    while not value >= start + 1e-4 * times * slope and times > 1e-15:
        times *= 0.5
        _move(logit, n_classes, width, times)
        update_probabilities(logit, n_patterns, n_classes, width)
        value = objective(logit, n_patterns, n_classes, width, penalty)
        _move(logit, n_classes, width, -times)
    _move(logit, n_classes, width, times)
    update_probabilities(logit, n_patterns, n_classes, width)
    update_gradient(logit, n_patterns, n_classes, width, penalty)


@inner_kernel()
def fit_multinomial(
    logit: Logit,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    precision: float,
) -> int:
    """Fit the logit to its counts and design; return the number of steps, -1 without convergence.

    Fills coefficients and probabilities. Starts from the class frequencies, the solution where
    nothing depends on the adjustment features.
    """
    # Rows of each pattern; then the classes' log odds as intercepts, all slopes zero.
    row = logit.columns.shape[1]
    for lane in range(0, n_patterns, LANES):
        total = load(logit.counts, lane)
        for k in range(1, n_classes):
            total = add(total, load(logit.counts, k * row + lane))
        store(logit.size, lane, total)
    base = 0.0
    for g in range(n_patterns):
        base += logit.counts[0, g]
    for k in range(n_classes - 1):
        count = 0.0
        for g in range(n_patterns):
            count += logit.counts[k + 1, g]
        for j in range(width):
            logit.coefficients[k, j] = 0.0
        logit.coefficients[k, 0] = np.log(count / base)
    update_probabilities(logit, n_patterns, n_classes, width)
    if width == 1:
        return 0
    update_gradient(logit, n_patterns, n_classes, width, penalty)
    if n_classes > 2 and (n_classes - 1) * width > MOST_UNKNOWNS:
        return fit_quasi_newton(logit, n_patterns, n_classes, width, penalty, precision)
    slope = np.inf
    is_near = False
    for taken in range(MAX_STEPS):
        before = slope
        if not is_near:
            update_information(logit, n_patterns, n_classes, width, penalty)
            invert(logit.information, (n_classes - 1) * width, logit.diagonal)
        slope = _find_step(logit, n_classes, width)
        _move(logit, n_classes, width, 1.0)
        update_probabilities(logit, n_patterns, n_classes, width)
        # The error after a step is about the square of its size with the Hessian of its start, and
        # shrinks by a constant factor with an earlier Hessian.
        left = slope * slope / before if is_near else slope * slope
        if left < precision:
            return taken + 1
        update_gradient(logit, n_patterns, n_classes, width, penalty)
        # Far from the optimum a full step may go so far past the maximum of its line that the fit
        # diverges. It has not if the slope at its end is above minus half the slope at its start.
        if slope > SAFE_STEP and not _slope(logit, n_classes, width) >= -0.5 * slope:
            _step_back(logit, n_patterns, n_classes, width, penalty, slope)
        is_near = slope < _NEAR and (not is_near or slope < 0.1 * before)
    return -1


@kernel()
def fit_one(logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float) -> int:
    """Fit a logit as :func:`fit_multinomial` does, for calls from Python."""
    return fit_multinomial(logit, n_patterns, n_classes, width, penalty, PRECISION)
