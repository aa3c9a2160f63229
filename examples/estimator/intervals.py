"""A mean and its interval, for data of two laws: `losaw check intervals.py`."""

import numpy as np
from scipy import stats

from losaw.study.estimates import Estimate
from losaw.study.registry import register


@register("generator", "two-laws")
def draw(rng, *, law="normal", n=10):
    """Numbers of a normal or an exponential law with mean 1 and variance 1."""
    y = 1 + rng.standard_normal(n) if law == "normal" else rng.exponential(size=n)
    return y, {"mean": 1.0}  # the data, and what is estimated with its true value


@register("estimator", "t-interval")
def estimate(data, rng, *, level=0.95):
    """The mean with Student's interval, and a test of mean 1."""
    test = stats.ttest_1samp(data, 1.0)
    interval = test.confidence_interval(level)
    error = np.std(data, ddof=1) / np.sqrt(len(data))
    return Estimate(np.mean(data), error, interval.low, interval.high, test.pvalue)
