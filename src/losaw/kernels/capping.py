"""The exact cap of weights that guarantees an effective sample size (losaw, Appendix 9.6)."""

import numpy as np

from losaw.kernels.compiled import REORDERED, inner_kernel, kernel


@inner_kernel(fastmath=REORDERED)
def _moments_below(w: np.ndarray, counts: np.ndarray, size: int, u: float) -> tuple:
    """Return number, sum and sum of squares of the weights up to u, with multiplicity."""
    # A product with 0 or c instead of a branch, so that the loop is vectorised.
    k = 0.0
    t = 0.0
    q = 0.0
    for i in range(size):
        c = counts[i] if w[i] <= u else 0.0
        k += c
        t += c * w[i]
        q += c * w[i] * w[i]
    return k, t, q


@kernel()
def find_cap(w: np.ndarray, counts: np.ndarray, size: int, eta: float) -> tuple:
    """Return the cap u and the shift of the capped weights min(w, u) + shift, for w of any scale.

    With m weights cut and k = N - m not, T and Q the sum and the sum of squares of the latter,
    and W the sum of all, an effective sample size of eta N, which is s(w_theta) = eta N, reads

        N (Q + m u^2) - (T + m u)^2 = R,    R = W^2 (1 / eta - 1),

    a quadratic in u for a given set of cut weights; the left side increases with u. Set and u
    are iterated inside a bracket until the set stays. Returns (inf, 0) where no cap is needed.
    """
    # Of all weights: N, W and Q, to see whether the effective sample size is too small at all.
    n, total, square = _moments_below(w, counts, size, np.inf)
    target = total * total * (1.0 / eta - 1.0)
    if n * square - total * total <= target:
        return np.inf, 0.0
    # eta = 1: only equal weights have the whole sample as effective size.
    if eta >= 1.0:
        return 0.0, total / n
    low = 0.0
    # The bracket: one row at a cap above ``high`` makes the effective size too small by itself.
    high = total / np.sqrt(eta * n)  # one capped row: u^2 <= sum v^2 = W^2 / (eta N)
    # A start: somewhat above the mean weight, and inside the bracket.
    u = min(1.5 * total / n, 0.5 * high)
    previous = -1.0
    for _ in range(200):
        k, t, q = _moments_below(w, counts, size, u)
        if k == previous:  # the sets of cut weights are nested: same size, same set
            break
        # The bracket: too small a spread at u means that the cap lies above it.
        m = n - k
        if n * (q + m * u * u) - (t + m * u) ** 2 < target:
            low = u
        else:
            high = u
        # The larger root of the quadratic, for the set of weights that u cuts.
        discriminant = t * t * m * m + m * k * (target + t * t - n * q)
        candidate = -1.0
        # With no weight cut, or all, there is no quadratic to solve.
        if m > 0.0 and k > 0.0 and discriminant >= 0.0:
            candidate = (t * m + np.sqrt(discriminant)) / (m * k)
        # A root outside the bracket belongs to another set: halve the bracket instead.
        if low <= candidate <= high:
            u = candidate
            previous = k
        else:
            u = 0.5 * (low + high)
            previous = -1.0
    # The shift c = (W - sum min(w, u)) / N keeps the sum of the weights.
    return u, (total - (t + (n - k) * u)) / n
