"""How far knockoffs may be from their features: the diagonal s of Cov(X, X~) = Sigma - diag(s).

Both criteria are solved coordinate by coordinate in closed form. With Q = (2 Sigma - diag(s))^-1,
a change of s_j by d keeps the matrix positive definite while d < 1 / Q_jj, and updates Q by a
matrix of rank one.
"""

import numpy as np

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating_kernel

METHODS = ("sdp", "mvr")


def s_values(correlation: FloatArray, method: str = "sdp") -> FloatArray:
    """The vector s, shape (p,), for a correlation matrix.

    - ``sdp``: maximise sum_j s_j subject to 0 <= s_j <= 1 and 2 Sigma - diag(s) >= 0 (Candès et
      al. 2018, Section 3.4.1), by coordinate ascent on a log-barrier that fades (Askari,
      Rebjock, d'Aspremont & El Ghaoui 2021);
    - ``mvr``: minimise tr G^-1, with G the covariance of (X, X~) (Spector & Janson 2022).

    The matrix (p, p) is positive definite, with ones on the diagonal.
    """
    start = np.full(len(correlation), min(1.0, smallest_eigenvalue(correlation)))
    return np.asarray(_coordinate_ascent(correlation, start, method == "sdp"))


def smallest_eigenvalue(matrix: FloatArray) -> float:
    """Return the smallest eigenvalue of a symmetric matrix."""
    return float(np.linalg.eigvalsh(matrix)[0])


@allocating_kernel()
def _coordinate_ascent(R, s, is_sdp):  # type: ignore[no-untyped-def]
    p = len(s)
    barrier = 0.5 if is_sdp else 0.0
    for _ in range(40):
        Q = np.linalg.inv(2 * R - np.diag(s))
        for _ in range(50):
            largest = 0.0
            for j in range(p):
                q = Q[j, j]
                if is_sdp:
                    # Stationary point of d + barrier * log(1 - d q).
                    target = min(1.0, max(0.0, s[j] + 1 / q - barrier))
                else:
                    root = np.sqrt(np.sum(Q[j] ** 2))
                    target = s[j] + (1 - root * s[j]) / (q + root)
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
        if not is_sdp and largest < 1e-7:
            break
        barrier *= 0.6
        if is_sdp and barrier < 1e-6:
            break
    return s
