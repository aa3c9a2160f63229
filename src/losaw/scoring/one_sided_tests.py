"""One-sided tests of loss differences against 0, their bounds, and adjustments of p-values."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from losaw.data import FloatArray
from losaw.support.arguments import one_of

TestName = Literal["t", "wilcoxon", "binomial", "fisher"]
Adjustment = Literal["none", "holm", "benjamini-hochberg", "benjamini-yekutieli"]
TESTS: tuple[str, ...] = get_args(TestName)
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)
_SCIPY = {"benjamini-hochberg": "bh", "benjamini-yekutieli": "by"}
# What a test's lower confidence bound is a bound of.
BOUND_OF = {
    "t": "mean difference",
    "wilcoxon": "pseudo-median of the differences",
    "binomial": "share of positive differences",
    "fisher": "mean difference",
}
_N_FLIPS = 1999


class Tested(NamedTuple):
    """p-value and lower end of the one-sided confidence interval [lower, infinity)."""

    p_value: float
    lower: float


def check_test(test: str, adjustment: str) -> None:
    """Raise a ValueError for the name of a test or an adjustment that does not exist."""
    one_of("test", test, TESTS)
    one_of("adjustment", adjustment, ADJUSTMENTS)


def one_sided_test(
    differences: FloatArray, test: str, level: float, rng: np.random.Generator
) -> Tested:
    """Test whether differences (n_samples,) are larger than 0.

    - ``t``: mean > 0, Student's t;
    - ``wilcoxon``: signed ranks, zeros dropped, normal approximation above 50 rows;
    - ``binomial``: more positive than negative differences, zeros dropped;
    - ``fisher``: mean against 1,999 random flips of the signs, counted with the observed one.

    p = 1 if all differences are 0, whatever the test: nothing speaks for the feature.

    Parameters
    ----------
    level : float
        Confidence of the bound, for example .95.
    """
    one_of("test", test, TESTS)
    if not differences.any():
        return Tested(1.0, 0.0)
    return _RUNNERS[test](differences, level, rng)


def t_test(mean: float, error: float, freedom: float, level: float) -> Tested:
    """One-sided t-test of mean > 0 and its lower bound."""
    from scipy.special import stdtr, stdtrit

    if error == 0:
        return Tested(float(mean <= 0), float(mean))
    bound = mean - float(stdtrit(freedom, level)) * error
    return Tested(float(stdtr(freedom, -mean / error)), float(bound))


def _t(differences: FloatArray, level: float, rng: np.random.Generator) -> Tested:
    n = len(differences)
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    return t_test(float(differences.mean()), error, n - 1, level)


def _wilcoxon(differences: FloatArray, level: float, rng: np.random.Generator) -> Tested:
    from scipy.stats import norm, rankdata, wilcoxon

    kept = differences[differences != 0]
    n = len(kept)
    if n <= 50:  # exact with ties too: the law of the sum of twice the ranks, signs at random
        ranks, law = np.rint(2 * rankdata(np.abs(kept))).astype(int), np.ones(1)
        for rank in ranks:
            law = (np.pad(law, (0, rank)) + np.pad(law, (rank, 0))) / 2
        p_value = float(law[ranks[kept > 0].sum() :].sum())
    else:
        p_value = float(wilcoxon(kept, alternative="greater", method="approx").pvalue)
    # Hodges and Lehmann's interval: an order statistic of the Walsh averages.
    first, second = np.triu_indices(n)
    averages = np.sort((kept[first] + kept[second]) / 2)
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    rank = int(np.floor(n * (n + 1) / 4 - norm.ppf(level) * spread))
    return Tested(p_value, float(averages[max(rank, 0)]) if rank >= 0 else -np.inf)


def _binomial(differences: FloatArray, level: float, rng: np.random.Generator) -> Tested:
    from scipy.stats import binomtest

    n_positive, n = int((differences > 0).sum()), int((differences != 0).sum())
    result = binomtest(n_positive, n, alternative="greater")
    interval = result.proportion_ci(confidence_level=level)
    return Tested(float(result.pvalue), float(interval.low))


def _fisher(differences: FloatArray, level: float, rng: np.random.Generator) -> Tested:
    mean = float(differences.mean())
    signs = rng.integers(0, 2, (_N_FLIPS, len(differences))) * 2.0 - 1.0
    flipped = signs @ differences / len(differences)
    p_value = (1 + int((flipped >= mean).sum())) / (1 + _N_FLIPS)
    # Signs are flipped around the mean for the bound, so that it shifts with the differences.
    around = signs @ (differences - mean) / len(differences)
    return Tested(p_value, mean - float(np.quantile(around, level)))


_RUNNERS = {"t": _t, "wilcoxon": _wilcoxon, "binomial": _binomial, "fisher": _fisher}


def adjust(p_values: FloatArray, method: str) -> FloatArray:
    """p-values adjusted for several features.

    Parameters
    ----------
    method : {"none", "holm", "benjamini-hochberg", "benjamini-yekutieli"}
        Holm bounds the probability of any false rejection; Benjamini and Hochberg bound the
        expected share of false ones among the rejections, for independent or positively dependent
        p-values; Benjamini and Yekutieli for any.

    NaN, of what cannot be tested, stays NaN and does not count as a test.
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
