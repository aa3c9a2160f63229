"""Tests of a paper's claims against the numbers of a reference run."""

import itertools
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import betaincinv
from scipy.stats import t

from losaw.study.claims.claim_file import Claim, Side
from losaw.study.columns import OF_CLAIM, with_axes
from losaw.study.request.grid import Study
from losaw.study.request.settings import matches

SUPPORTED = "supported"
MOSTLY_OPEN = "supported, mostly open"
CONTRADICTED = "contradicted"
MIXED = "holds in some settings, fails in others"
UNDECIDED = "undecided"
PARTLY_RUN = "run in part"
NOT_RUN = "not run"
CLAIM_VERDICTS = SUPPORTED, MOSTLY_OPEN, CONTRADICTED, MIXED, UNDECIDED, PARTLY_RUN, NOT_RUN

LEVEL = 0.05
SIGNS = {"above": 1.0, "at least": 1.0, "below": -1.0, "at most": -1.0}
NUMBERS = ("mean", "std_error", "freedom", "n_seeds")
Key: TypeAlias = tuple[str, str, str]  # of a mean: setting, method, metric
# Runs that do not vary decide where there are so many of them.
ENOUGH_EQUAL_RUNS = 10
# By how much the runs of a claim are multiplied, to see whether so many decide it.
TIMES = (1.1, 1.25, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100)


@dataclass(frozen=True)
class Weighed:
    """A claim, and the verdict of the numbers on it.

    ``comparisons`` has of every setting and pair of names the axes, ``compared`` (names), ``left``,
    ``right``, ``difference``, ``std_error`` and ``freedom`` (degrees of), the numbers of runs
    ``n_left`` and ``n_right`` (infinite for a claimed number), and ``is_decision``.
    """

    claim: Claim
    verdict: str
    n_for: int = 0  # settings that support it
    n_against: int = 0  # settings that contradict it
    n_open: int = 0  # settings that decide neither
    comparisons: pd.DataFrame = field(default_factory=pd.DataFrame)
    missing: tuple[str, ...] = ()  # what the claim names and was not run


def weigh_claim(
    claim: Claim,
    summary: pd.DataFrame,
    decisions: Collection[str],
    planned: Mapping[Key, Mapping[str, Any]],
    runs: pd.DataFrame | None = None,
) -> Weighed:
    r"""Weigh a claim against the means of a study.

    In each setting, and for each pair of names, the difference left − right has the standard error
    ``sqrt(se_left^2 + se_right^2)``: too large where both come from the same data and go up and
    down together. Of two metrics it is that of their differences in single runs, which ``runs`` has
    (of :func:`losaw.study.results.summary.effects_by_run`); without them, and of decisions,
    ``se_left + se_right``, the largest that it can be, as the two may go opposite ways. A setting
    speaks for or against the claim if the difference lies beyond the two-sided bound of level .05 /
    (number of settings), of a t distribution with Welch's degrees of freedom (of two metrics the
    fewer), so that a claim that is exactly on the border is decided in about 5 % of runs or fewer.
    *Supported*: some setting speaks for it and none against; *supported, mostly open*: so, but more
    than half of the settings decide neither; *contradicted*: some setting speaks against it and
    none for it; *undecided*: none speaks. Of a claim about most settings more than half of all have
    to speak for it, or against it. *Run in part*: nothing speaks against it, and something that it
    names was not run.

    ``at least`` and ``at most`` are weighed against the number that the margin allows: supported
    where the difference is better than that by more than the bound. ``near`` is supported in a
    setting if the difference lies within the margin by more than a one-sided bound of level .05 /
    (number of settings), and contradicted if it lies beyond the margin by more than the bound.

    A share of decisions, such as a rejection rate, has the exact limits of a binomial (Clopper and
    Pearson) of the same level instead, and a difference of two shares those of Newcombe's form,

    .. math:: d - \sqrt{(p_1 - l_1)^2 + (u_2 - p_2)^2}, \quad
        d + \sqrt{(u_1 - p_1)^2 + (p_2 - l_2)^2},

    of two metrics the sums instead: a rate of 0 in 20 runs is no rate without error. Where a run's
    value is a share of several decisions, the limits are those of one decision a run: too wide.

    A mean as a share of another, m / b (``share_of``), has the standard error
    ``sqrt(se_m^2 + (m / b)^2 se_b^2) / |b|``, by the delta method.

    A standard deviation over n runs has the standard error ``sd / sqrt(2 (n - 1))``, which is that
    of normal scores; heavy tails have a larger one.

    What the claim names and the summary does not have was not run:
    :func:`losaw.study.claims.claim_file.check_claims` checks the names.
    ``decisions`` is the study's, ``planned`` of :func:`planned_of`.
    """
    comparisons = _compared_sides(claim, summary, decisions, runs)
    if comparisons.empty:
        return Weighed(claim, NOT_RUN)
    missing = tuple(dict.fromkeys(_not_run(claim, summary, planned)))  # each once
    return _judged(claim, comparisons, missing)


