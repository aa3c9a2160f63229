"""The contract of an estimator: what it returns of data, and what its generator knows of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Any

from losaw.data import Dataset
from losaw.support.words import unknown

Truths = Mapping[str, float]  # estimand -> its true value


@dataclass(frozen=True)
class Estimate:
    """An estimate of one number, with what is stated of its error.

    Attributes
    ----------
    value : float
    std_error : float
    low, high : float
        The limits of an interval.
    p_value : float
        What is not stated is NaN.

    Raises
    ------
    ValueError
        If the value is not finite, the error negative, ``low`` above ``high``, or the p-value no
        probability.

    Examples
    --------
    >>> from losaw.study.estimates import Estimate
    >>> Estimate(1.2, low=0.9, high=1.5).std_error
    nan
    """

    value: float
    std_error: float = nan
    low: float = nan
    high: float = nan
    p_value: float = nan

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise ValueError(f"an estimate must be a finite number, got {self.value}")
        if self.std_error < 0 or self.low > self.high or isnan(self.low) != isnan(self.high):
            raise ValueError(f"std_error must be 0 or more, and low at most high, got {self}")
        if not (isnan(self.p_value) or 0 <= self.p_value <= 1):
            raise ValueError(f"p_value must be between 0 and 1, got {self.p_value}")


def dataset_of(drawn: Any) -> Dataset:
    """Return a generator's draw for learners."""
    if not isinstance(drawn, Dataset):
        words = "a Dataset, which losaw.study.generators.simulated.simulated makes"
        raise TypeError(f"the generator returned {type(drawn).__name__}; for learners: {words}")
    return drawn


def data_and_truths(drawn: Any) -> tuple[Any, dict[str, float]]:
    """Return the two parts of a generator's draw for estimators: any data, and their truths."""
    if not (isinstance(drawn, tuple) and len(drawn) == 2 and isinstance(drawn[1], Mapping)):
        raise TypeError(
            f"the generator returned {type(drawn).__name__}; for estimators it returns a pair: the "
            "data, and a mapping of the estimands to their true values"
        )
    truths = {str(name): float(value) for name, value in drawn[1].items()}
    if not truths or not all(map(isfinite, truths.values())):
        raise ValueError(f"the true values must be finite numbers, one or more, got {truths}")
    return drawn[0], truths


def by_estimand(estimated: Any, truths: Truths) -> dict[str, Estimate]:
    """Return what an estimator returned by estimand; a single estimate is of the only one."""
    if isinstance(estimated, Estimate) and len(truths) == 1:
        estimated = dict.fromkeys(truths, estimated)
    is_mapping = isinstance(estimated, Mapping)
    if not is_mapping or not all(isinstance(one, Estimate) for one in estimated.values()):
        raise TypeError(
            f"the estimator returned {type(estimated).__name__}; return an Estimate, or of several "
            f"estimands ({', '.join(truths)}) a mapping of each name to its Estimate"
        )
    by_name = {str(name): one for name, one in estimated.items()}  # as those of the truths are
    for name in by_name:
        if name not in truths:
            raise ValueError(unknown("estimand", name, truths))
    return by_name
