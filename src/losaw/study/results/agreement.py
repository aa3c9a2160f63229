"""The evidence of one cell of a published table, and the verdict on it."""

import math
from dataclasses import dataclass

from scipy.special import ndtri, stdtr, stdtrit  # scipy.stats takes long to import

AGREES, DEVIATES, DIFFERS = "agrees", "deviates", "differs"
UNDECIDED, UNDECIDABLE = "undecided", "undecidable"
NOT_PRINTED, NOT_RUN, NO_ERROR = "not printed", "not run", "no error at hand"
NO_VALUE = "no value"
MISSING = (NOT_PRINTED, NOT_RUN, NO_VALUE)
# Verdict -> mark, words after a count of cells. What a reader should see first comes first.
VERDICTS = {
    DIFFERS: ("✗", "[differs|differ] from the published value (|z| > 3)"),
    DEVIATES: ("!", "[deviates|deviate] (2 < |z| ≤ 3)"),
    UNDECIDED: ("?", "[is|are] undecided"),
    UNDECIDABLE: ("~", "[is|are] undecidable"),
    AGREES: ("✓", "[agrees|agree] within the margin"),
    NO_ERROR: ("", "[has|have] no error to judge by"),
    NOT_PRINTED: ("", "[has|have] no published value"),
    NOT_RUN: ("", "[was|were] not run"),
    NO_VALUE: ("", "[has|have] no value"),
}

# The weight of the deviation of all cells of a kind in that of one cell of a bounded metric.
BORROWED_DEGREES = 4
# Of the interval that must lie within the margin (two one-sided tests at .05).
_ONE_SIDED = 0.05
QUANTILE = -float(ndtri(_ONE_SIDED))  # 1.645


@dataclass(frozen=True)
class Runs:
    """Our runs of a cell: mean, standard deviation of single runs, number of seeds."""

    mean: float
    deviation: float
    n_seeds: int


@dataclass(frozen=True)
class Printed:
    """A published number.

    ``error`` is the standard error of the value where the runs are not independent, as inferred
    (column ``published_se``); None: they are.
    """

    value: float
    decimals: int  # as published
    runs: float  # that it averages
    deviation: float | None = None  # of single runs, where it is published
    error: float | None = None


@dataclass(frozen=True)
class Kind:
    """The cells of one metric and method on one kind of data, taken together."""

    deviation: float = math.nan  # of single runs within a cell, pooled; NaN without two in any
    degrees: int = 0  # of freedom of the deviation
    is_bounded: bool = False  # whether the metric has a smallest and a largest value
    is_decision: bool = False  # whether a run's value is a share of yes-or-no decisions


@dataclass(frozen=True)
class Evidence:
    """The difference between our mean and the published value of a cell.

    ``reach`` is half the width of the interval if our runs had no error: 1.645 standard errors of
    the published value.
    """

    z: float  # in standard errors, as the normal quantile of the same probability
    low: float  # of the 90 % interval, both errors and the rounding in it
    high: float
    reach: float


def weigh(ours: Runs, printed: Printed, kind: Kind) -> Evidence | None:
    r"""Return the evidence of one cell; None where no error is at hand.

    With v the variance of our single runs, n our seeds, w that of the published runs, m their
    number, and d the decimals of the published number,

    .. math:: t = \frac{\bar x - y}{\sqrt{v/n + w/m + 10^{-2d}/12}}.

    w is the square of the published standard deviation of single runs, on m - 1 degrees of
    freedom; t then has Welch's degrees. Where none is published, w = v. Where the m runs are not
    independent, the square of the inferred standard error takes the place of w/m.

    v is

    - s², the variance of our runs, on n - 1 degrees of freedom;
    - for a bounded metric, whose runs may all but sit on one value, (4 v0 + (n - 1) s²) / (n + 3)
      on n + 3 degrees, v0 being the pooled variance of the kind: a few nearly constant runs say
      little of the deviation. Where the other cells of the kind have fewer than 4 degrees, these
      take the place of 4: no run counts twice;
    - v0 with its own degrees where our runs do not vary at all, or there is one of them;
    - w where there is no v0 either, and a standard deviation is published;
    - p (1 - p) for decisions, p being the share among our n runs and the m printed ones, with
      one success and one failure added: never 0, and the same for both if they are of one law.
      The interval has Agresti and Caffo's form (one success and one failure added to either).
      Where the error of the published share is inferred, p is the share among our runs alone, on n
      degrees.

    Notes
    -----
    ``tests/statistical/test_verdicts.py`` simulates cells that agree in truth. The normal law of z
    fails for rare decisions in few runs: at a rate of .01, one rejection in four runs (4 % of all
    cells) has z = 3.6.
    """
    n = ours.n_seeds
    if not (math.isfinite(ours.mean) and math.isfinite(printed.value)) or n < 1:
        return None
    if kind.is_decision and _is_yes_or_no(ours):
        if printed.error is None:
            return _of_decisions(ours.mean, n, printed)
        share = (n * ours.mean + 1) / (n + 2)
        return _of_variance(ours.mean, share * (1 - share), n, n, printed)
    if n > 1 and ours.deviation > 1e-12:
        others = max(kind.degrees - (n - 1), 0) if kind.is_bounded else 0  # without our own runs
        borrowed = min(BORROWED_DEGREES, others)
        pooled = borrowed * kind.deviation**2 if borrowed else 0.0
        freedom: float = borrowed + n - 1
        variance = (pooled + (n - 1) * ours.deviation**2) / freedom
    elif kind.degrees and kind.deviation > 1e-12:
        variance, freedom = kind.deviation**2, kind.degrees
    elif printed.deviation and printed.runs > 1:
        variance, freedom = printed.deviation**2, printed.runs - 1
    else:
        return None
    if not math.isfinite(variance):  # values so large that their squares are no numbers
        return None
    return _of_variance(ours.mean, variance, n, freedom, printed)


