"""What is undecided, and what it would cost to decide it by more runs, cheapest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from losaw.study.claims.weighing import Weighed, runs_lacking
from losaw.study.request.grid import Study
from losaw.study.request.settings import Setting
from losaw.study.results.agreement import NO_ERROR, UNDECIDED
from losaw.study.results.compare import CANNOT_BE_DECIDED, NEVER

UNDECIDED_POINTS = "undecided.csv"
COLUMNS = (
    *("study", "setting", "learner", "method", "metric", "claim", "runs", "runs_to_decide"),
    *("seconds_per_run", "core_hours", "core_hours_together"),
)
Claimed: TypeAlias = tuple[Weighed, pd.DataFrame]  # an undecided claim, with its study's summary
BOUNDS = (0.1, 1, 20)  # core-hours, together
HOW = (
    "Estimates from the present means and deviations: the runs that decide a value "
    "(`runs_to_decide`), or the least factor up to 100 by which all runs of a claim must grow. "
    "Runs of a setting and learner are shared; their seconds are the study file's. Values+claims, "
    "the cheapest of all studies first. *Never*: the published number is too uncertain, or no "
    "error, or no factor, is known."
)


class Fit(NamedTuple):
    """What a run computes, and its seconds."""

    study: str
    setting: str  # its identifier
    learner: str
    seconds: float


class OpenPoint(NamedTuple):
    """An undecided value or claim: its line in ``undecided.csv``, and the runs that it lacks."""

    line: Mapping[str, Any]
    lacks: Mapping[Fit, int]  # further runs; empty: no number is known that decides


def core_hours(runs: Mapping[Fit, int]) -> float:
    """Return what these runs cost."""
    return sum(n * fit.seconds for fit, n in runs.items()) / 3600


def open_points(
    studies: Mapping[str, Study], cells: pd.DataFrame, claims: Iterable[Claimed]
) -> list[OpenPoint]:
    """Return what is undecided: of counted cells, and the claims that are given.

    Cheapest first; last is what no number of runs is known to decide.
    """
    points = [*_of_cells(studies, cells), *_of_claims(studies, claims)]
    return sorted(points, key=lambda point: core_hours(point.lacks) or np.inf)


def together(points: Iterable[OpenPoint]) -> Iterator[dict[Fit, int]]:
    """Yield after each point the runs that it and all before it lack."""
    runs: dict[Fit, int] = {}
    for point in points:
        runs = runs | {fit: max(n, runs.get(fit, 0)) for fit, n in point.lacks.items()}
        yield runs


def undecided_table(points: Sequence[OpenPoint]) -> pd.DataFrame:
    """Return ``undecided.csv``: a row for each value and claim, cheapest first."""
    frame = pd.DataFrame([point.line for point in points], columns=[*COLUMNS])
    hours = np.array([core_hours(point.lacks) or np.nan for point in points])
    sums = np.array([*map(core_hours, together(points))]) + 0 * hours  # of never none
    runs = frame["runs"].astype("Int64")
    return frame.assign(runs=runs, core_hours=hours.round(4), core_hours_together=sums.round(4))


def costs_by_study(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many values+claims of each study are decided for how many core-hours."""
    names = [f"decided for {BOUNDS[0]:g} core-hours", *(f"then for {b:g}" for b in BOUNDS[1:])]
    hours = table["core_hours_together"]
    where = pd.cut(hours, [0, *BOUNDS, np.inf], labels=[*names, "dearer"], include_lowest=True)
    where = where.cat.add_categories("never").fillna("never")
    more = hours.diff().fillna(hours).where(where.isin(names))
    rows = table.assign(where=where, more=more)
    rows = pd.concat([rows, rows.assign(study="all")])
    counts = rows.groupby(["study", "where"], observed=False)["claim"].agg(_counts).unstack()
    counts[f"core-hours up to {BOUNDS[-1]:g}"] = rows.groupby("study")["more"].sum()
    order = [*sorted(table["study"].unique()), "all"]
    # Without the name that unstack gives the columns: a page in HTML would show it.
    return counts.reindex(order).rename_axis("study").reset_index().rename_axis(columns=None)


def _counts(claims: pd.Series) -> str:
    """Values+claims, of the column of claims."""
    n = int(claims.notna().sum())
    return f"{len(claims) - n}+{n}" if n else str(len(claims) or "")


def _fit(study: Study, setting: Setting, learner: str) -> Fit:
    seconds, _ = study.cost_of_seed(setting, learner)
    return Fit(study.name, setting.identifier, learner, seconds)


def _of_cells(studies: Mapping[str, Study], cells: pd.DataFrame) -> Iterator[OpenPoint]:
    is_open = cells["outcome"].isin([UNDECIDED, CANNOT_BE_DECIDED, NO_ERROR])
    for name, own in cells[is_open].groupby("study", sort=False):
        study = studies[str(name)]
        learners = {
            study.method_name(label, one): label
            for metric in study.metrics
            for label in study.learners
            for one in study.measured(metric, label)
        }
        for cell in own.to_dict("records"):
            setting = study.setting(cell["setting_id"])
            fit = _fit(study, setting, learners[cell["method"]])
            needed = cell["runs_to_decide"] or NO_ERROR
            lacks = {}
            if needed not in (NEVER, NO_ERROR):
                # Approximate, it may name a number that was run: then about one more.
                lacks = {fit: max(int(needed) - int(cell["n_seeds"]), 1)}
            line = {
                "study": name,
                "setting": ", ".join(f"{axis}={value}" for axis, value in setting.axes.items()),
                "learner": fit.learner,
                "method": cell["method"],
                "metric": cell["metric"],
                "runs": int(cell["n_seeds"]),
                "runs_to_decide": needed,
                "seconds_per_run": fit.seconds,
            }
            yield OpenPoint(line, lacks)


def _of_claims(studies: Mapping[str, Study], claims: Iterable[Claimed]) -> Iterator[OpenPoint]:
    for item, summary in claims:
        claim, study = item.claim, studies[item.claim.study]
        times, lacking = runs_lacking(item, summary)
        lacks = {_fit(study, study.setting(one), label): n for (one, label), n in lacking.items()}
        line = {
            "study": study.name,
            "method": " | ".join(claim.method),
            "metric": " | ".join(claim.metric),
            "claim": claim.says,
            "runs_to_decide": f"{times:g} times" if times else "not known",
        }
        yield OpenPoint(line, lacks)
