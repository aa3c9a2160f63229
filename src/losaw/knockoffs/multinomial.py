"""Multinomial logistic regression with a lasso penalty along a path of penalties.

Minimises, over intercepts a_k and coefficients b_jk,

    - (1/n) sum_i log p_{y_i}(x_i) + lambda sum_jk u_j |b_jk|,

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


def choose_penalty(
    X: FloatArray,
    codes: IntArray,
    n_classes: int,
    folds: IntArray,
    *,
    n_penalties: int,
    smallest_ratio: float,
    patience: int,
    tolerance: float,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the penalty with the least held-out deviance, coefficients and intercepts there.

    Numeric columns of X are centred and of unit variance, dummies 0 and 1. ``folds`` and
    ``patience`` are as in :func:`losaw.knockoffs.lasso.choose_penalty`.
    """
    scales = X.std(axis=0)
    columns = sparse_columns(X, scales)
    largest = _largest_penalty(columns, codes, n_classes)
    penalties = largest * np.geomspace(1.0, smallest_ratio, n_penalties)
    of_folds = []
    for fold in range(int(folds.max()) + 1):
        kept = folds != fold
        of_folds.append((sparse_columns(X[kept], scales), codes[kept], X[~kept], codes[~kept]))
    best = _select(of_folds, penalties, n_classes, X.shape[1], patience, tolerance, len(X))
    coefficients = np.zeros((X.shape[1], n_classes))
    intercepts = _start(codes, n_classes)
    # Warm starts along every second penalty: the last one decides.
    for penalty in penalties[[*range(0, best, 2), best]]:
        descend(columns, codes, coefficients, intercepts, penalty, tolerance)
    return float(penalties[best]), coefficients, intercepts


def fit_probabilities(
    X: FloatArray,
    codes: IntArray,
    penalty: float,
    start: FloatArray,
    intercepts: FloatArray,
    tolerance: float,
) -> FloatArray:
    """Fit class probabilities (n_rows, n_classes) at a penalty.

    ``start`` and ``intercepts`` are close, of the first columns; the others start at 0.
    """
    more = np.zeros((X.shape[1] - len(start), start.shape[1]))
    coefficients, intercepts = np.vstack([start, more]), intercepts.copy()
    columns = sparse_columns(X, X.std(axis=0))
    descend(columns, codes, coefficients, intercepts, penalty, tolerance)
    return probabilities(X, coefficients, intercepts)


def _select(
    of_folds: list[Any],
    penalties: FloatArray,
    n_classes: int,
    n_columns: int,
    patience: int,
    tolerance: float,
    n_rows: int,
) -> int:
    """Index of the penalty with the least held-out deviance; all folds go down together."""
    states = [(np.zeros((n_columns, n_classes)), _start(fold[1], n_classes)) for fold in of_folds]
    best, least = 0, np.inf
    for index, penalty in enumerate(penalties):
        deviance = 0.0
        for (columns, codes, held_X, held_codes), (coefficients, intercepts) in zip(
            of_folds, states, strict=True
        ):
            descend(columns, codes, coefficients, intercepts, penalty, tolerance)
            fitted = probabilities(held_X, coefficients, intercepts)
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


def probabilities(X: FloatArray, coefficients: FloatArray, intercepts: FloatArray) -> FloatArray:
    used = np.flatnonzero(coefficients.any(axis=1))
    linear = X[:, used] @ coefficients[used] + intercepts
    linear -= linear.max(axis=1, keepdims=True)
    np.exp(linear, out=linear)
    linear /= linear.sum(axis=1, keepdims=True)
    return linear


def _largest_penalty(columns: SparseColumns, codes: IntArray, n_classes: int) -> float:
    """Smallest penalty at which all coefficients are zero."""
    sums = np.asarray(_class_sums(columns, codes, n_classes))
    share = np.bincount(codes, minlength=n_classes) / columns.n_rows
    slopes = np.abs(sums - sums.sum(axis=1, keepdims=True) * share).max(axis=1) / columns.n_rows
    varies = columns.scales > 0
    return max(float((slopes[varies] / columns.scales[varies]).max(initial=0.0)), 1e-12)


@allocating_kernel()
def _class_sums(columns, codes, n_classes):  # type: ignore[no-untyped-def]
    """Return the sums of every column over the rows of every class, (n_columns, n_classes)."""
    sums = np.zeros((len(columns.starts) - 1, n_classes))
    for j in range(len(sums)):
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            sums[j, codes[columns.rows[entry]]] += columns.values[entry]
    return sums


@allocating_kernel()
def _weights(columns, coefficients, intercepts):  # type: ignore[no-untyped-def]
    """Return exp of the linear predictors, (n_classes, n_rows), each row up to a factor."""
    n_columns, n_classes = coefficients.shape
    weight = np.empty((n_classes, columns.n_rows))
    for k in range(n_classes):
        weight[k] = intercepts[k]
        for j in range(n_columns):
            b = coefficients[j, k]
            if b != 0.0:
                for entry in range(columns.starts[j], columns.starts[j + 1]):
                    weight[k, columns.rows[entry]] += b * columns.values[entry]
    for i in range(columns.n_rows):
        peak = weight[0, i]
        for k in range(1, n_classes):
            peak = max(peak, weight[k, i])
        for k in range(n_classes):
            weight[k, i] = np.exp(weight[k, i] - peak)
    return weight


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