def _judged(claim: Claim, comparisons: pd.DataFrame, missing: tuple[str, ...]) -> Weighed:
    beyond = _beyond(claim, comparisons)
    n_for, n_against, n_open = (int((beyond == sign).sum()) for sign in (1, -1, 0))
    # Of all settings, those that decide neither included.
    half = len(comparisons) / 2
    if claim.holds_in == "most":
        verdict = SUPPORTED if n_for > half else CONTRADICTED if n_against > half else UNDECIDED
    elif n_against:
        verdict = MIXED if n_for else CONTRADICTED
    else:
        verdict = UNDECIDED if not n_for else SUPPORTED if n_for >= n_open else MOSTLY_OPEN
    # One setting can contradict a claim; that none does says nothing of those that were not run.
    if missing and n_against == 0:
        verdict = PARTLY_RUN
    return Weighed(claim, verdict, n_for, n_against, n_open, comparisons, missing)


def runs_lacking(
    weighed: Weighed, summary: pd.DataFrame
) -> tuple[float, dict[tuple[str, str], int]]:
    """Return about how many times the runs of a claim would give it another verdict.

    And the further runs of each setting and learner that it names. All its runs grow alike, means
    and deviations stay as they are; 0 and nothing if no factor of ``TIMES`` is enough.
    """
    claim, comparisons = weighed.claim, weighed.comparisons
    for times in TIMES:
        runs = comparisons[["n_left", "n_right", "freedom"]] * times
        more = comparisons.assign(**runs, std_error=comparisons["std_error"] / math.sqrt(times))
        if _judged(claim, more, weighed.missing).verdict != weighed.verdict:
            break
    else:
        return 0, {}
    whole = claim.model_copy(update={"share_of": {}})
    bases = (s.model_copy(update={"where": {**s.where, **claim.share_of}}) for s in claim.sides)
    rows = pd.concat([_means(whole, side, summary) for side in (*claim.sides, *bases)])
    n_seeds = rows.groupby(["setting_id", "learner"])["n_seeds"].max()
    return times, {fit: math.ceil(round(n * (times - 1), 6)) for fit, n in n_seeds.items()}


