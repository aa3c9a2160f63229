"""Multinomial logistic regression with elastic-net penalty along a path of penalties.

Minimises, over intercepts a_k and coefficients b_jk,

    - (1/n) sum_i log p_{y_i}(x_i) + lambda sum_jk [alpha u_j |b_jk| + (1 - alpha)/2 u_j^2 b_jk^2],

with p_k = exp(a_k + x'b_k) / sum_l exp(a_l + x'b_l) and u_j the standard deviation of column j, by
cyclic coordinate Newton steps. Columns are sparse: a step for a dummy visits its own rows only
and needs a single exponential, which is where the time goes otherwise.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating_kernel

IntArray = NDArray[np.int64]
# Probabilities of held-out rows are kept this far from 0, as in glmnet's cross-validation.
_SMALLEST_PROBABILITY = 1e-5
# A row's total of weights is summed anew when it falls to this part of itself in one step, and
# scaled back to 1 when it leaves [1e-150, 1e150]; no step changes a weight by more than exp(300).
_CANCELLED = 1e-4
# Sweeps over the coefficients after which steps are shortened to what cannot overshoot.
_CAREFUL_AFTER = 25
_SMALLEST_TOTAL = 1e-150
_LARGEST_STEP = 300.0
# A step changes the logarithms of a row's weights by |step| |x| at most: its reach. Below this one
# no total is cancelled, and while all reaches of a descent sum to less than the second, none leaves
# its range: rows need not be looked at.
_SHORT_REACH = 9.0
_LONGEST_WAY = 300.0


class SparseColumns(NamedTuple):
    """A matrix (n_rows, n_columns) by columns: rows and values of the non-zero entries.

    ``is_binary`` marks columns whose non-zero values are all 1; ``spans`` are the columns' largest
    absolute values.
    """

    starts: IntArray
    rows: IntArray
    values: FloatArray
    scales: FloatArray
    is_binary: NDArray[np.bool_]
    spans: FloatArray
    n_rows: int


def sparse_columns(X: FloatArray, scales: FloatArray) -> SparseColumns:
    """Sparse form of X (n_rows, n_columns); ``scales`` are the columns' standard deviations."""
    columns, rows = np.nonzero(X.T)
    starts = np.zeros(X.shape[1] + 1, dtype=np.int64)
    np.cumsum(np.bincount(columns, minlength=X.shape[1]), out=starts[1:])
    binary = ((X == 0) | (X == 1)).all(axis=0)
    spans = np.abs(X).max(axis=0, initial=1e-300)
    values = X[rows, columns]
    return SparseColumns(starts, rows.astype(np.int64), values, scales, binary, spans, len(X))


def fit_probabilities(
    X: FloatArray,
    scales: FloatArray,
    codes: IntArray,
    n_classes: int,
    folds: IntArray,
    *,
    mixing: float,
    n_penalties: int,
    smallest_ratio: float,
    patience: int,
    tolerance: float,
) -> tuple[FloatArray, float]:
    """Class probabilities (n_rows, n_classes) at the penalty with the least held-out deviance.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Numeric columns centred and of unit variance, dummies as 0 and 1.
    folds : array of shape (n_rows,)
        Fold of each row; -1 for all rows skips the cross-validation and takes the last penalty.
    patience : int
        The path ends when the deviance has not improved for so many penalties.

    Returns
    -------
    probabilities, penalty
    """
    columns = sparse_columns(X, scales)
    largest = _largest_penalty(columns, codes, n_classes) / max(mixing, 1e-3)
    penalties = largest * np.geomspace(1.0, smallest_ratio, n_penalties)
    n_folds = int(folds.max()) + 1
    parts = []
    for fold in range(n_folds):
        kept = folds != fold
        parts.append((sparse_columns(X[kept], scales), codes[kept], X[~kept], codes[~kept]))
    best = _select(parts, penalties, n_classes, X.shape[1], mixing, patience, tolerance, len(X))
    coefficients = np.zeros((X.shape[1], n_classes))
    intercepts = _start(codes, n_classes)
    # Warm starts along every second penalty: the last one decides.
    for penalty in penalties[[*range(0, best, 2), best]]:
        _descend(columns, codes, coefficients, intercepts, penalty, mixing, tolerance)
    return _probabilities(X, coefficients, intercepts), float(penalties[best])


