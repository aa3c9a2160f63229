"""Published differences between two methods, compared with ours."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.design.published import margin
from losaw.study.results.agreement import Kind, Printed, Runs, verdict, weigh
from losaw.study.results.cell_numbers import pooled_deviation, printed_cell
from losaw.study.results.draws import difference_name
from losaw.study.results.lookup import Lookup, lookup_of_shares, printed_axes


@dataclass(frozen=True)
class PrintedDifference:
    """A published difference, its distance from ours in standard errors, and the verdict."""

    value: float
    z: float
    verdict: str


class PrintedDifferences:
    """Differences between two published cells, to be compared with our paired differences.

    Parameters
    ----------
    study : Study
    published : DataFrame
        As :func:`losaw.study.design.published.read_published` reads it; of a cell that several
        tables print, the first counts.
    differences : DataFrame
        Ours, as :func:`losaw.study.results.summary.paired_differences` makes them.
    between_draws : DataFrame or None
        As :func:`losaw.study.results.draws.read_draws` reads it, for published values whose runs
        share draws of X.
    """

    def __init__(
        self,
        study: Study,
        published: pd.DataFrame,
        differences: pd.DataFrame,
        between_draws: pd.DataFrame | None = None,
    ) -> None:
        self._study = study
        self._shares = lookup_of_shares(between_draws)
        there = published[published["published"].map(math.isfinite)]
        columns = [*printed_axes(study, published), "metric", "method"]
        self._cells = Lookup(columns, there.to_dict("records"))
        by = ["learner", "metric", *study.text_axes]
        self._pooled_by = [name for name in by if name in differences.columns]
        deviations = differences["mc_se"] * differences["n_seeds"] ** 0.5
        self._kinds = {
            tuple(map(str, key)): Kind(*pooled_deviation(deviations[cells.index], cells["n_seeds"]))
            for key, cells in differences.groupby(self._pooled_by, sort=False)
        }

    def of(self, record: dict[str, Any]) -> PrintedDifference | None:
        """Return the published difference that belongs to one of ours; None if there is none.

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
            self._cells.find({**record, "method": self._study.method_name(label, importance)})
            for label in (record["minus"], record["learner"])
        )
        if first is None or second is None:
            return None
        subtrahend, minuend = printed_cell(first), printed_cell(second)
        most = max(subtrahend.decimals, minuend.decimals)
        printed = Printed(
            round(minuend.value - subtrahend.value, most),
            min(subtrahend.decimals, minuend.decimals),  # the coarser rounding is the larger error
            min(subtrahend.runs, minuend.runs),
            None
            if subtrahend.draws is None or minuend.draws is None
            else min(subtrahend.draws, minuend.draws),
            n_rounded=2,
        )
        n_seeds = int(record["n_seeds"])
        ours = Runs(record["difference"], record["mc_se"] * math.sqrt(n_seeds), n_seeds)
        method = difference_name(record["learner"], record["minus"])
        kind, measured = (
            self._kinds[tuple(str(record[name]) for name in self._pooled_by)],
            self._shares.find({**record, "method": method}),
        )
        if measured:
            kind = replace(kind, between_draws=measured["between_draws"])
        evidence = weigh(ours, printed, kind)
        said = verdict(evidence, margin(self._study, metric))
        return PrintedDifference(printed.value, evidence.z if evidence else math.nan, said)
