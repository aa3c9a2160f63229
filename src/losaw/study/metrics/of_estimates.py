"""Metrics of estimates: a number for each run, whose mean, deviation or root over the runs measures
performance.

Their Monte Carlo errors are those of Morris, White and Crowther (2019), Table 6.
"""

from collections.abc import Mapping
from functools import partial
from math import inf, nan

from losaw.study.estimates import Estimate, Truths
from losaw.study.metrics.metric import Metric
from losaw.study.metrics.of_importances import LEVEL
from losaw.support.words import unknown

Estimates = Mapping[str, Estimate]  # by estimand
_OfEstimates = partial(
    Metric, needs="estimate", ranks_methods=False, examples=({}, {"estimand": "theta"})
)


@partial(_OfEstimates, range=(-inf, inf))
def bias(estimates: Estimates, truth: Truths, *, estimand: str | None = None) -> float:
    """The mean of the estimate minus the true value."""
    name = _name(estimates, estimand)
    return estimates[name].value - truth[name]


@partial(_OfEstimates, range=(-inf, inf), summary="sd")
def empirical_se(estimates: Estimates, truth: Truths, *, estimand: str | None = None) -> float:
    """The standard deviation of the estimate over the runs."""
    return estimates[_name(estimates, estimand)].value


@partial(_OfEstimates, range=(0.0, inf), summary="root-mean")
def model_se(
    estimates: Estimates, truth: Truths, *, estimand: str | None = None, optional: bool = False
) -> float:
    """The root of the mean squared standard error that the estimator states.

    ``optional``: NaN, and so an empty cell, of an estimator that states none, instead of an error.
    """
    return _stated(estimates, estimand, "std_error", optional) ** 2


@partial(
    _OfEstimates,
    range=(0.0, inf),
    higher_is_better=False,
    summary="root-mean",
    ranks_methods=True,
)
def rmse(estimates: Estimates, truth: Truths, *, estimand: str | None = None) -> float:
    """The root of the mean squared difference between the estimate and the true value."""
    name = _name(estimates, estimand)
    return (estimates[name].value - truth[name]) ** 2


@partial(_OfEstimates, is_decision=True)
def coverage(
    estimates: Estimates, truth: Truths, *, estimand: str | None = None, optional: bool = False
) -> float:
    """The share of runs whose interval, low to high, contains the true value.

    ``optional``: NaN, and so an empty cell, of an estimator without one, instead of an error.
    """
    name = _name(estimates, estimand)
    low, high = (_stated(estimates, name, side, optional) for side in ("low", "high"))
    return nan if low != low else float(low <= truth[name] <= high)


@partial(_OfEstimates, is_decision=True)
def rejection(
    estimates: Estimates, truth: Truths, *, estimand: str | None = None, optional: bool = False
) -> float:
    """The share of runs with p <= .05: power, or the type I error where the hypothesis is true.

    ``optional``: NaN, and so an empty cell, of an estimator without p-values, instead of an error.
    """
    p = _stated(estimates, estimand, "p_value", optional)
    return nan if p != p else float(p <= LEVEL)


def _name(estimates: Estimates, estimand: str | None) -> str:
    """Return the name of an estimand, by default the only one."""
    if estimand is None and len(estimates) == 1:
        return next(iter(estimates))
    if estimand is None:
        raise ValueError(f"name the estimand, or each, of {', '.join(estimates)}")
    if estimand not in estimates:
        raise ValueError(unknown("estimand", estimand, estimates))
    return estimand


def _stated(estimates: Estimates, estimand: str | None, part: str, optional: bool) -> float:
    """Return a part of an estimate; NaN, if that is allowed, where it is not stated."""
    value = float(getattr(estimates[_name(estimates, estimand)], part))
    if value != value and not optional:
        raise ValueError(f"not defined, since the estimator states no {part}")
    return value