def _not_run(
    claim: Claim, summary: pd.DataFrame, planned: Mapping[Key, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield the methods, metrics, values of axes and settings of a claim that a summary lacks."""
    was_run = summary[summary["n_seeds"] > 0]
    records = was_run.drop_duplicates("setting_id").to_dict("records")
    keys = ["setting_id", "method", "metric"]
    run_keys = set(was_run[keys].itertuples(index=False, name=None))
    # Run, and nothing to measure there, as the score of a feature that a design has not.
    is_empty = (summary["n_seeds"] == 0) & (summary.get("n_failed", 0) == 0)
    empty_keys = set(summary.loc[is_empty, keys].itertuples(index=False, name=None))
    for side in claim.sides:
        for column, asked in (("method", side.method), ("metric", side.metric)):
            known = set(was_run[column])
            yield from (name for name in asked or () if name not in known)
        for axis, values in side.where.items():
            for value in values:
                if not any(matches({axis: value}, record) for record in records):
                    yield f"{axis} = {value}"
        # Settings that the scale runs, and of which this request took only some.
        named = set(itertools.product(side.method or (), side.metric or ()))
        asked_keys = {
            key
            for key, axes in planned.items()
            if key[1:] in named
            if matches(side.where, axes) or matches({**side.where, **claim.share_of}, axes)
        }
        asked_keys -= empty_keys
        if n_lost := len({setting for setting, *_ in asked_keys - run_keys}):
            yield f"values in {n_lost} of {len({setting for setting, *_ in asked_keys})} settings"


def planned_of(study: Study) -> dict[Key, Mapping[str, Any]]:
    """The means that a study's scale computes, and the axes of their settings."""
    return {
        (setting.identifier, study.method_name(learner, importance), metric): setting.axes
        for setting, learner in itertools.product(study.settings, study.learners)
        if study.seeds(study.scale or "", setting, learner)
        for metric in study.metrics
        for importance in study.measured(metric, learner)
    }


def _beyond(claim: Claim, comparisons: pd.DataFrame) -> np.ndarray:
    """Return 1 for settings that support the claim, -1 for those against it, 0 for the others."""
    difference, n = comparisons["difference"].to_numpy(), len(comparisons)
    # Bonferroni: by chance any of n settings speaks in 5 % of runs, two-sided.
    down, up = _reach(claim, comparisons, LEVEL / 2 / n)
    if claim.relation == "near":
        # Two one-sided tests: the whole interval must lie within the margin.
        inner_down, inner_up = _reach(claim, comparisons, LEVEL / n)
        inside = np.minimum(difference - inner_down, -difference - inner_up) >= -claim.margin
        outside = np.maximum(difference - down, -difference - up) > claim.margin
        return inside.astype(int) - outside.astype(int)
    # "at least" forgives the margin, "above" demands it.
    margin = claim.margin if claim.relation in ("above", "below") else -claim.margin
    sign = SIGNS[claim.relation]
    # A binomial's bounds are not symmetric: which one counts depends on the side of the border.
    towards, away = (up, down) if sign > 0 else (down, up)
    gain = sign * difference - margin
    return (gain > away).astype(int) - (gain < -towards).astype(int)


def _reach(claim: Claim, comparisons: pd.DataFrame, level: float) -> np.ndarray:
    """Return the distances of one-sided bounds below and above the differences, shape (2, n)."""
    # NaN, beyond which nothing lies, where the error is not known.
    both = t.isf(level, comparisons["freedom"].to_numpy()) * comparisons["std_error"].to_numpy()
    left, right = (
        _binomial_reach(comparisons[side].to_numpy(), comparisons[f"n_{side}"].to_numpy(), level)
        for side in ("left", "right")
    )
    # The difference is low where the left share is low and the right one high.
    of_decisions = _join(claim)(left, right[::-1])
    return np.where(comparisons["is_decision"].to_numpy(), of_decisions, both)


def _join(claim: Claim) -> np.ufunc:
    """How the errors of both sides make one: those of two metrics the largest that there can be."""
    return np.add if isinstance(claim.than, Side) and claim.than.metric else np.hypot


def _binomial_reach(share: np.ndarray, n_runs: np.ndarray, level: float) -> np.ndarray:
    """Return these distances for shares of runs; 0 for a claimed number, which has no runs."""
    claimed = ~np.isfinite(n_runs)
    share = np.where(claimed, 0.5, share).clip(0.0, 1.0)
    n_runs = np.where(claimed, 1, n_runs)
    yes, no = share * n_runs, (1 - share) * n_runs
    # Clopper and Pearson: quantiles of Beta(yes, no + 1) and Beta(yes + 1, no), or 0 and 1.
    low = np.where(yes > 0, betaincinv(np.maximum(yes, 1e-9), no + 1, level), 0.0)
    high = np.where(no > 0, betaincinv(yes + 1, np.maximum(no, 1e-9), 1 - level), 1.0)
    return np.where(claimed, 0.0, [share - low, high - share])


def _compared_sides(
    claim: Claim, summary: pd.DataFrame, decisions: Collection[str], runs: pd.DataFrame | None
) -> pd.DataFrame:
    """Left and right side next to each other, one row per setting and pair of names."""
    axes = _axes(summary)
    left, *others = (_means(claim, side, summary) for side in claim.sides)
    than = claim.than if isinstance(claim.than, Side) else Side()
    # What the right side names is not matched: there the two sides are meant to differ.
    keys = ["study"]
    if others:
        (right,) = others
        keys += [axis for axis in axes if axis not in than.where]
        keys += [name for name in ("method", "metric") if getattr(than, name) is None]
    else:
        number = {"mean": claim.than, "std_error": 0.0, "freedom": np.inf, "n_seeds": np.inf}
        right = pd.DataFrame([{"study": claim.study, **number, "compared": (0,)}])
    right = right.rename(columns={"setting_id": "setting_id right"})
    columns = [*keys, *NUMBERS, "compared", *right.columns.intersection(["setting_id right"])]
    both = left.merge(right[columns], on=keys, suffixes=(" left", " right"))
    # The order in which the claim names them, whatever that of the summary.
    both = both.sort_values(["compared left", "compared right"], kind="stable")
    names = both[["compared left", "compared right"]].map(lambda compared: compared[1:])
    both = both.assign(compared=list(names.itertuples(index=False, name=None)))
    if others:  # a mean is not compared with itself
        is_itself = names["compared left"] == names["compared right"]
        both = both[~(is_itself & (both["setting_id"] == both["setting_id right"]))]
    if not than.where and claim.relation == "near":  # a near b and b near a are one claim
        pairs = both[axes].assign(compared=both["compared"].map(frozenset))
        both = both[~pairs.duplicated()]
    errors = _join(claim)(both["std_error left"], both["std_error right"])
    is_paired = runs is not None and than.metric and not (than.where or claim.share_of)
    if is_paired and claim.statistic == "mean":
        errors = [_paired(runs, row) for row in both.assign(sum=errors).to_dict("records")]
    freedoms = both[["freedom left", "freedom right"]].astype(float)
    # A deviation, or a share of a mean, is no rate, even of a metric of decisions.
    may_be_rates = claim.statistic == "mean" and not claim.share_of
    comparisons = pd.DataFrame(
        {
            **both[axes],
            "compared": list(itertools.starmap(_in_words, both["compared"])),
            "left": both["mean left"].astype(float),
            "right": both["mean right"].astype(float),
            "difference": (both["mean left"] - both["mean right"]).astype(float),
            "std_error": errors,
            "freedom": freedoms.min(axis=1) if than.metric else _welch(both),
            "n_left": both["n_seeds left"].astype(float),
            "n_right": both["n_seeds right"].astype(float),
            "is_decision": [
                may_be_rates and {left[1], *right[1:]} <= set(decisions)
                for left, right in both["compared"]
            ],
        }
    )
    return comparisons[with_axes(OF_CLAIM, axes)].reset_index(drop=True)


def _paired(runs: pd.DataFrame, row: Mapping[str, Any]) -> float:
    """The error of a difference of two numbers of the same runs; of others the sum of theirs."""
    left, right = (runs.loc[row["setting_id"]][row["compared"][side]] for side in (0, 1))
    difference = (left - right).dropna()
    n = len(difference)
    if {n} != {row["n_seeds left"], row["n_seeds right"]} or np.isnan(row["sum"]):
        return float(row["sum"])
    deviation = float(difference.std())
    is_equal = deviation <= 1e-12 * (1 + abs(row["mean left"])) and n < ENOUGH_EQUAL_RUNS
    return np.nan if is_equal else deviation / np.sqrt(n)


def _welch(both: pd.DataFrame) -> np.ndarray:
    """Welch's degrees of freedom of a difference; infinite where nothing varies."""
    squares = [both[f"std_error {side}"].to_numpy(dtype=float) ** 2 for side in ("left", "right")]
    freedoms = [both[f"freedom {side}"].to_numpy(dtype=float) for side in ("left", "right")]
    # (a + b)^2 / (a^2 / n_a + b^2 / n_b), a and b the squared standard errors.
    below = sum(square**2 / freedom for square, freedom in zip(squares, freedoms, strict=True))
    return np.divide(sum(squares) ** 2, below, out=np.full(len(both), np.inf), where=below > 0)


def _in_words(left: tuple[str, str], right: tuple[str, ...]) -> str:
    """``method metric``, and what it is compared with as far as that differs; () is a number."""
    other = " ".join(theirs for ours, theirs in zip(left, right, strict=False) if ours != theirs)
    return " ".join(left) + (f" versus {other}" if other else "")


def _axes(summary: pd.DataFrame) -> list[str]:
    columns = list(summary.columns)
    return columns[columns.index("setting_id") + 1 : columns.index("learner")]


def _means(claim: Claim, side: Side, summary: pd.DataFrame) -> pd.DataFrame:
    """The rows of one side with NUMBERS, and in ``compared`` the order of method and metric."""
    named = enumerate(itertools.product(side.method or (), side.metric or ()))
    numbered = {names: (number, *names) for number, names in named}
    compared = list(map(numbered.get, zip(summary["method"], summary["metric"], strict=True)))
    rows = summary.assign(compared=compared)
    rows = rows[rows["compared"].notna() & (rows["n_seeds"] > 0)]
    is_claimed = [matches(side.where, row) for row in rows.to_dict("records")]
    rows = rows[np.array(is_claimed, dtype=bool)]
    freedom = (rows["n_seeds"] - 1).clip(lower=1)
    # Runs that agree to rounding have an error of about 0, which a few of them do not prove.
    rounding = 1e-12 * (1 + rows["mean"].abs())
    equal = (rows["sd"] <= rounding) & (rows["n_seeds"] < ENOUGH_EQUAL_RUNS)
    rows = rows.assign(freedom=freedom, std_error=rows["mc_se"])
    if claim.statistic == "deviation":  # of normal scores: sd / sqrt(2 (n - 1))
        rows = rows.assign(mean=rows["sd"], std_error=rows["sd"] / np.sqrt(2 * freedom))
    rows = rows.assign(std_error=rows["std_error"].mask(equal))
    return _shares(claim, side, summary, rows) if claim.share_of else rows


def _shares(claim: Claim, side: Side, summary: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their means as shares of those at the values of ``claim.share_of``."""
    whole = claim.model_copy(update={"share_of": {}})
    base_side = side.model_copy(update={"where": {**side.where, **claim.share_of}})
    bases = _means(whole, base_side, summary)
    keys = ["study", "compared", *(axis for axis in _axes(summary) if axis not in claim.share_of)]
    both = rows.merge(bases[[*keys, *NUMBERS]], on=keys, suffixes=("", " base"))
    # The base itself is 1, whatever the numbers.
    is_base = [matches(claim.share_of, row) for row in both.to_dict("records")]
    both = both[~np.array(is_base, dtype=bool)]
    # The delta method: Var(m / b) is about (Var m + (m / b)^2 Var b) / b^2.
    share = both["mean"] / both["mean base"]
    own, of_base = both["std_error"], (share * both["std_error base"]).abs()
    error = np.hypot(own, of_base)
    # Welch's degrees of freedom, of the two parts of the error.
    parts = own**4 / both["freedom"] + of_base**4 / both["freedom base"]
    freedom = (error**4 / parts).where(parts > 0, both["freedom"])
    return both.assign(mean=share, std_error=error / both["mean base"].abs(), freedom=freedom)


def settings_against(weighed: Weighed) -> Iterator[str]:
    """The settings that count against a claim, at most three, the clearest first, in words."""
    claim, comparisons = weighed.claim, weighed.comparisons
    names = list(comparisons.columns[: list(comparisons.columns).index("left")])
    varying = [name for name in names if comparisons[name].nunique() > 1]
    against = comparisons[_beyond(claim, comparisons) < 0]
    sign = SIGNS.get(claim.relation)
    # Ascending: the furthest on the wrong side; of "near", whose sign is none, the furthest apart.
    clearest = sign * against["difference"] if sign else -against["difference"].abs()
    for index in clearest.sort_values().index[:3]:
        row = against.loc[index]
        where = ", ".join(f"{name} = {row[name]}" for name in varying)
        yield f"{where}{': ' if where else ''}{row['left']:.3g} versus {row['right']:.3g}"
