"""The number of further seeds that would decide the undecided cells, and their cost."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.agreement import UNDECIDABLE, UNDECIDED
from losaw.study.results.lookup import plain
from losaw.study.results.tally import compared
from losaw.study.running.estimate import UNMEASURED_SECONDS_PER_SEED

MOST_OF_THEM = 0.9


@dataclass(frozen=True)
class MoreSeeds:
    """The seeds that decide the undecided cells of a study.

    Attributes
    ----------
    undecided : int
        Undecided cells.
    at_no_number : int
        Those of them that no number of seeds decides, unless their difference changes.
    hopeless : int
        Undecidable cells: the error of the published value is larger than the margin.
    seeds : int
        Seeds per setting that decide nine in ten of the other undecided cells, at the differences
        of now.
    decided : int
        Cells that would then be decided.
    core_hours : float
        What these further seeds cost, by the costs that the study file states.
    """

    undecided: int
    at_no_number: int
    hopeless: int
    seeds: int
    decided: int
    core_hours: float


def more_seeds(study: Study, comparison: pd.DataFrame) -> MoreSeeds:
    """The seeds behind the ``seeds_needed`` of a comparison, setting by setting.

    A cell's difference and deviation are taken to stay what they are, so that all numbers are
    approximate.
    """
    cells = compared(comparison)
    hopeless = int((cells["verdict"] == UNDECIDABLE).sum())
    undecided = cells[cells["verdict"] == UNDECIDED]
    open_cells = undecided[np.isfinite(undecided["seeds_needed"].astype(float))]
    at_no_number = len(undecided) - len(open_cells)
    if open_cells.empty:
        return MoreSeeds(len(undecided), at_no_number, hopeless, 0, 0, 0.0)
    seeds = math.ceil(open_cells["seeds_needed"].quantile(MOST_OF_THEM))
    within = open_cells[open_cells["seeds_needed"] <= seeds]
    settings = {
        _key(setting.axes[axis] for axis in study.axes): setting for setting in study.settings
    }
    learners = _learners_by_method(study)
    wanted: dict[tuple[str, str], float] = {}
    costs: dict[tuple[str, str], float] = {}
    for row in within.to_dict("records"):
        setting = settings[_key(row[axis] for axis in study.axes)]
        learner = learners[row["method"]]
        place = setting.identifier, learner
        more = max(row["seeds_needed"] - row["n_seeds"], 0)
        wanted[place] = max(wanted.get(place, 0), more)
        seconds = study.seconds_per_seed(setting, learner)
        costs[place] = UNMEASURED_SECONDS_PER_SEED if seconds is None else seconds
    hours = sum(wanted[place] * costs[place] for place in wanted) / 3600
    return MoreSeeds(len(undecided), at_no_number, hopeless, seeds, len(within), hours)


def _key(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(plain(value) for value in values)


def _learners_by_method(study: Study) -> dict[str, str]:
    """Method of the comparison -> the learner whose fits it needs."""
    return {
        study.method_name(label, importance): label
        for label, learner in study.learners.items()
        for importance in ("", *learner.importances)
    }
