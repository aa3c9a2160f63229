"""Penalised multinomial logit on aggregated cells, by Newton's method.

Rows with the same adjustment features form one pattern. For pattern g, class k, counts n_gk,
design vector z_g = (1, ...) and coefficients b_k (b_0 = 0),

    p_gk = exp(b_k' z_g) / sum_l exp(b_l' z_g),
    minimise  - sum_gk n_gk log p_gk + (1 / 2C) min_a sum_k |b_k - a|^2   (no intercepts).

The minimum over the shift a is the penalty of the symmetric form with one vector per class;
with two classes the penalty is |b_1|^2 / 2C, scikit-learn's convention for a binary logit.

Most fits in a forest have a dozen patterns and half a dozen coefficients, so that the time goes
into loops that are too short to vectorise: design vectors are therefore padded with zeros to a
multiple of 8 and the innermost loops have fixed length.
"""

import numpy as np

from losaw.weighting.compiled import (
    REORDERED,
    compiled,
    exponential,
    factorize,
    solve_factorized,
)
from losaw.weighting.lanes import LANES, dot, sum_products

# A Newton step with squared decrement d (in units of the log-likelihood) leaves the
# coefficients within about d standard errors of the optimum.
_LAST_STEP = 1e-5
# Below this squared decrement Newton's full steps converge without a look at the objective.
_SAFE_STEP = 0.1
_MAX_STEPS = 100


@compiled(fastmath=REORDERED)
def _probabilities(
    z: np.ndarray, n_patterns: int, n_classes: int, b: np.ndarray, probability: np.ndarray
) -> None:
    """Fill ``probability[g * n_classes + k]``."""
    padded = z.shape[1]
    blocks = padded // LANES
    for g in range(n_patterns):
        probability[g * n_classes] = 0.0
        for k in range(n_classes - 1):
            predictor = 0.0
            for block in range(blocks):
                predictor += dot(b, k * padded + block * LANES, z, g * padded + block * LANES)
            probability[g * n_classes + k + 1] = predictor
    for i in range(n_patterns * n_classes):
        probability[i] = exponential(probability[i])
    for g in range(n_patterns):
        total = 0.0
        for k in range(n_classes):
            total += probability[g * n_classes + k]
        inverse = 1.0 / total
        for k in range(n_classes):
            probability[g * n_classes + k] *= inverse


@compiled(fastmath=REORDERED)
def _gradient(
    z: np.ndarray,
    counts: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    b: np.ndarray,
    probability: np.ndarray,
    size: np.ndarray,
    factor: np.ndarray,
    gradient: np.ndarray,
) -> None:
    """Gradient of the penalised log-likelihood, (n_classes - 1, padded width)."""
    padded = z.shape[1]
    blocks = padded // LANES
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for k in range(n_classes - 1):
        for g in range(n_patterns):
            expected = size[g] * probability[g * n_classes + k + 1]
            factor[g] = counts[g, k + 1] - expected
        for block in range(blocks):
            lane = block * LANES
            sum_products(gradient, k * padded + lane, factor, z, 0, lane, padded, n_patterns)
    for j in range(1, width):
        total = 0.0
        for k in range(n_classes - 1):
            total += b[k, j]
        for k in range(n_classes - 1):
            gradient[k, j] -= penalty * (b[k, j] - share * total)


@compiled(fastmath=REORDERED)
def _information(
    z: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    probability: np.ndarray,
    size: np.ndarray,
    factor: np.ndarray,
    block: np.ndarray,
    hessian: np.ndarray,
) -> None:
    """Negative Hessian, lower triangle of (size, size); ``block`` is workspace.

    Block (k, l) is sum_g n_g p_gk (1{k = l} - p_gl) z_g z_g' plus its part of the penalty.
    """
    padded = z.shape[1]
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for k in range(n_classes - 1):
        for other in range(k + 1):
            for g in range(n_patterns):
                p = probability[g * n_classes + k + 1]
                q = probability[g * n_classes + other + 1]
                factor[g] = size[g] * p * (1.0 - p) if k == other else -size[g] * p * q
            for i in range(width):
                for lane in range(0, padded, LANES):
                    sum_products(block, i * padded + lane, factor, z, i, lane, padded, n_patterns)
            ridge = penalty * (1.0 - share) if k == other else -penalty * share
            for i in range(1, width):
                block[i, i] += ridge
            for i in range(width):
                for j in range(i + 1 if k == other else width):  # the lower triangle
                    hessian[k * width + i, other * width + j] = block[i, j]