def _select(
    parts: list[Any],
    penalties: FloatArray,
    n_classes: int,
    n_columns: int,
    mixing: float,
    patience: int,
    tolerance: float,
    n_rows: int,
) -> int:
    """Index of the penalty with the least held-out deviance; all folds go down together."""
    if not parts:
        return len(penalties) - 1
    states = [(np.zeros((n_columns, n_classes)), _start(part[1], n_classes)) for part in parts]
    best, least = 0, np.inf
    for index, penalty in enumerate(penalties):
        deviance = 0.0
        for (columns, codes, held_X, held_codes), (coefficients, intercepts) in zip(
            parts, states, strict=True
        ):
            _descend(columns, codes, coefficients, intercepts, penalty, mixing, tolerance)
            fitted = _probabilities(held_X, coefficients, intercepts)
            own_class = fitted[np.arange(len(held_codes)), held_codes]
            deviance -= np.log(np.maximum(own_class, _SMALLEST_PROBABILITY)).sum()
        if deviance < least - 1e-9 * n_rows:
            best, least = index, deviance
        elif index - best >= patience:
            break
    return best


def _start(codes: IntArray, n_classes: int) -> FloatArray:
    """Intercepts of the empty model; a class without rows counts as half a row."""
    counts = np.bincount(codes, minlength=n_classes).astype(float)
    return np.log(np.maximum(counts, 0.5) / len(codes))


def _probabilities(X: FloatArray, coefficients: FloatArray, intercepts: FloatArray) -> FloatArray:
    used = np.flatnonzero(coefficients.any(axis=1))
    linear = X[:, used] @ coefficients[used] + intercepts
    linear -= linear.max(axis=1, keepdims=True)
    np.exp(linear, out=linear)
    linear /= linear.sum(axis=1, keepdims=True)
    return linear


@allocating_kernel()
def _largest_penalty(columns, codes, n_classes):  # type: ignore[no-untyped-def]
    """Smallest penalty at which all coefficients are zero."""
    starts, rows, values, scales, _, _, n_rows = columns
    share = np.bincount(codes, minlength=n_classes) / n_rows
    largest = 0.0
    for j in range(len(starts) - 1):
        if scales[j] == 0.0:
            continue
        gradient = np.zeros(n_classes)
        total = 0.0
        for entry in range(starts[j], starts[j + 1]):
            gradient[codes[rows[entry]]] += values[entry]
            total += values[entry]
        for k in range(n_classes):
            largest = max(largest, abs(gradient[k] - total * share[k]) / n_rows / scales[j])
    return max(largest, 1e-12)


@allocating_kernel(inline="always")
def _reweigh(weight, total, k, i, changed):  # type: ignore[no-untyped-def]
    """Give row i the weight ``changed`` in class k, and its total.

    A total that shrinks to a small part of itself has lost its digits in the difference: it is
    summed anew. Only ratios matter, so that a row near the ends of the floats is scaled back.
    """
    before = total[i]
    total[i] = before + (changed - weight[k, i])
    weight[k, i] = changed
    if total[i] < _CANCELLED * before:
        total[i] = 0.0
        for other in range(len(weight)):
            total[i] += weight[other, i]
    if total[i] < _SMALLEST_TOTAL or total[i] > 1.0 / _SMALLEST_TOTAL:
        scale = 1.0 / total[i]
        total[i] = 0.0
        for other in range(len(weight)):
            weight[other, i] *= scale
            total[i] += weight[other, i]


