"""Do the numbers of a reference run support what a paper says?"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from losaw.reference.claims import Claim, Side
from losaw.study.design.settings import as_values, same
from losaw.study.errors import StudyError
from losaw.words import unknown

SUPPORTED = "supported"
CONTRADICTED = "contradicted"
MIXED = "holds in some settings, fails in others"
UNDECIDED = "undecided"
NOT_RUN = "not run"

LEVEL = 0.05
# A cell whose runs do not vary decides from so many runs on.
ENOUGH_EQUAL_RUNS = 10


@dataclass(frozen=True)
class Weighed:
    """A claim with what the numbers say.

    Attributes
    ----------
    claim : Claim
    verdict : str
    n_for, n_against, n_open : int
        Settings that support it, that contradict it, and that decide neither.
    cells : DataFrame
        The axes, ``left``, ``right``, ``difference`` and ``std_error`` of every setting.
    """

    claim: Claim
    verdict: str
    n_for: int
    n_against: int
    n_open: int
    cells: pd.DataFrame


def weigh(claim: Claim, summary: pd.DataFrame | None) -> Weighed:
    """Weigh a claim against the means of a study.

    In each setting the difference left − right has the standard error
    ``sqrt(se_left^2 + se_right^2)``: too large where both come from the same data, never too
    small there. A setting speaks for or against the claim if the difference lies beyond the
    two-sided bound of level .05 / (number of settings), so that a claim that is exactly on the
    border is decided in at most 5 % of runs. *Supported*: some setting speaks for it and none
    against; *contradicted*: the reverse; *undecided*: none speaks.

    ``near`` is supported in a setting if the whole 90 % interval of the difference lies within the
    margin, and contradicted if the difference lies beyond the margin by more than the bound.

    Parameters
    ----------
    claim : Claim
    summary : DataFrame or None
        ``summary.csv`` of the claim's study; None if it was not run.

    Raises
    ------
    StudyError
        If the claim names a method, metric or axis that the study does not have.
    """
    cells = None if summary is None else _cells(claim, summary)
    if cells is None or cells.empty:
        return Weighed(claim, NOT_RUN, 0, 0, 0, pd.DataFrame())
    bound = norm.isf(LEVEL / 2 / len(cells))
    spread = cells["std_error"].to_numpy()
    beyond = _beyond(claim, cells["difference"].to_numpy(), spread, bound)
    n_for, n_against = int((beyond > 0).sum()), int((beyond < 0).sum())
    return Weighed(
        claim, _verdict(n_for, n_against), n_for, n_against, int((beyond == 0).sum()), cells
    )


def _verdict(n_for: int, n_against: int) -> str:
    if n_for and n_against:
        return MIXED
    if not n_for and not n_against:
        return UNDECIDED
    return SUPPORTED if n_for else CONTRADICTED


def _beyond(
    claim: Claim, difference: np.ndarray, std_error: np.ndarray, bound: float
) -> np.ndarray:
    """1 for settings that speak for the claim, -1 against it, 0 neither."""
    known = np.isfinite(std_error)
    reach = np.where(known, bound * std_error, np.inf)
    if claim.relation == "near":
        inner = np.where(known, norm.isf(0.05) * std_error, np.inf)
        near = np.abs(difference) + inner <= claim.margin
        return near.astype(int) - (np.abs(difference) - reach > claim.margin).astype(int)
    sign = 1.0 if claim.relation == "above" else -1.0
    gain = sign * difference - claim.margin
    return (gain > reach).astype(int) - (gain < -reach).astype(int)


def _cells(claim: Claim, summary: pd.DataFrame) -> pd.DataFrame:
    """Left and right side beside each other, one row a setting."""
    axes = _axes(summary)
    left = _side(claim, Side(), summary, axes)
    if isinstance(claim.than, Side):
        right = _side(claim, claim.than, summary, axes)
        keys = [axis for axis in axes if axis not in claim.than.where]
    else:
        right, keys = pd.DataFrame([{"mean": claim.than, "std_error": 0.0}]), []
    both = left.merge(
        right[[*keys, "mean", "std_error"]],
        on=keys or None,
        how="inner" if keys else "cross",
        suffixes=("_left", "_right"),
    )
    return pd.DataFrame(
        {
            **{axis: both[axis] for axis in axes},
            "left": both["mean_left"],
            "right": both["mean_right"],
            "difference": both["mean_left"] - both["mean_right"],
            "std_error": np.hypot(both["std_error_left"], both["std_error_right"]),
        }
    )


def _axes(summary: pd.DataFrame) -> list[str]:
    columns = list(summary.columns)
    return columns[columns.index("setting_id") + 1 : columns.index("learner")]


def _side(claim: Claim, side: Side, summary: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    asked = {"method": side.method or claim.method, "metric": side.metric or claim.metric}
    for column, value in asked.items():
        if value not in set(summary[column]):
            known = list(dict.fromkeys(summary[column]))
            raise StudyError(f"claim {claim.says!r}: {unknown(column, value, known)}")
    rows = summary[(summary["method"] == asked["method"]) & (summary["metric"] == asked["metric"])]
    for axis, allowed in {**claim.where, **side.where}.items():
        if axis not in axes:
            raise StudyError(f"claim {claim.says!r}: {unknown('axis', axis, axes)}")
        rows = rows[[any(same(v, a) for a in as_values(allowed)) for v in rows[axis]]]
    equal = (rows["sd"] == 0) & (rows["n_seeds"] < ENOUGH_EQUAL_RUNS)
    return rows.assign(std_error=rows["mc_se"].mask(equal))


def settings_against(weighed: Weighed) -> Iterator[str]:
    """The settings that contradict a claim most, in words."""
    claim, cells = weighed.claim, weighed.cells
    sign = {"above": 1.0, "below": -1.0}.get(claim.relation, 0.0)
    worst = sign * cells["difference"] if sign else -cells["difference"].abs()
    varying = [c for c in _names(cells) if cells[c].nunique() > 1]
    for index in worst.sort_values().index[:3]:
        row = cells.loc[index]
        where = ", ".join(f"{name} = {row[name]}" for name in varying)
        yield f"{where}{': ' if where else ''}{row['left']:.3g} beside {row['right']:.3g}"


def _names(cells: pd.DataFrame) -> list[str]:
    return list(cells.columns[: list(cells.columns).index("left")])
