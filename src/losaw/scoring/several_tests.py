"""p-values of several features, adjusted for their number."""

from typing import Literal, get_args

import numpy as np

from losaw.data import FloatArray
from losaw.support.arguments import one_of

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
    one_of("adjustment", method, ADJUSTMENTS)
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
