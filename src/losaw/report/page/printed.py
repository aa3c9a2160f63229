"""What print says of the difference between two methods."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.published import margin, plain
from losaw.study.results.agreement import Kind, Printed, Runs, verdict, weigh
from losaw.study.results.compare import printed_axes, printed_cell
from losaw.study.results.draws import BetweenDraws, difference_name
from losaw.study.results.kinds import pooled_deviation


@dataclass(frozen=True)
class PrintedDifference:
    """A printed difference, how many standard errors ours lies from it, and the verdict."""

    value: float
    z: float
    verdict: str


class PrintedDifferences:
    """Differences between two printed cells, to be held against our paired differences.

    Parameters
    ----------
    study : Study
    published : DataFrame
        As :func:`losaw.study.design.published.read_published` reads it; of a cell that several
        tables print, the first counts.
    differences : DataFrame
        Ours, as :func:`losaw.study.results.summary.paired_differences` makes them.
    between_draws : BetweenDraws or None
        For printed numbers whose runs share draws of X.
    """

    def __init__(
        self,
        study: Study,
        published: pd.DataFrame,
        differences: pd.DataFrame,
        between_draws: BetweenDraws | None = None,
    ) -> None:
        self._study = study
        self._between_draws = between_draws or BetweenDraws()
        self._axes = printed_axes(study, published)
        self._cells: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in published.to_dict("records"):
            if math.isfinite(row["published"]):
                self._cells.setdefault(self._key(row, row["metric"], row["method"]), row)
        deviations = differences["mc_se"] * differences["n_seeds"] ** 0.5
        self._kinds = {
            key: Kind(*pooled_deviation(deviations[cells.index], cells["n_seeds"]))
            for key, cells in differences.groupby(["learner", "metric"], sort=False)
        }

    def beside(self, record: dict[str, Any]) -> PrintedDifference | None:
        """What print says beside one of our differences; None if it does not.

        z and verdict are those of :func:`losaw.study.results.agreement.weigh` for the
        differences of single data sets: the paper, too, is taken to have shown both methods the
        same data.

        Parameters
        ----------
        record : dict
            A row of ``differences``.
        """
        metric, importance = record["metric"], record["importance"]
        importance = importance if isinstance(importance, str) else ""
        first, second = (
            self._cells.get(self._key(record, metric, self._study.method_name(label, importance)))
            for label in (record["minus"], record["learner"])
        )
        if first is None or second is None:
            return None
        subtrahend, minuend = printed_cell(first), printed_cell(second)
        decimals = max(subtrahend.decimals, minuend.decimals)
        printed = Printed(
            round(minuend.value - subtrahend.value, decimals),
            decimals,
            min(subtrahend.runs, minuend.runs),
            None
            if subtrahend.draws is None or minuend.draws is None
            else min(subtrahend.draws, minuend.draws),
        )
        n_seeds = int(record["n_seeds"])
        ours = Runs(record["difference"], record["mc_se"] * math.sqrt(n_seeds), n_seeds)
        method = difference_name(record["learner"], record["minus"])
        kind = replace(
            self._kinds[record["learner"], metric],
            between_draws=self._between_draws.share(record, metric, method),
        )
        evidence = weigh(ours, printed, kind)
        said = verdict(evidence, margin(self._study, metric))
        return PrintedDifference(printed.value, evidence.z if evidence else math.nan, said)

    def _key(self, row: dict[str, Any], metric: str, method: str) -> tuple[Any, ...]:
        return (*(plain(row[axis]) for axis in self._axes), metric, method)
