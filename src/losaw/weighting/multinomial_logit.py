"""Penalised multinomial logit on aggregated cells, by Newton's method.

Rows with the same adjustment features form one pattern. For pattern g, class k, counts n_gk,
design vector z_g = (1, ...) and coefficients b_k (b_0 = 0),

    p_gk = exp(b_k' z_g) / sum_l exp(b_l' z_g),
    minimise  - sum_gk n_gk log p_gk + (1 / 2C) min_a sum_k |b_k - a|^2   (no intercepts).

The minimum over the shift a is the penalty of the symmetric form with one vector per class;
with two classes the penalty is |b_1|^2 / 2C, scikit-learn's convention for a binary logit.
"""

import numpy as np

from losaw.weighting.compiled import compiled, exponential, factorize, solve_factorized

# A Newton step with squared decrement d (in units of the log-likelihood) leaves the
# coefficients within about d standard errors of the optimum.
_LAST_STEP = 1e-6
_MAX_STEPS = 100


@compiled()
def _log_likelihood(
    z: np.ndarray,
    counts: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    b: np.ndarray,
    probability: np.ndarray,
) -> float:
    """Penalised log-likelihood at ``b``; fills ``probability[:n_patterns, :n_classes]``."""
    value = 0.0
    for g in range(n_patterns):
        largest = 0.0
        probability[g, 0] = 0.0
        for k in range(1, n_classes):
            predictor = 0.0
            for j in range(width):
                predictor += b[(k - 1) * width + j] * z[g, j]
            probability[g, k] = predictor
            largest = max(largest, predictor)
        total = 0.0
        n_g = 0.0
        for k in range(n_classes):
            value += counts[g, k] * (probability[g, k] - largest)
            probability[g, k] = exponential(probability[g, k] - largest)
            total += probability[g, k]
            n_g += counts[g, k]
        value -= n_g * np.log(total)
        inverse = 1.0 / total
        for k in range(n_classes):
            probability[g, k] *= inverse
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for j in range(1, width):
        total = 0.0
        square = 0.0
        for k in range(n_classes - 1):
            total += b[k * width + j]
            square += b[k * width + j] ** 2
        value -= 0.5 * penalty * (square - share * total * total)
    return value


@compiled()
def fit_multinomial(
    z: np.ndarray,
    counts: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    b: np.ndarray,
    probability: np.ndarray,
    gradient: np.ndarray,
    trial: np.ndarray,
    hessian: np.ndarray,
) -> int:
    """Fit the logit; returns the number of Newton steps.

    ``z`` (n_patterns, width) starts with a column of ones, ``counts`` is (n_patterns,
    n_classes) and every class must occur. Fills ``b`` ((n_classes - 1) * width) and
    ``probability``; ``gradient``, ``trial`` and ``hessian`` are workspace. Starts from the class
    frequencies, the solution where nothing depends on the adjustment features.
    """
    size = (n_classes - 1) * width
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for j in range(size):
        b[j] = 0.0
    base = 0.0
    for g in range(n_patterns):
        base += counts[g, 0]
    for k in range(1, n_classes):
        total = 0.0
        for g in range(n_patterns):
            total += counts[g, k]
        b[(k - 1) * width] = np.log(total / base)
    value = _log_likelihood(z, counts, n_patterns, n_classes, width, penalty, b, probability)
    if width == 1:
        return 0
    for step in range(_MAX_STEPS):
        gradient[:size] = 0.0
        hessian[:size, :size] = 0.0
        for g in range(n_patterns):
            n_g = 0.0
            for k in range(n_classes):
                n_g += counts[g, k]
            for k in range(1, n_classes):
                row = (k - 1) * width
                residual = counts[g, k] - n_g * probability[g, k]
                for j in range(width):
                    gradient[row + j] += residual * z[g, j]
                for other in range(1, k + 1):
                    column = (other - 1) * width
                    factor = -probability[g, k] * probability[g, other]
                    if k == other:
                        factor += probability[g, k]
                    factor *= n_g
                    for i in range(width):
                        scaled = factor * z[g, i]
                        for j in range(i + 1):
                            hessian[row + i, column + j] += scaled * z[g, j]
        for k in range(n_classes - 1):
            for other in range(k):  # blocks below the diagonal are symmetric as well
                for i in range(width):
                    for j in range(i):
                        hessian[k * width + j, other * width + i] = hessian[
                            k * width + i, other * width + j
                        ]
        for j in range(1, width):
            total = 0.0
            for k in range(n_classes - 1):
                total += b[k * width + j]
            for k in range(n_classes - 1):
                index = k * width + j
                gradient[index] -= penalty * (b[index] - share * total)
                hessian[index, index] += penalty * (1.0 - share)
                for other in range(k):
                    hessian[index, other * width + j] -= penalty * share
        for j in range(size):
            trial[j] = gradient[j]
        factorize(hessian, size)
        solve_factorized(hessian, size, trial)
        decrement = 0.0
        for j in range(size):
            decrement += gradient[j] * trial[j]
        scale = 1.0
        for j in range(size):
            gradient[j] = b[j]
        for _ in range(30):  # halve a step that overshoots
            for j in range(size):
                b[j] = gradient[j] + scale * trial[j]
            new = _log_likelihood(z, counts, n_patterns, n_classes, width, penalty, b, probability)
            if new >= value - 1e-9 * abs(value):
                break
            scale *= 0.5
        value = new
        if decrement < _LAST_STEP:
            return step + 1
    return _MAX_STEPS