@compiled()
def _objective(
    counts: np.ndarray,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    b: np.ndarray,
    probability: np.ndarray,
) -> float:
    """The penalised log-likelihood; not finite where a probability under- or overflows."""
    value = 0.0
    for g in range(n_patterns):
        for k in range(n_classes):
            if counts[g, k] > 0.0:
                value += counts[g, k] * np.log(probability[g * n_classes + k])
    share = 1.0 / n_classes if n_classes > 2 else 0.0
    for j in range(1, width):
        total = 0.0
        square = 0.0
        for k in range(n_classes - 1):
            total += b[k, j]
            square += b[k, j] * b[k, j]
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
    n_g: np.ndarray,
    factor: np.ndarray,
    gradient: np.ndarray,
    block: np.ndarray,
    step: np.ndarray,
    hessian: np.ndarray,
) -> int:
    """Fit the logit; returns the number of Newton steps.

    ``z`` (n_patterns, padded width) starts with a column of ones and is zero from ``width`` on,
    ``counts`` is (n_patterns, n_classes) and every class must occur. Fills ``b`` (n_classes - 1,
    padded width), of each class against the first, and ``probability`` (n_patterns * n_classes,),
    pattern by pattern. The others are workspace: ``n_g`` and ``factor`` (n_patterns,),
    ``gradient`` like b, ``block`` (width, padded width), ``step`` (size,) and ``hessian`` (size,
    size) with size = (n_classes - 1) * width. Starts from the class frequencies, the solution
    where nothing depends on the adjustment features.
    """
    base = 0.0
    for g in range(n_patterns):
        base += counts[g, 0]
        n_g[g] = 0.0
        for k in range(n_classes):
            n_g[g] += counts[g, k]
    for k in range(n_classes - 1):
        total = 0.0
        for g in range(n_patterns):
            total += counts[g, k + 1]
        for j in range(z.shape[1]):
            b[k, j] = 0.0
        b[k, 0] = np.log(total / base)
    _probabilities(z, n_patterns, n_classes, b, probability)
    if width == 1:
        return 0
    size = (n_classes - 1) * width
    _gradient(
        z, counts, n_patterns, n_classes, width, penalty, b, probability, n_g, factor, gradient
    )
    value = _objective(counts, n_patterns, n_classes, width, penalty, b, probability)
    for taken in range(_MAX_STEPS):
        _information(
            z, n_patterns, n_classes, width, penalty, probability, n_g, factor, block, hessian
        )
        for k in range(n_classes - 1):
            for j in range(width):
                step[k * width + j] = gradient[k, j]
        factorize(hessian, size)
        solve_factorized(hessian, size, step)
        slope = 0.0  # of the objective along the step: the squared Newton decrement
        for k in range(n_classes - 1):
            for j in range(width):
                slope += gradient[k, j] * step[k * width + j]
                b[k, j] += step[k * width + j]
        _probabilities(z, n_patterns, n_classes, b, probability)
        if slope < _LAST_STEP:
            return taken + 1
        if slope > _SAFE_STEP:
            # Far from the top a full step may go past it, and so far that the fit diverges: go
            # half the way back until the objective has risen (Armijo's rule; NaN is no rise).
            new_value = _objective(counts, n_patterns, n_classes, width, penalty, b, probability)
            for _ in range(60):
                if new_value >= value + 1e-4 * slope:
                    break
                slope *= 0.5
                for k in range(n_classes - 1):
                    for j in range(width):
                        step[k * width + j] *= 0.5
                        b[k, j] -= step[k * width + j]
                _probabilities(z, n_patterns, n_classes, b, probability)
                new_value = _objective(
                    counts, n_patterns, n_classes, width, penalty, b, probability
                )
            value = new_value
        _gradient(
            z, counts, n_patterns, n_classes, width, penalty, b, probability, n_g, factor, gradient
        )
    return _MAX_STEPS
