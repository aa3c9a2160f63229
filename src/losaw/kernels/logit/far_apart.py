"""Probabilities of linear predictors so far apart that their exponentials are cut.

The kernels take the exponential of each class's predictor against the first class. If two of them
are beyond the exponential's range, both would be cut to the same number, and their classes would
seem equally likely. Here the largest predictor is subtracted first: only probabilities of e^-150
are cut then, which cannot be distinguished from zero. It takes longer, and hardly any node needs
it.
"""

import numpy as np

from losaw.kernels.compiled import inner_kernel
from losaw.kernels.exponential import exponential

# Sums of odds up to here come from predictors that were not cut: e^138 is below e^150.
LARGEST_ODDS = 1e60


@inner_kernel()
def find_probabilities(
    coefficients: np.ndarray,
    columns: np.ndarray,
    probability: np.ndarray,
    n_patterns: int,
    n_classes: int,
    row: int,
) -> None:
    """Compute probabilities (K, G) at coefficients, ``row`` of a class, for patterns (d, G)."""
    for g in range(n_patterns):
        # The predictor of the first class is zero by definition.
        largest = 0.0
        probability[0, g] = 0.0
        for k in range(1, n_classes):
            predictor = 0.0
            for j in range(min(row, len(columns))):  # those that fill up a vector are zero
                predictor += coefficients[(k - 1) * row + j] * columns[j, g]
            probability[k, g] = predictor
            largest = max(largest, predictor)
        total = 0.0
        # Now all exponents are zero or less, and the largest class has the exponential 1.
        for k in range(n_classes):
            probability[k, g] = exponential(probability[k, g] - largest)
            total += probability[k, g]
        for k in range(n_classes):
            # At least one class has the exponential 1, so that the sum is 1 or more.
            probability[k, g] /= total
