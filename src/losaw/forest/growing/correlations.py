"""What is left of a target's correlations once its rows are weighted, in the compiled grower."""

import numpy as np

from losaw.forest.growing.arrays import Measure
from losaw.kernels.compiled import compiled


@compiled()
def note_correlations(
    measure: Measure,
    feature: int,
    places: np.ndarray,
    position: int,
    start: int,
    size: int,
    w: np.ndarray,
) -> None:
    """Largest absolute correlations of a target with its adjustment features into ``measure``.

    Without weights and with ``w``, one for each of the rows ``places[position, start:][:size]``.
    """
    moments = measure.moments
    largest = 0.0
    largest_weighted = 0.0
    for target in range(measure.first_column[feature], measure.first_column[feature + 1]):
        total = 0.0
        first = 0.0
        first_weighted = 0.0
        second = 0.0
        second_weighted = 0.0
        for j in range(moments.shape[0]):
            for k in range(6):
                moments[j, k] = 0.0
        for i in range(size):
            row = places[position, start + i]
            v = w[i]
            t = measure.columns[row, target] - measure.centre[target]
            total += v
            first += t
            first_weighted += v * t
            second += t * t
            second_weighted += v * t * t
            for f in range(measure.first_other[feature], measure.first_other[feature + 1]):
                other = measure.others[f]
                for j in range(measure.first_column[other], measure.first_column[other + 1]):
                    a = measure.columns[row, j] - measure.centre[j]
                    moments[j, 0] += a
                    moments[j, 1] += a * a
                    moments[j, 2] += a * t
                    moments[j, 3] += v * a
                    moments[j, 4] += v * a * a
                    moments[j, 5] += v * a * t
        for f in range(measure.first_other[feature], measure.first_other[feature + 1]):
            other = measure.others[f]
            for j in range(measure.first_column[other], measure.first_column[other + 1]):
                covariance = moments[j, 2] - moments[j, 0] * first / size
                product = second - first * first / size
                product *= moments[j, 1] - moments[j, 0] * moments[j, 0] / size
                if product > 0.0:
                    largest = max(largest, abs(covariance) / np.sqrt(product))
                covariance = moments[j, 5] - moments[j, 3] * first_weighted / total
                product = second_weighted - first_weighted * first_weighted / total
                product *= moments[j, 4] - moments[j, 3] * moments[j, 3] / total
                if product > 0.0:
                    largest_weighted = max(largest_weighted, abs(covariance) / np.sqrt(product))
    measure.found[feature, 0] = largest
    measure.found[feature, 1] = largest_weighted
