"""What is left of a target's correlations once its rows are weighted, in the compiled grower."""

import numpy as np

from losaw.forest.growing.arrays import Measure
from losaw.kernels.compiled import inner_kernel
from losaw.kernels.vectors import LANES, add, fma, load, multiply, spread, store


@inner_kernel()
def note_correlations(
    measure: Measure,
    feature: int,
    places: np.ndarray,
    position: int,
    start: int,
    size: int,
    w: np.ndarray,
) -> None:
    """Largest weighted correlation of a target with its adjustment features into ``measure``.

    Weights ``w`` are those of the rows ``places[position, start:][:size]``.
    """
    columns = measure.columns
    stride = columns.shape[1]
    largest = 0.0
    for target in range(measure.first_target[feature], measure.first_target[feature + 1]):
        # Moments of the target by itself, which is read from its row once.
        total = 0.0
        first = 0.0
        second = 0.0
        for i in range(size):
            t = measure.targets[places[position, start + i], target] - measure.centre[target]
            measure.target[i] = t
            total += w[i]
            first += w[i] * t
            second += w[i] * t * t
        variance = second - first * first / total

        # Weighted sums of a, a^2 and a t of eight adjustment columns a at a time, of all targets'
        # ones: to pick out this target's would take longer.
        for lane in range(0, stride, LANES):
            sums = spread(0.0)
            squares = spread(0.0)
            products = spread(0.0)
            for i in range(size):
                a = load(columns, places[position, start + i] * stride + lane)
                weighted = multiply(spread(w[i]), a)
                sums = add(weighted, sums)
                squares = fma(weighted, a, squares)
                products = fma(weighted, spread(measure.target[i]), products)
            store(measure.moments, lane, sums)
            store(measure.moments, stride + lane, squares)
            store(measure.moments, 2 * stride + lane, products)

        for place in range(measure.first_other[feature], measure.first_other[feature + 1]):
            j = measure.others[place]
            mean = measure.moments[0, j] / total
            covariance = measure.moments[2, j] - mean * first
            both = variance * (measure.moments[1, j] - mean * measure.moments[0, j])
            if both > 0.0:
                largest = max(largest, abs(covariance) / np.sqrt(both))
    measure.strength[feature] = largest
