"""What print says of the difference between two methods."""

import math
from typing import Any

import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.agreement import z_score


class PrintedDifferences:
    """Differences between two printed cells, to be held against our paired differences.

    Parameters
    ----------
    study : Study
    published : DataFrame
        As :func:`losaw.study.results.compare.read_published` reads it; of a cell that several
        tables print, the first counts.
    """

    def __init__(self, study: Study, published: pd.DataFrame) -> None:
        self._study = study
        self._axes = [axis for axis in study.axes if axis in published.columns]
        self._cells: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in published.to_dict("records"):
            if math.isfinite(row["published"]):
                self._cells.setdefault(self._key(row, row["metric"], row["method"]), row)

    def beside(self, record: dict[str, Any]) -> tuple[float, float] | None:
        """The printed difference and its z beside one of ours; None if it is not printed.

        z is that of :func:`losaw.study.results.agreement.z_score` for the differences of single
        data sets: the paper, too, is taken to have shown both methods the same data.

        Parameters
        ----------
        record : dict
            A row of :func:`losaw.study.results.summary.paired_differences`.
        """
        metric, importance = record["metric"], record["importance"]
        importance = importance if isinstance(importance, str) else ""
        first, second = (
            self._cells.get(self._key(record, metric, self._study.method_name(label, importance)))
            for label in (record["minus"], record["learner"])
        )
        if first is None or second is None:
            return None
        decimals = max(int(first["decimals"]), int(second["decimals"]))
        difference = round(second["published"] - first["published"], decimals)
        low, high = self._study.metrics[metric].entry.load().range
        z = z_score(
            record["difference"],
            record["mc_se"] * math.sqrt(record["n_seeds"]),
            int(record["n_seeds"]),
            difference,
            decimals,
            min(first["published_runs"], second["published_runs"]),
            (low - high, high - low),
        )
        return difference, z

    def _key(self, row: dict[str, Any], metric: str, method: str) -> tuple[Any, ...]:
        return (*(_plain(row[axis]) for axis in self._axes), metric, method)


def _plain(value: Any) -> Any:
    """Numbers as floats, so that 1 and 1.0 are one key; everything else as text."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