@allocating_kernel(fastmath=True)
def _descend(  # type: ignore[no-untyped-def]
    columns, codes, coefficients, intercepts, penalty, mixing, tolerance
):
    """Coordinate Newton steps until no step changes the objective by more than ``tolerance``."""
    starts, rows, values, scales, is_binary, spans, n_rows = columns
    n_columns, n_classes = coefficients.shape
    weight = np.empty((n_classes, n_rows))  # exp of the linear predictor
    for k in range(n_classes):
        weight[k] = intercepts[k]
        for j in range(n_columns):
            b = coefficients[j, k]
            if b != 0.0:
                for entry in range(starts[j], starts[j + 1]):
                    weight[k, rows[entry]] += b * values[entry]
    total = np.zeros(n_rows)
    for i in range(n_rows):
        peak = weight[0, i]
        for k in range(1, n_classes):
            peak = max(peak, weight[k, i])
        for k in range(n_classes):
            weight[k, i] = np.exp(weight[k, i] - peak)
            total[i] += weight[k, i]
    targets = np.zeros((n_columns, n_classes))
    counts = np.zeros(n_classes)
    for i in range(n_rows):
        counts[codes[i]] += 1.0
    for j in range(n_columns):
        for entry in range(starts[j], starts[j + 1]):
            targets[j, codes[rows[entry]]] += values[entry]
    all_columns = True
    way = 0.0
    for sweep in range(200):
        largest = 0.0
        for k in range(n_classes):
            # Intercept; a class without rows keeps its start.
            if counts[k] > 0:
                g = 0.0
                h = 0.0
                for i in range(n_rows):
                    q = weight[k, i] / total[i]
                    g += q
                    h += q * (1.0 - q)
                step = -(g - counts[k]) / max(h, 1e-3 * n_rows)
                step = min(1.0, max(-1.0, step))
                largest = max(largest, h / n_rows * step * step)
                if abs(step) > 1e-9:
                    intercepts[k] += step
                    factor = np.exp(step)
                    way += abs(step)
                    if way < _LONGEST_WAY:
                        for i in range(n_rows):
                            changed = weight[k, i] * factor
                            total[i] += changed - weight[k, i]
                            weight[k, i] = changed
                    else:
                        for i in range(n_rows):
                            _reweigh(weight, total, k, i, weight[k, i] * factor)
            for j in range(n_columns):
                b = coefficients[j, k]
                if scales[j] == 0.0 or (not all_columns and b == 0.0):
                    continue
                first, last = starts[j], starts[j + 1]
                g = 0.0
                h = 0.0
                if is_binary[j]:
                    for entry in range(first, last):
                        i = rows[entry]
                        q = weight[k, i] / total[i]
                        g += q
                        h += q * (1.0 - q)
                else:
                    for entry in range(first, last):
                        i = rows[entry]
                        x = values[entry]
                        q = weight[k, i] / total[i]
                        g += x * q
                        h += x * x * q * (1.0 - q)
                g = (g - targets[j, k]) / n_rows
                threshold = penalty * mixing * scales[j]
                if b == 0.0 and abs(g) <= threshold:
                    continue
                ridge = penalty * (1.0 - mixing) * scales[j] * scales[j]
                h = max(h / n_rows, 1e-3 * scales[j] * scales[j])
                z = h * b - g
                target = 0.0
                if z > threshold:
                    target = (z - threshold) / (h + ridge)
                elif z < -threshold:
                    target = (z + threshold) / (h + ridge)
                limit = min(1.0 / scales[j], _LARGEST_STEP / spans[j])
                step = min(limit, max(-limit, target - b))
                if sweep >= _CAREFUL_AFTER and abs(step) * spans[j] > 1.0:
                    # Along x the curvature grows by exp(|step| |x|) at most: this step cannot
                    # pass the minimum, a Newton step on a column with far values can, for ever.
                    careful = np.log1p(abs(step) * spans[j]) / spans[j]
                    step = careful if step > 0.0 else -careful
                if step == 0.0:
                    continue
                largest = max(largest, h * step * step)
                coefficients[j, k] = b + step
                reach = abs(step) * spans[j]
                way += reach
                if reach > _SHORT_REACH or way > _LONGEST_WAY:
                    for entry in range(first, last):
                        i = rows[entry]
                        _reweigh(weight, total, k, i, weight[k, i] * np.exp(step * values[entry]))
                elif is_binary[j]:
                    factor = np.exp(step)
                    for entry in range(first, last):
                        i = rows[entry]
                        changed = weight[k, i] * factor
                        total[i] += changed - weight[k, i]
                        weight[k, i] = changed
                else:
                    for entry in range(first, last):
                        i = rows[entry]
                        changed = weight[k, i] * np.exp(step * values[entry])
                        total[i] += changed - weight[k, i]
                        weight[k, i] = changed
        if largest < tolerance:
            if all_columns:
                break
            all_columns = True
        else:
            all_columns = False
