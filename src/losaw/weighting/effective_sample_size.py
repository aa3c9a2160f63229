"""Effective sample size, and the exact cap that guarantees it (losaw, Section 3, Appendix 9.6)."""

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.kernels.capping import find_cap
from losaw.support.arguments import in_range
from losaw.weighting.checks import check_counts, check_eta, check_weights


def effective_sample_size(weights: ArrayLike) -> float:
    """Return Kish's effective sample size s(w) = (sum_n w_n)^2 / sum_n w_n^2.

    Parameters
    ----------
    weights : array of shape (n_samples,)
        Non-negative, not all zero; need not be normalised.

    Returns
    -------
    float
        In [1, N].

    References
    ----------
    losaw, Definition 3.1.

    Examples
    --------
    >>> from losaw.weighting import effective_sample_size
    >>> effective_sample_size([1.0, 1.0, 0.0, 0.0])  # two of the four rows count
    2.0
    """
    w = check_weights(weights)
    w = in_range(w)
    ones = np.ones(len(w))  # dot products: stored results have their last bits
    return float((ones @ w) ** 2 / (ones @ w**2))


def cap_weights(weights: ArrayLike, eta: float, counts: ArrayLike | None = None) -> FloatArray:
    """Return weights w_theta with the largest cap theta for which s(w_theta) / N >= eta.

    The fixed point of the paper's redistribution (Algorithm 9.7) is
    ``w_theta = min(w, u) + c`` with ``c = (sum w - sum min(w, u)) / N`` and ``theta = u + c``:
    weights above the cap are cut, and the amount cut is shared equally. The relative
    effective sample size falls continuously with u, so the largest admissible cap reaches eta
    exactly; it is found in closed form instead of by the bisection of Algorithm 9.9.

    Parameters
    ----------
    weights : array of shape (n_samples,)
        Non-negative, not all zero.
    eta : float in (0, 1]
        Smallest relative effective sample size.
    counts : array of shape (n_samples,), optional
        How often each row is in the sample (default: once); N is their sum.

    Returns
    -------
    array of shape (n_samples,)
        Weights of a single copy of each row, normalised: ``sum(counts * result) == 1``.

    References
    ----------
    losaw, equation (2), Algorithms 3.2, 9.7 and 9.9. Algorithm 9.9 as printed compares the
    weights of the step before; w_theta has to be evaluated first.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.weighting import cap_weights, effective_sample_size
    >>> capped = cap_weights(np.array([8.0, 1.0, 1.0, 1.0]), 0.8)
    >>> round(effective_sample_size(capped) / 4, 6)
    0.8
    """
    w = check_weights(weights)
    c = check_counts(counts, len(w))
    check_eta(eta)
    w = w / w.max()  # squares of very large or small weights stay in range
    cap, shift = find_cap(w, c, len(w), float(eta))
    return np.asarray((np.minimum(w, cap) + shift) / (c @ w))
