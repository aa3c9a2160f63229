"""Eight small multinomial logits side by side: data, probabilities and derivatives.

The logit is that of :mod:`losaw.kernels.logit.terms`. Every lane of a vector is a logit; arrays
end in the eight lanes and are just as large as the logits. All are as large as the largest:
patterns without rows and coefficients without a column add zeros and change nothing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import exponential_of_eight, inlined_kernel
from losaw.kernels.logit.far_apart import (
    LARGEST_ODDS,
    SMALLEST_PROBABILITY,
    find_probabilities_of_eight,
    log_probability,
)
from losaw.kernels.vectors import (
    LANES,
    add,
    divide,
    fma,
    less_product,
    load,
    multiply,
    spread,
    store,
    subtract,
    total,
    where_greater,
)


class EightLogits(NamedTuple):
    """Data, result and workspace; G patterns, K classes, w coefficients per class, U unknowns."""

    design: NDArray[np.float64]  # (G, w, 8), rows z_g; the first entry is 1
    counts: NDArray[np.float64]  # (K, G, 8); every class occurs in every lane
    probability: NDArray[np.float64]  # (K, G, 8)
    size: NDArray[np.float64]  # (G, 8), counts of a pattern
    residual: NDArray[np.float64]  # (K - 1, G, 8), counts less expected counts
    coefficients: NDArray[np.float64]  # (U, 8), class after class, against the first
    gradient: NDArray[np.float64]  # (U, 8)
    step: NDArray[np.float64]  # (U, 8)
    information: NDArray[np.float64]  # (U, U, 8), lower triangle, then its factor L D L'
    scaled: NDArray[np.float64]  # (max(2 G, U), 8)
    inverse: NDArray[np.float64]  # (U, 8), of D
    moving: NDArray[np.float64]  # (8,), 1 while a lane is not at its optimum, then 0
    times: NDArray[np.float64]  # (8,), of the step, by which a lane is moved next
    taken: NDArray[np.float64]  # (8,), share of a step in doubt that a lane takes
    slope: NDArray[np.float64]  # (8,), of the objective along the step at its start
    slope_after: NDArray[np.float64]  # (8,), at its end
    value: NDArray[np.float64]  # (2, 8), objective before and after the step
    predictors: NDArray[np.float64]  # (K - 1,), of a pattern of a lane


def make_eight_logits(n_patterns: int, n_classes: int, width: int) -> EightLogits:
    """Return the arrays of logits of at most this size, filled with zeros."""
    g, k, w = n_patterns, n_classes, width
    unknowns = (k - 1) * w
    return EightLogits(
        design=np.zeros((g, w, LANES)),
        counts=np.zeros((k, g, LANES)),
        probability=np.zeros((k, g, LANES)),
        size=np.zeros((g, LANES)),
        residual=np.zeros((k - 1, g, LANES)),
        coefficients=np.zeros((unknowns, LANES)),
        gradient=np.zeros((unknowns, LANES)),
        step=np.zeros((unknowns, LANES)),
        information=np.zeros((unknowns, unknowns, LANES)),
        scaled=np.zeros((max(2 * g, unknowns), LANES)),
        inverse=np.zeros((unknowns, LANES)),
        moving=np.zeros(LANES),
        times=np.zeros(LANES),
        taken=np.zeros(LANES),
        slope=np.zeros(LANES),
        slope_after=np.zeros(LANES),
        value=np.zeros((2, LANES)),
        predictors=np.zeros(k - 1),
    )


@inlined_kernel()
def start(eight: EightLogits, n_patterns: int, n_classes: int, width: int) -> None:
    """Start from the class frequencies: coefficients, probabilities and residuals."""
    for u in range((n_classes - 1) * width):
        store(eight.coefficients, u * LANES, spread(0.0))
    # Rows of each pattern, and of all.
    everything = spread(0.0)
    for g in range(n_patterns):
        size = load(eight.counts, g * LANES)
        for k in range(1, n_classes):
            size = add(size, load(eight.counts, (k * n_patterns + g) * LANES))
        store(eight.size, g * LANES, size)
        everything = add(everything, size)
    # The share of a class is its probability in every pattern, its log odds its intercept.
    for k in range(n_classes):
        count = spread(0.0)
        for g in range(n_patterns):
            count = add(count, load(eight.counts, (k * n_patterns + g) * LANES))
        share = divide(count, everything)
        store(eight.times, 0, share)
        if k == 0:
            for lane in range(LANES):
                eight.slope[lane] = np.log(eight.times[lane])
        else:
            for lane in range(LANES):
                odds = np.log(eight.times[lane]) - eight.slope[lane]
                eight.coefficients[(k - 1) * width, lane] = odds
        for g in range(n_patterns):
            place = (k * n_patterns + g) * LANES
            store(eight.probability, place, share)
            if k > 0:
                rest = less_product(load(eight.counts, place), load(eight.size, g * LANES), share)
                store(eight.residual, place - n_patterns * LANES, rest)


@inlined_kernel()
def update_probabilities(eight: EightLogits, n_patterns: int, n_classes: int, width: int) -> None:
    """Compute probabilities and residuals at the coefficients."""
    one = spread(1.0)
    n_cut = spread(0.0)
    for g in range(n_patterns):
        sums = one
        for k in range(1, n_classes):
            first = (k - 1) * width
            predictor = load(eight.coefficients, first * LANES)
            for j in range(1, width):
                b = load(eight.coefficients, (first + j) * LANES)
                predictor = fma(b, load(eight.design, (g * width + j) * LANES), predictor)
            odds = exponential_of_eight(predictor)
            sums = add(sums, odds)
            store(eight.probability, (k * n_patterns + g) * LANES, odds)
        inverse = divide(one, sums)
        n_cut = add(n_cut, where_greater(sums, spread(LARGEST_ODDS), one))
        size = load(eight.size, g * LANES)
        store(eight.probability, g * LANES, inverse)
        for k in range(1, n_classes):
            place = (k * n_patterns + g) * LANES
            p = multiply(load(eight.probability, place), inverse)
            store(eight.probability, place, p)
            rest = less_product(load(eight.counts, place), size, p)
            store(eight.residual, place - n_patterns * LANES, rest)
    # Odds that were cut somewhere: all lanes once more, with the largest predictor taken off.
    if total(n_cut) > 0.0:
        find_probabilities_of_eight(
            eight.coefficients, eight.design, eight.probability, n_patterns, n_classes, width
        )
        for k in range(1, n_classes):
            for g in range(n_patterns):
                place = (k * n_patterns + g) * LANES
                p = load(eight.probability, place)
                rest = less_product(load(eight.counts, place), load(eight.size, g * LANES), p)
                store(eight.residual, place - n_patterns * LANES, rest)


@inlined_kernel()
def _share(n_classes: int) -> float:
    """Return the share of the penalty that a shift of all classes takes off; 0 of two classes."""
    return 1.0 / n_classes if n_classes > 2 else 0.0


@inlined_kernel()
def update_gradient(
    eight: EightLogits, n_patterns: int, n_classes: int, width: int, penalty: float
) -> None:
    """Compute the gradient of the penalised log-likelihood, from known residuals."""
    for j in range(width):
        sums = spread(0.0)
        for k in range(n_classes - 1):
            sums = add(sums, load(eight.coefficients, (k * width + j) * LANES))
        mean = multiply(sums, spread(_share(n_classes)))
        for k in range(n_classes - 1):
            place = (k * width + j) * LANES
            sums = spread(0.0)
            if j > 0:
                distance = subtract(mean, load(eight.coefficients, place))
                sums = multiply(spread(penalty), distance)
            for g in range(n_patterns):
                residual = load(eight.residual, (k * n_patterns + g) * LANES)
                sums = fma(residual, load(eight.design, (g * width + j) * LANES), sums)
            store(eight.gradient, place, sums)


@inlined_kernel()
def update_information(
    eight: EightLogits, n_patterns: int, n_classes: int, width: int, penalty: float
) -> None:
    """Compute the lower triangle of the negative Hessian at the probabilities.

    Block (k, l) is sum_g n_g p_gk (1{k = l} - p_gl) z_g z_g' plus its part of the penalty.
    """
    unknowns = (n_classes - 1) * width
    share = _share(n_classes)
    for k in range(n_classes - 1):
        for other in range(k + 1):
            for g in range(n_patterns):
                p = load(eight.probability, ((k + 1) * n_patterns + g) * LANES)
                q = load(eight.probability, ((other + 1) * n_patterns + g) * LANES)
                both = multiply(load(eight.size, g * LANES), p)
                rest = subtract(spread(1.0 if k == other else 0.0), q)
                store(eight.scaled, g * LANES, multiply(both, rest))
            ridge = penalty * (1.0 - share) if k == other else -penalty * share
            for i in range(width):
                for g in range(n_patterns):
                    z = load(eight.design, (g * width + i) * LANES)
                    product = multiply(load(eight.scaled, g * LANES), z)
                    store(eight.scaled, (n_patterns + g) * LANES, product)
                for j in range(i + 1):
                    sums = spread(ridge if i == j and i > 0 else 0.0)
                    for g in range(n_patterns):
                        product = load(eight.scaled, (n_patterns + g) * LANES)
                        sums = fma(product, load(eight.design, (g * width + j) * LANES), sums)
                    place = (k * width + i) * unknowns + other * width + j
                    store(eight.information, place * LANES, sums)
                    if k != other:
                        place = (k * width + j) * unknowns + other * width + i
                        store(eight.information, place * LANES, sums)


@inlined_kernel()
def find_value(
    eight: EightLogits, n_patterns: int, n_classes: int, width: int, penalty: float, row: int
) -> None:
    """Compute the penalised log-likelihood of the lanes that have just moved."""
    for lane in range(LANES):
        if eight.times[lane] == 0.0:
            continue
        value = 0.0
        for k in range(n_classes):
            for g in range(n_patterns):
                if not eight.counts[k, g, lane] > 0.0:
                    continue
                p = eight.probability[k, g, lane]
                if p >= SMALLEST_PROBABILITY:
                    value += eight.counts[k, g, lane] * np.log(p)
                    continue
                for other in range(n_classes - 1):
                    eight.predictors[other] = 0.0
                    for j in range(width):
                        b = eight.coefficients[other * width + j, lane]
                        eight.predictors[other] += b * eight.design[g, j, lane]
                log_p = log_probability(eight.predictors, n_classes, k)
                value += eight.counts[k, g, lane] * log_p
        # The penalty, less the part that a shift of all classes takes off.
        for j in range(1, width):
            sums = 0.0
            square = 0.0
            for k in range(n_classes - 1):
                b = eight.coefficients[k * width + j, lane]
                sums += b
                square += b * b
            value -= 0.5 * penalty * (square - _share(n_classes) * sums * sums)
        eight.value[row, lane] = value
