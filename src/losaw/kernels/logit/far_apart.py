"""Probabilities of linear predictors so far apart that their exponentials are cut.

The kernels take the exponential of each class's predictor against the first class. If two of them
are beyond the exponential's range, both would be cut to the same number, and their classes would
seem equally likely. Here the largest predictor is subtracted first: only probabilities of e^-150
are cut then, which cannot be distinguished from zero. It takes longer, and hardly any node needs
it.
"""

import numpy as np

from losaw.kernels.compiled import exponential, inner_kernel

# Sums of odds up to here come from predictors that were not cut (e^138 is below e^150), and so do
# logarithms of probabilities above its inverse.
LARGEST_ODDS = 1e60
SMALLEST_PROBABILITY = 1e-60


@inner_kernel()
def find_probabilities(
    coefficients: np.ndarray,
    columns: np.ndarray,
    probability: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
) -> None:
    """Compute probabilities (K, G) at coefficients (K - 1, w) for patterns (w, G)."""
    for g in range(n_patterns):
        largest = 0.0
        probability[0, g] = 0.0
        for k in range(1, n_classes):
            predictor = 0.0
            for j in range(width):
                predictor += coefficients[k - 1, j] * columns[j, g]
            probability[k, g] = predictor
            largest = max(largest, predictor)
        total = 0.0
        for k in range(n_classes):
            probability[k, g] = exponential(probability[k, g] - largest)
            total += probability[k, g]
        for k in range(n_classes):
            probability[k, g] /= total


@inner_kernel()
def find_probabilities_of_eight(
    coefficients: np.ndarray,
    design: np.ndarray,
    probability: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
) -> None:
    """Do the same for eight logits, the last axis of all arrays; coefficients class after class."""
    for lane in range(probability.shape[2]):
        for g in range(n_patterns):
            largest = 0.0
            probability[0, g, lane] = 0.0
            for k in range(1, n_classes):
                predictor = 0.0
                for j in range(width):
                    predictor += coefficients[(k - 1) * width + j, lane] * design[g, j, lane]
                probability[k, g, lane] = predictor
                largest = max(largest, predictor)
            total = 0.0
            for k in range(n_classes):
                probability[k, g, lane] = exponential(probability[k, g, lane] - largest)
                total += probability[k, g, lane]
            for k in range(n_classes):
                probability[k, g, lane] /= total


@inner_kernel()
def log_probability(predictors: np.ndarray, n_classes: int, k: int) -> float:
    """Return log p_k from the predictors of classes 1, 2, ... against the first, never cut."""
    largest = 0.0
    for other in range(n_classes - 1):
        largest = max(largest, predictors[other])
    total = np.exp(-largest)
    for other in range(n_classes - 1):
        total += np.exp(predictors[other] - largest)
    predictor = predictors[k - 1] if k > 0 else 0.0
    return predictor - largest - np.log(total)
