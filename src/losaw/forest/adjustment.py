"""Adjustment features: which features each target is decorrelated from (losaw, Remark 4.9)."""

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

_BLOCK = 4096  # rows standardised at a time, so that no second sample is in memory


def location_and_scale(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations (1/N) of the columns; infinity for a constant column."""
    location = X.mean(axis=0)
    square = np.zeros(X.shape[1])
    for start in range(0, len(X), _BLOCK):
        centred = X[start : start + _BLOCK] - location
        square += np.einsum("ij,ij->j", centred, centred)
    scale = np.sqrt(square / len(X))
    scale[scale <= 1e-14 * np.abs(location)] = np.inf
    return location, scale


def select_adjustment_features(
    X: FloatArray,
    location: FloatArray,
    scale: FloatArray,
    importances: FloatArray | None,
    n_adjustment: int,
    correlation_threshold: float,
    is_nominal: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Mask (n_features, n_features): entry [p, q] says that target p is adjusted for q.

    The ``n_adjustment`` most important features, without the target itself, whose absolute
    Pearson correlation with the target exceeds the threshold on the full training sample.
    ``importances`` may be None when there are no more features than ``n_adjustment``. Where one of
    the two ``is_nominal``, their :func:`association` is in the correlation's place.
    """
    n_samples, n_features = X.shape
    if importances is None:
        top = np.arange(n_features)
    else:
        top = np.sort(np.argsort(-importances, kind="stable")[:n_adjustment])
    correlation = np.zeros((n_features, len(top)))
    for start in range(0, n_samples, _BLOCK):
        rows = (X[start : start + _BLOCK] - location) / scale
        correlation += rows.T @ rows[:, top]
    strength = np.abs(correlation / n_samples)
    for j, q in enumerate(top):
        for p in np.arange(n_features) if is_nominal[q] else np.flatnonzero(is_nominal):
            strength[p, j] = association(X[:, p], X[:, q], is_nominal[p], is_nominal[q])
    mask = np.zeros((n_features, n_features), dtype=bool)
    mask[:, top] = strength > correlation_threshold
    np.fill_diagonal(mask, False)
    return mask


def association(x: FloatArray, z: FloatArray, x_is_nominal: bool, z_is_nominal: bool) -> float:
    """Measure how strongly two features are associated, one of them nominal; in [0, 1].

    Nominal and numeric: the correlation ratio, the multiple correlation with the levels'
    indicators, corrected for their number, ``sqrt(1 - (1 - R^2) (n - 1) / (n - L))`` (Kelley 1935).
    Both nominal: Cramér's V with Bergsma's (2013) correction. Of independent features both are near
    zero however many levels there are. A feature of two levels counts as numeric, so that naming
    its levels otherwise changes nothing.
    """
    codes = []
    for values, is_nominal in ((x, x_is_nominal), (z, z_is_nominal)):
        levels, code = np.unique(values, return_inverse=True) if is_nominal else (values[:0], None)
        codes.append(code if len(levels) > 2 else None)
    of_x, of_z = codes
    if of_x is not None and of_z is not None:
        table = np.zeros((of_x.max() + 1, of_z.max() + 1))
        np.add.at(table, (of_x, of_z), 1.0)
        return _cramers_v(table)
    if of_x is not None:
        return _correlation_ratio(of_x, z)
    if of_z is not None:
        return _correlation_ratio(of_z, x)
    centred, other = x - x.mean(), z - z.mean()
    scale = np.sqrt((centred @ centred) * (other @ other))
    return float(abs(centred @ other) / scale) if scale > 0 else 0.0


def _correlation_ratio(codes: NDArray[np.intp], values: FloatArray) -> float:
    n, n_levels = len(values), int(codes.max()) + 1
    centred = values - values.mean()
    total = centred @ centred
    if not total > 0.0 or n <= n_levels:
        return 0.0
    sums = np.bincount(codes, centred, n_levels)
    between = (sums**2 / np.bincount(codes, minlength=n_levels)).sum()
    unexplained = (1.0 - between / total) * (n - 1) / (n - n_levels)
    return float(np.sqrt(max(0.0, 1.0 - unexplained)))


def _cramers_v(table: FloatArray) -> float:
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = ((table - expected) ** 2 / expected).sum() / n
    rows, columns = table.shape
    phi = max(0.0, phi - (rows - 1) * (columns - 1) / (n - 1))
    smallest = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1))
    return float(np.sqrt(phi / (smallest - 1.0))) if smallest > 1.0 else 0.0