def verdict(evidence: Evidence | None, margin: float) -> str:
    """Return the verdict on a cell that is published and was run.

    ``agrees``: the 90 % interval of the difference is within ±margin, even if the difference is
    certain. ``differs``: |z| > 3. ``deviates``: |z| > 2. ``undecided``: none of these;
    ``undecidable`` if no number of seeds could show that equal values agree, because 1.645
    standard errors of the published value are larger than the margin.
    """
    if evidence is None:
        return NO_ERROR
    if -margin < evidence.low and evidence.high < margin:
        return AGREES
    if abs(evidence.z) > 2:
        return DIFFERS if abs(evidence.z) > 3 else DEVIATES
    return UNDECIDABLE if evidence.reach > margin else UNDECIDED


def runs_to_decide(evidence: Evidence, n_seeds: int, margin: float) -> float:
    """Return about how many runs would give another verdict than undecided; inf: no number would.

    The interval of m runs of ours is centre ± sqrt(s/m + reach²), where s follows from that of our
    n runs. It decides if it lies within the margin, or if the centre is two standard errors from 0.
    """
    centre, half = (evidence.low + evidence.high) / 2, (evidence.high - evidence.low) / 2
    decides = max(margin - abs(centre), abs(centre) * QUANTILE / 2)
    if decides <= evidence.reach:
        return math.inf
    spread = n_seeds * max(half**2 - evidence.reach**2, 0.0)
    return math.ceil(spread / (decides**2 - evidence.reach**2))


def _of_variance(
    mean: float, variance: float, n: int, freedom: float, printed: Printed
) -> Evidence:
    # v / n and w / m of the docstring of weigh, the second known by one of three ways.
    ours, degrees = variance / n, freedom
    published = variance if printed.deviation is None else printed.deviation**2
    theirs = published / printed.runs if printed.error is None else printed.error**2
    if printed.deviation is not None:  # two estimates of their own: Welch's degrees
        shares = ours**2 / freedom + theirs**2 / max(printed.runs - 1, 1)
        degrees = (ours + theirs) ** 2 / shares
    # No number of our runs makes the error smaller than that of the print.
    of_print = theirs + _rounding_variance(printed)
    error = math.sqrt(ours + of_print)
    difference = mean - printed.value
    reach = -float(stdtrit(degrees, _ONE_SIDED)) * error
    probability = stdtr(degrees, -abs(difference) / error)
    return Evidence(
        math.copysign(-float(ndtri(max(probability, 1e-300))), difference),
        difference - reach,
        difference + reach,
        QUANTILE * math.sqrt(of_print),
    )


def _of_decisions(share: float, n: int, printed: Printed) -> Evidence:
    m, rounding = printed.runs, _rounding_variance(printed)
    # For z both shares are of one law, pooled; the interval is of two, each with its own.
    p = (share * n + printed.value * m + 1) / (n + m + 2)
    error = math.sqrt(p * (1 - p) * (1 / n + 1 / m) + rounding)
    ours, theirs = (share * n + 1) / (n + 2), (printed.value * m + 1) / (m + 2)
    of_print = theirs * (1 - theirs) / (m + 2) + rounding
    reach = QUANTILE * math.sqrt(ours * (1 - ours) / (n + 2) + of_print)
    return Evidence(
        (share - printed.value) / error,
        ours - theirs - reach,
        ours - theirs + reach,
        # The added success and failure move the printed share, whatever the number of our runs.
        abs(printed.value - theirs) + QUANTILE * math.sqrt(of_print),
    )


def _is_yes_or_no(ours: Runs) -> bool:
    """Return whether every run gave 0 or 1: then the mean decides the deviation."""
    if ours.n_seeds == 1:
        return ours.mean in (0.0, 1.0)
    expected = ours.n_seeds / (ours.n_seeds - 1) * ours.mean * (1 - ours.mean)
    # Stored means and deviations have seven digits.
    return math.isclose(ours.deviation**2, expected, abs_tol=2e-7)


def _rounding_variance(printed: Printed) -> float:
    return float(10.0 ** (-2 * printed.decimals) / 12)
