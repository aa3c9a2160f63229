"""The rows of a recomputed block compared with the stored ones."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.files.digest import digest_of
from losaw.study.files.rows import SCORES

_ROW = ["seed", "importance", "metric"]


@dataclass(frozen=True)
class Comparison:
    """A recomputed block compared with what is stored of it.

    Attributes
    ----------
    is_equal : bool
        All rows are equal to the last bit.
    largest, largest_error : float
        The largest mean difference over importances and metrics, paired by seed, in standard
        deviations of a run, and its standard error; infinite where it cannot be measured.
    where : str
        Importance and metric of the largest difference.
    """

    is_equal: bool
    largest: float = 0.0
    largest_error: float = 0.0
    where: str = ""

    def is_within(self, bound: float | None) -> bool:
        """Equal; or, with a bound, the difference and twice its error are at most the bound."""
        if self.is_equal or bound is None:
            return self.is_equal
        return self.largest + 2 * self.largest_error <= bound

    def __str__(self) -> str:
        if self.is_equal:
            return "equal"
        if not np.isfinite(self.largest):
            return f"DIFFERS{self.where and ' in ' + self.where}"
        return (
            f"DIFFERS, most in {self.where}: {self.largest:.3g} ± {self.largest_error:.2g} "
            "standard deviations of a run"
        )


def compare_rows(old: pa.Table, new: pa.Table) -> Comparison:
    """Compare the rows of a block, first to the last bit, then in standard deviations of a run.

    The differences d of new and old values are paired by seed. For each importance and metric the
    mean of d and its standard error, both divided by the standard deviation s of the old values:
    ``mean(d) / s`` and ``sd(d) / (s sqrt(n))``. Rows of other seeds, importances or metrics, or
    with another state, and values that differ where s is 0 or unknown, differ without bound.
    Scores of features are not measured, only metrics of them.
    """
    if digest_of(old, {}) == digest_of(new, {}):
        return Comparison(True)
    columns = [*_ROW, "status", "value"]
    first, second = (
        table.filter(pc.not_equal(table["metric"], SCORES))
        .select(columns)
        .to_pandas()
        .sort_values(_ROW, kind="stable", ignore_index=True)
        for table in (old, new)
    )
    same = [*_ROW, "status"]
    if not first[same].equals(second[same]):
        return Comparison(False, np.inf, 0.0, "the rows that are there")
    both = first.assign(difference=second["value"] - first["value"])
    if not (first["value"].isna() == second["value"].isna()).all():
        return Comparison(False, np.inf, 0.0, "the values that are missing")
    worst = Comparison(False)
    for (importance, metric), rows in both.dropna(subset="value").groupby(_ROW[1:]):
        found = _measured(rows, f"{importance} {metric}".strip())
        worst = max(worst, found, key=lambda each: each.largest + 2 * each.largest_error)
    return worst


def _measured(rows: pd.DataFrame, where: str) -> Comparison:
    differences = rows["difference"].to_numpy()
    if not differences.any():
        return Comparison(False, 0.0, 0.0, where)
    deviation = float(rows["value"].std())  # not a number for a single seed
    if not deviation > 0:
        return Comparison(False, np.inf, 0.0, where)
    error = float(np.std(differences, ddof=1)) / np.sqrt(len(rows))
    return Comparison(False, abs(float(differences.mean())) / deviation, error / deviation, where)
