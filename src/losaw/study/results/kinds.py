"""What the cells of one metric and method have in common: their pooled deviation."""

import math

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.agreement import Kind

Key = tuple[str, str]


def kinds_of(study: Study, summary: pd.DataFrame) -> dict[Key, Kind]:
    """(metric, method) -> what its cells show together.

    Parameters
    ----------
    summary : DataFrame
        With ``metric``, ``method``, ``n_seeds`` and ``sd``, as
        :func:`losaw.study.results.summary.summarise` makes it.
    """
    kinds = {}
    for (metric, method), cells in summary.groupby(["metric", "method"], sort=False):
        deviation, degrees = pooled_deviation(cells["sd"], cells["n_seeds"])
        about = study.metrics[str(metric)].entry.load()
        kinds[str(metric), str(method)] = Kind(
            deviation,
            degrees,
            is_bounded=math.isfinite(about.range[0]),
            is_decision=bool(getattr(about, "is_decision", False)),
        )
    return kinds


def pooled_deviation(deviations: pd.Series, n_seeds: pd.Series) -> tuple[float, int]:
    """sqrt(sum (n - 1) s^2 / sum (n - 1)) over all cells, and its degrees of freedom."""
    degrees = np.clip(n_seeds.to_numpy(dtype=float) - 1, 0, None)
    if not degrees.sum():
        return math.nan, 0
    squares = np.nan_to_num(deviations.to_numpy(dtype=float)) ** 2
    return math.sqrt(float(degrees @ squares / degrees.sum())), int(degrees.sum())
