"""Tests of several features at once: adjusted p-values, and sets of ranks that hold together."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

Adjustment = Literal["none", "holm", "benjamini-hochberg", "benjamini-yekutieli"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)
_SCIPY = {"benjamini-hochberg": "bh", "benjamini-yekutieli": "by"}


def adjust(p_values: FloatArray, method: str) -> FloatArray:
    """p-values adjusted for several features, by a method of ``ADJUSTMENTS``.

    Holm bounds the probability of any false rejection; Benjamini and Hochberg bound the expected
    share of false ones among the rejections, for independent or positively dependent p-values;
    Benjamini and Yekutieli for any. NaN, of what cannot be tested, stays NaN and does not count as
    a test.
    """
    p_values = np.asarray(p_values, dtype=float)
    tested = ~np.isnan(p_values)
    if method == "none" or not tested.any():
        return p_values
    if not tested.all():
        adjusted = np.full(len(p_values), np.nan)
        adjusted[tested] = adjust(p_values[tested], method)
        return adjusted
    if method != "holm":
        from scipy.stats import false_discovery_control

        corrected = false_discovery_control(p_values, method=_SCIPY[method])
        return np.asarray(corrected, dtype=float)
    order = np.argsort(p_values)
    scaled = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(scaled, 1.0)
    return adjusted


def rank_sets(
    scores: FloatArray,
    deviations: FloatArray,
    freedom: float,
    level: float,
    smallest: float = 0.0,
) -> NDArray[np.intp]:
    """Return the best and the worst rank of each score, from 1, (n_units, 2): all of them at once.

    The rank of score j is 1 plus the number of larger ones. For every ordered pair the hypothesis
    that k is at most as large as j is tested by

        t_kj = (s_k - s_j) / sqrt(v_kk + v_jj - 2 v_kj),    v = D' D,

    and Holm's procedure over all p (p - 1) pairs bounds the probability of any false "k is larger
    than j" by 1 - level, however the scores depend on each other. Then

        best_j = 1 + #{k : k is larger than j},   worst_j = p - #{k : j is larger than k}

    contain all true ranks at once with probability ``level`` or more; of equal true scores, every
    rank that ordering them in some way would give. This is the procedure of Mogstad, Romano,
    Shaikh and Wilhelm (2024) with Holm's critical values in place of a bootstrap's, which needs no
    random numbers and holds with few folds.

    Scores (n_units,) are larger where more important; D (n_parts, n_units) is what each row,
    cluster or fold adds to their covariance, and ``freedom`` the degrees of freedom of Student's t.
    No p-value is taken to be below ``smallest``, or below 2^-n where all n parts agree on a
    difference, which has no error then.
    A column of NaN is a unit that cannot be compared: any rank is possible.
    """
    from scipy.special import stdtr

    n_units, covariance = len(scores), deviations.T @ deviations
    variance = np.diag(covariance)
    together = variance[:, None] + variance[None, :]
    square = together - 2 * covariance
    # Of units that nearly all rows score alike the difference of the sums has no digits.
    for j, k in np.argwhere(square < 1e-6 * together):
        square[j, k] = ((deviations[:, j] - deviations[:, k]) ** 2).sum()
    error = np.sqrt(square)
    lead = scores[:, None] - scores[None, :]  # of the row's unit over the column's
    # Two units that every row scores alike are equal for certain: no lead, and no error.
    # Differences of the size of rounding count as 0.
    size = np.abs(scores)
    lead[np.abs(lead) <= 1e-12 * np.maximum(size[:, None], size[None, :])] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(lead == 0, 0.0, lead / error)
    pairs = ~np.eye(n_units, dtype=bool)
    agree = error <= 1e-12 * np.abs(lead)
    least = np.where(agree, max(smallest, 0.5 ** len(deviations)), smallest)[pairs]
    p_values = np.nan_to_num(stdtr(freedom, -statistic[pairs]), nan=1.0).clip(min=least)
    larger = np.zeros((n_units, n_units), dtype=bool)
    larger[pairs] = adjust(p_values, "holm") <= 1 - level
    return np.column_stack([1 + larger.sum(axis=0), n_units - larger.sum(axis=1)])


def rank_words(best: int, worst: int) -> str:
    """Return a set of ranks in words."""
    return _ordinal(best) if best == worst else f"{_ordinal(best)} to {_ordinal(worst)}"


def _ordinal(number: int) -> str:
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    last = "th" if number % 100 in (11, 12, 13) else suffixes.get(number % 10, "th")
    return f"{number}{last}"
