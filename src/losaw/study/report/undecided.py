"""What is undecided, and what it would cost to decide it by more runs, cheapest first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    "How many runs decide is an estimate, from the present means and deviations: of a value "
    "`runs_to_decide`; of a claim, whose runs all grow by one factor, the least up to 100 that "
    "changes its verdict. What is measured on one setting and learner shares its runs. A run "
    "takes the seconds that the study file says. Counted are values + claims, the cheapest of all "
    "studies first. *Never*: the published number is too uncertain, or no error is at hand; of a "
    "claim, no such factor is known."
)


class Fit(NamedTuple):
    """What a run computes, and its seconds."""

    study: str
    setting: str  # its identifier
    learner: str
    seconds: float


@dataclass(frozen=True)
class OpenPoint:
    """An undecided value or claim: its line in ``undecided.csv``, and the runs that it lacks."""

    line: Mapping[str, Any]
    lacks: Mapping[Fit, int]  # further runs; empty: no number is known that decides

    @property
    def core_hours(self) -> float:
        """What they cost; infinite if no number of runs is known to decide."""
        return core_hours(self.lacks) if self.lacks else np.inf


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
    return sorted(points, key=lambda point: point.core_hours)


def together(points: Sequence[OpenPoint]) -> Iterator[dict[Fit, int]]:
    """Yield after each point the runs that it and all before it lack."""
    runs: dict[Fit, int] = {}
    for point in points:
        runs = runs | {fit: max(n, runs.get(fit, 0)) for fit, n in point.lacks.items()}
        yield runs


def undecided_table(points: Sequence[OpenPoint]) -> pd.DataFrame:
    """Return ``undecided.csv``: a row for each value and claim, cheapest first."""
    sums = map(core_hours, together(points))
    rows = [
        {**point.line, "core_hours": point.core_hours, "core_hours_together": hours}
        for point, hours in zip(points, sums, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=[*COLUMNS])
    is_never = np.isinf(frame["core_hours"])
    hours = ["core_hours", "core_hours_together"]
    return frame.assign(**frame[hours].mask(is_never).round(4), runs=frame["runs"].astype("Int64"))


def costs_by_study(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many values + claims of each study are decided for how many core-hours."""
    names = [f"decided for {BOUNDS[0]:g} core-hours", *(f"then for {b:g}" for b in BOUNDS[1:])]
    names = [*names, "dearer", "never"]
    bins = pd.cut(table["core_hours_together"], [0, *BOUNDS, np.inf], labels=names[:-1])
    where = bins.cat.add_categories(names[-1]).fillna(names[-1])
    more = table["core_hours_together"].diff().fillna(table["core_hours_together"])
    rows = {}
    studies = {name: own.index for name, own in table.groupby("study")}
    for name, index in {**studies, "all": table.index}.items():
        is_claim, own = table.loc[index, "claim"].notna(), where[index]
        counts = {"undecided": _both(is_claim)}
        counts |= {words: _both(is_claim[own == words]) for words in names}
        below = more[index][own.isin(names[: len(BOUNDS)])].sum()
        rows[name] = counts | {f"core-hours of these {BOUNDS[-1]:g}": float(below)}
    return pd.DataFrame(rows).T.rename_axis("study").reset_index()


def _both(is_claim: pd.Series) -> str:
    values, claims = int((~is_claim).sum()), int(is_claim.sum())
    return f"{values} + {claims}" if claims else str(values or "")


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
            setting = study.setting_of(cell)
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
        claim = item.claim
        study = studies[claim.study]
        times, lacking = runs_lacking(item, summary)
        settings = {setting.identifier: setting for setting in study.settings}
        lacks = {_fit(study, settings[one], learner): n for (one, learner), n in lacking.items()}
        line = {
            "study": claim.study,
            "method": " | ".join(claim.method),
            "metric": " | ".join(claim.metric),
            "claim": claim.says,
            "runs_to_decide": f"{times:g} times" if times else "not known",
        }
        yield OpenPoint(line, lacks)