@allocating_kernel(inline="always")
def _move(weight, total, k, i, factor):  # type: ignore[no-untyped-def]
    """Multiply the weight of row i in class k by a factor that leaves its total in range."""
    changed = weight[k, i] * factor
    total[i] += changed - weight[k, i]
    weight[k, i] = changed


@allocating_kernel(inline="always")
def _step_intercept(weight, total, k, count, way):  # type: ignore[no-untyped-def]
    """Take a Newton step of the intercept of class k; return it and its change of the objective."""
    n_rows = len(total)
    g = 0.0
    h = 0.0
    for i in range(n_rows):
        q = weight[k, i] / total[i]
        g += q
        h += q * (1.0 - q)
    step = min(1.0, max(-1.0, -(g - count) / max(h, 1e-3 * n_rows)))
    change = h / n_rows * step * step
    if abs(step) <= 1e-9:
        return 0.0, change
    factor = np.exp(step)
    if way + abs(step) < _LONGEST_WAY:
        for i in range(n_rows):
            _move(weight, total, k, i, factor)
    else:
        for i in range(n_rows):
            _reweigh(weight, total, k, i, weight[k, i] * factor)
    return step, change


@allocating_kernel(inline="always")
def _derivatives(columns, j, weight, total, k):  # type: ignore[no-untyped-def]
    """Return sum_i x q and sum_i x^2 q (1 - q) of column j, q the probability of class k."""
    g = 0.0
    h = 0.0
    if columns.is_binary[j]:
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            i = columns.rows[entry]
            q = weight[k, i] / total[i]
            g += q
            h += q * (1.0 - q)
    else:
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            i = columns.rows[entry]
            x = columns.values[entry]
            q = weight[k, i] / total[i]
            g += x * q
            h += x * x * q * (1.0 - q)
    return g, h


@allocating_kernel(inline="always")
def _length(g, h, b, threshold, scale, span, is_late):  # type: ignore[no-untyped-def]
    """Return the step of a coefficient b towards the minimum of its penalised parabola."""
    z = h * b - g
    target = 0.0
    if z > threshold:
        target = (z - threshold) / h
    elif z < -threshold:
        target = (z + threshold) / h
    limit = min(1.0 / scale, _LARGEST_STEP / span)
    step = min(limit, max(-limit, target - b))
    if is_late and abs(step) * span > 1.0:
        # Along x the curvature grows by exp(|step| |x|) at most: this step cannot pass the
        # minimum, a Newton step on a column with far values can, for ever.
        careful = np.log1p(abs(step) * span) / span
        step = careful if step > 0.0 else -careful
    return step


@allocating_kernel(inline="always")
def _move_rows(columns, j, weight, total, k, step, is_careful):  # type: ignore[no-untyped-def]
    """Change the coefficient of column j in class k by a step, in the weights of its rows."""
    if is_careful:
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            i = columns.rows[entry]
            _reweigh(weight, total, k, i, weight[k, i] * np.exp(step * columns.values[entry]))
    elif columns.is_binary[j]:
        factor = np.exp(step)
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            _move(weight, total, k, columns.rows[entry], factor)
    else:
        for entry in range(columns.starts[j], columns.starts[j + 1]):
            factor = np.exp(step * columns.values[entry])
            _move(weight, total, k, columns.rows[entry], factor)


@allocating_kernel(fastmath=True)
def descend(  # type: ignore[no-untyped-def]
    columns, codes, coefficients, intercepts, penalty, tolerance
):
    """Coordinate Newton steps until no step changes the objective by more than ``tolerance``."""
    n_columns, n_classes = coefficients.shape
    n_rows, scales, spans = columns.n_rows, columns.scales, columns.spans
    weight = _weights(columns, coefficients, intercepts)
    total = weight.sum(axis=0)
    targets = _class_sums(columns, codes, n_classes)
    counts = np.bincount(codes, minlength=n_classes)
    all_columns = True
    way = 0.0
    for sweep in range(200):
        largest = 0.0
        for k in range(n_classes):
            if counts[k] > 0:  # a class without rows keeps its start
                step, change = _step_intercept(weight, total, k, counts[k], way)
                intercepts[k] += step
                way += abs(step)
                largest = max(largest, change)
            for j in range(n_columns):
                b = coefficients[j, k]
                if scales[j] == 0.0 or (not all_columns and b == 0.0):
                    continue
                g, h = _derivatives(columns, j, weight, total, k)
                g = (g - targets[j, k]) / n_rows
                threshold = penalty * scales[j]
                if b == 0.0 and abs(g) <= threshold:
                    continue
                h = max(h / n_rows, 1e-3 * scales[j] * scales[j])
                is_late = sweep >= _CAREFUL_AFTER
                step = _length(g, h, b, threshold, scales[j], spans[j], is_late)
                if step == 0.0:
                    continue
                coefficients[j, k] = b + step
                reach = abs(step) * spans[j]
                way += reach
                largest = max(largest, h * step * step)
                is_careful = reach > _SHORT_REACH or way > _LONGEST_WAY
                _move_rows(columns, j, weight, total, k, step, is_careful)
        if largest < tolerance and all_columns:
            break
        all_columns = largest < tolerance
