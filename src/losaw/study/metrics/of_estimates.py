"""Metrics of estimates: a number for each run, whose mean, deviation or root over the runs measures
performance.

Their Monte Carlo errors are those of Morris, White and Crowther (2019), Table 6. Of several
estimands ``estimand`` names one. ``optional``: NaN, and so an empty cell, of an estimator that does
not state what is measured, or of data without the estimand, instead of an error.
"""

from collections.abc import Callable, Mapping
from math import inf, isnan, nan
from typing import Any

from losaw.study.estimates import Estimate, Truths
from losaw.study.metrics.metric import Metric
from losaw.study.metrics.of_importances import LEVEL
from losaw.support.words import unknown

MeasureOne = Callable[[Estimate, float], float]


def of_one_estimand(**about: Any) -> Callable[[MeasureOne], Metric]:
    """Return a decorator: a number of an estimate and its true value as a metric."""

    def decorate(measure_one: MeasureOne) -> Metric:
        def measure(
            estimates: Mapping[str, Estimate],
            truth: Truths,
            *,
            estimand: str | None = None,
            optional: bool = False,
        ) -> float:
            # What an estimator leaves out must not decide which estimand is measured.
            if estimand is None and len(truth) > 1:
                raise ValueError(f"name the estimand, or each, of {', '.join(truth)}")
            name = next(iter(truth)) if estimand is None else estimand
            if name not in estimates and not optional:
                if name not in truth:
                    raise ValueError(unknown("estimand", name, truth))
                raise ValueError(
                    f"the estimator gives no estimate of {name!r}; optional: true leaves such a "
                    "cell empty"
                )
            value = measure_one(estimates[name], truth[name]) if name in estimates else nan
            if isnan(value) and not optional:
                words = "does not state what it needs; optional: true leaves such a cell empty"
                raise ValueError(f"not defined, since the estimator {words}")
            return value

        measure.__name__, measure.__doc__ = measure_one.__name__, measure_one.__doc__
        return Metric(measure, needs="estimate", examples=({}, {"estimand": "theta"}), **about)

    return decorate


@of_one_estimand(range=(-inf, inf), ranks_methods=False)
def bias(estimate: Estimate, truth: float) -> float:
    """The mean of the estimate minus the true value."""
    return estimate.value - truth


@of_one_estimand(range=(-inf, inf), ranks_methods=False, summary="sd")
def empirical_se(estimate: Estimate, truth: float) -> float:
    """The standard deviation of the estimate over the runs."""
    return estimate.value


@of_one_estimand(range=(0.0, inf), ranks_methods=False, summary="root-mean")
def model_se(estimate: Estimate, truth: float) -> float:
    """The root of the mean squared standard error that the estimator states."""
    return estimate.std_error**2


@of_one_estimand(range=(0.0, inf), higher_is_better=False, summary="root-mean")
def rmse(estimate: Estimate, truth: float) -> float:
    """The root of the mean squared difference between the estimate and the true value."""
    return (estimate.value - truth) ** 2


@of_one_estimand(is_decision=True, ranks_methods=False)
def coverage(estimate: Estimate, truth: float) -> float:
    """The share of runs whose interval, low to high, contains the true value."""
    return nan if isnan(estimate.low) else float(estimate.low <= truth <= estimate.high)


@of_one_estimand(is_decision=True, ranks_methods=False)
def rejection(estimate: Estimate, truth: float) -> float:
    """The share of runs with p <= .05: power, or the type I error where the hypothesis is true."""
    return nan if isnan(estimate.p_value) else float(estimate.p_value <= LEVEL)
