"""Least squares with a lasso penalty along a path of penalties, on cross-products.

Minimises (1/2n) |y - X b|^2 + lambda |b|_1 for centred y and columns of mean 0 and variance 1, by
cyclic coordinate descent (Friedman, Hastie & Tibshirani 2010). Own code because scikit-learn's
LassoCV spends ten times as long on matrices this small.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating_kernel


class LinearFit(NamedTuple):
    """Coefficients and residual standard deviation; fitted are ``intercept + X @ coefficients``."""

    intercept: float
    coefficients: FloatArray
    residual_scale: float


def choose_penalty(
    X: FloatArray,
    y: FloatArray,
    folds: NDArray[np.int64],
    *,
    n_penalties: int,
    smallest_ratio: float,
    patience: int,
    tolerance: float,
) -> tuple[float, FloatArray]:
    """Return the penalty with the least held-out squared error, and the coefficients there.

    Both are of the response in units of its standard deviation, of all rows. Columns of X have mean
    0 and variance 1; ``folds`` are numbers of the rows' folds. The path ends when the error has not
    improved for ``patience`` penalties.
    """
    n_rows = len(y)
    z = (y - y.mean()) / y.std()
    products, moments = X.T @ X, X.T @ z
    largest = max(np.abs(moments).max(initial=0.0) / n_rows, 1e-12)
    penalties = largest * np.geomspace(1.0, smallest_ratio, n_penalties)
    best = _select(X, z, folds, products, moments, penalties, tolerance, patience)
    b, gradient = np.zeros(X.shape[1]), moments / n_rows
    products /= n_rows
    for before, penalty in itertools.pairwise([largest, *penalties[: best + 1]]):
        descend(products, gradient, b, penalty, before, tolerance)
    return float(penalties[best]), b


def fit_mean(
    X: FloatArray, y: FloatArray, penalty: float, start: FloatArray, tolerance: float
) -> LinearFit:
    """Fit the mean of y at a penalty, from coefficients of the first columns that are close.

    The residual variance is RSS / (n - non-zero coefficients - 1), at least one row left.
    """
    n_rows = len(y)
    offset, scale = y.mean(), y.std()
    z = (y - offset) / scale
    b = np.zeros(X.shape[1])
    b[: len(start)] = start
    residual = z - X @ b
    inside, entering = b != 0, np.abs(X.T @ residual) > n_rows * penalty
    while True:
        # Only columns that can have a coefficient are multiplied with each other.
        inside |= entering
        of_inside = X[:, inside]
        b_inside, products = b[inside], of_inside.T @ of_inside / n_rows
        gradient = of_inside.T @ residual / n_rows
        descend(products, gradient, b_inside, penalty, penalty, tolerance)
        b[inside] = b_inside
        residual = z - of_inside @ b_inside
        entering = ~inside & (np.abs(X.T @ residual) > n_rows * penalty)
        if not entering.any():
            break
    freedom = max(n_rows - int(np.count_nonzero(b)) - 1, 1)
    spread = float(np.sqrt((residual**2).sum() / freedom))
    return LinearFit(float(offset), scale * b, scale * spread)


@allocating_kernel()
def _select(  # type: ignore[no-untyped-def]
    X, z, folds, products, moments, penalties, tolerance, patience
):
    """Index of the penalty with the least held-out squared error; all folds go down together."""
    n_rows, n_columns = X.shape
    n_folds = folds.max() + 1
    grams = np.empty((n_folds, n_columns, n_columns))
    kept_moments = np.empty((n_folds, n_columns))
    held_X = np.empty((n_columns, n_rows))
    held_z = np.empty(n_rows)
    ends = np.empty(n_folds, dtype=np.int64)
    start = 0
    for fold in range(n_folds):
        rows = np.flatnonzero(folds == fold)
        held, response = np.ascontiguousarray(X[rows].T), z[rows]
        n_kept = n_rows - len(rows)
        # Centred anew without the held-out rows, as the full problem is.
        mean = np.zeros(n_columns)
        for i in range(len(rows)):
            for j in range(n_columns):
                mean[j] -= held[j, i]
        mean /= n_kept
        level = -response.sum() / n_kept
        held_products = held @ np.ascontiguousarray(held.T)
        held_moments = held @ response
        for j in range(n_columns):
            kept_moments[fold, j] = (moments[j] - held_moments[j]) / n_kept - mean[j] * level
            for other in range(n_columns):
                kept = (products[j, other] - held_products[j, other]) / n_kept
                grams[fold, j, other] = kept - mean[j] * mean[other]
        end = start + len(rows)
        for j in range(n_columns):
            held_X[j, start:end] = held[j] - mean[j]
        held_z[start:end] = response - level
        ends[fold] = end
        start = end
    states = np.zeros((n_folds, n_columns))
    gradients = kept_moments.copy()
    residual = np.empty(n_rows)
    best, least = 0, np.inf
    for index in range(len(penalties)):
        residual[:] = held_z
        start = 0
        for fold in range(n_folds):
            b = states[fold]
            before = penalties[max(index - 1, 0)]
            descend(grams[fold], gradients[fold], b, penalties[index], before, tolerance)
            for j in range(n_columns):
                if b[j] != 0.0:
                    for i in range(start, ends[fold]):
                        residual[i] -= b[j] * held_X[j, i]
            start = ends[fold]
        error = 0.0
        for i in range(n_rows):
            error += residual[i] * residual[i]
        if error < least - 1e-9 * n_rows:
            best, least = index, error
        elif index - best >= patience:
            break
    return best


@allocating_kernel()
def descend(gram, gradient, b, penalty, before, tolerance):  # type: ignore[no-untyped-def]
    """Find the minimum at a penalty from the one at the penalty ``before``, in place.

    ``gradient`` is moments - gram b, and stays so. Columns whose gradient can hardly reach the
    penalty are looked at in the end only (the strong rules of Tibshirani et al. 2012).
    """
    n_columns = len(b)
    screened = np.empty(n_columns, dtype=np.int64)
    is_screened = np.zeros(n_columns, dtype=np.bool_)
    threshold = 2.0 * penalty - before
    n_screened = 0
    while True:
        entered = n_screened
        for j in range(n_columns):
            is_near = b[j] != 0.0 or abs(gradient[j]) >= threshold
            if is_near and not is_screened[j] and gram[j, j] > 0.0:
                screened[n_screened] = j
                is_screened[j] = True
                n_screened += 1
        if n_screened == entered:
            break
        start = b.copy()
        for _ in range(1000):
            largest = 0.0
            for j in screened[:n_screened]:
                h = gram[j, j]
                z = gradient[j] + h * b[j]
                target = 0.0
                if z > penalty:
                    target = (z - penalty) / h
                elif z < -penalty:
                    target = (z + penalty) / h
                step = target - b[j]
                if step != 0.0:
                    b[j] = target
                    for other in screened[:n_screened]:
                        gradient[other] -= step * gram[j, other]
                    largest = max(largest, h * step * step)
            if largest < tolerance:
                break
        for j in screened[:n_screened]:
            step = b[j] - start[j]
            if step != 0.0:
                for other in range(n_columns):
                    if not is_screened[other]:
                        gradient[other] -= step * gram[j, other]
        threshold = penalty
