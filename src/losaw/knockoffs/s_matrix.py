"""How far knockoffs may be from their features: the diagonal s of Cov(X, X~) = Sigma - diag(s).

All criteria are solved coordinate by coordinate in closed form. With Q = (2 Sigma - diag(s))^-1,
a change of s_j by d keeps the matrix positive definite while d < 1 / Q_jj, and updates Q by a
matrix of rank one.
"""

from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating_kernel
from losaw.support.arguments import as_floats
from losaw.support.words import unknown

METHODS = ("sdp", "equicorrelated", "mvr", "maximum-entropy")
_SDP, _MVR, _ENTROPY = 0, 1, 2
_CODES = {"sdp": _SDP, "mvr": _MVR, "maximum-entropy": _ENTROPY}
_SMALLEST = 1e-10
# Rounding that a correlation matrix may show.
_RELATIVE, _ABSOLUTE = 1e-5, 1e-8


def s_values(correlation: FloatArray, method: str = "sdp") -> FloatArray:
    """The vector s, shape (p,), for a correlation matrix.

    - ``equicorrelated``: s_j = min(1, 2 lambda_min) (Barber & Candès 2015);
    - ``sdp``: maximise sum_j s_j subject to 0 <= s_j <= 1 and 2 Sigma - diag(s) >= 0 (Candès et
      al. 2018, Section 3.4.1), by coordinate ascent on a log-barrier that fades (Askari,
      Rebjock, d'Aspremont & El Ghaoui 2021);
    - ``mvr``: minimise tr G^-1, ``maximum-entropy``: maximise log det G, with G the covariance
      of (X, X~) (Spector & Janson 2022).

    Parameters
    ----------
    correlation : array of shape (p, p)
        Positive definite, ones on the diagonal.
    method : {"sdp", "equicorrelated", "mvr", "maximum-entropy"}

    Raises
    ------
    ValueError
        For an unknown method or a matrix that is no correlation matrix, or not positive definite.
    """
    if method not in METHODS:
        raise ValueError(unknown("method", method, METHODS))
    correlation = np.ascontiguousarray(as_floats("correlation", correlation))
    shape = correlation.shape
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise ValueError(f"correlation must be a square matrix, got shape {shape}")
    if not _is_correlation(correlation):
        raise ValueError("correlation must be symmetric and finite, with ones on its diagonal")
    return s_of(correlation, smallest_eigenvalue(correlation), method)


def smallest_eigenvalue(matrix: FloatArray) -> float:
    """Of a symmetric matrix."""
    return float(np.linalg.eigvalsh(matrix)[0])


def s_of(correlation: FloatArray, smallest: float, method: str) -> FloatArray:
    """:func:`s_values` of what is known to be a correlation matrix with that smallest eigenvalue.

    Raises
    ------
    ValueError
        If the matrix is not positive definite.
    """
    if smallest <= _SMALLEST:
        raise ValueError(
            f"the correlation matrix is not positive definite (smallest eigenvalue {smallest:.2g});"
            " shrink it first"
        )
    if method == "equicorrelated":
        return np.full(len(correlation), min(1.0, 2 * smallest))
    start = np.full(len(correlation), min(1.0, smallest))
    values: Any = _coordinate_ascent(correlation, start, _CODES[method])
    return np.asarray(values)


def _is_correlation(matrix: FloatArray) -> bool:
    """Return whether a matrix is finite and symmetric with a unit diagonal, up to rounding.

    As ``np.allclose`` has it, which takes a fifth of a draw's time for twenty columns.
    """
    if not np.isfinite(matrix).all():
        return False
    asymmetry = np.abs(matrix - matrix.T) - _RELATIVE * np.abs(matrix)
    diagonal = np.abs(np.diag(matrix) - 1.0)
    return bool(asymmetry.max() <= _ABSOLUTE and diagonal.max() <= _RELATIVE + _ABSOLUTE)


@allocating_kernel()
def _coordinate_ascent(R, s, method):  # type: ignore[no-untyped-def]
    p = len(s)
    barrier = 0.5 if method == _SDP else 0.0
    for _ in range(40):
        Q = np.linalg.inv(2 * R - np.diag(s))
        for _ in range(50):
            largest = 0.0
            for j in range(p):
                q = Q[j, j]
                if method == _SDP:
                    # Stationary point of d + barrier * log(1 - d q).
                    target = s[j] + 1 / q - barrier
                    target = min(1.0, max(0.0, target))
                elif method == _MVR:
                    root = np.sqrt(np.sum(Q[j] ** 2))
                    target = s[j] + (1 - root * s[j]) / (q + root)
                else:
                    target = s[j] + (1 - q * s[j]) / (2 * q)
                d = target - s[j]
                largest = max(largest, abs(d))
                if d != 0.0:
                    s[j] = target
                    scale = d / (1 - d * q)
                    row = Q[j].copy()
                    for a in range(p):
                        step = scale * row[a]
                        for b in range(p):
                            Q[a, b] += step * row[b]
            if largest < max(1e-7, 0.01 * barrier):
                break
        if method != _SDP and largest < 1e-7:
            break
        barrier *= 0.6
        if method == _SDP and barrier < 1e-6:
            break
    return s
