"""The pooled deviation of the cells of one metric and method on one kind of data."""

import math

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.agreement import Kind

Key = tuple[str, ...]


def kinds_of(study: Study, summary: pd.DataFrame) -> dict[Key, Kind]:
    """Return (metric, method, values of the text axes) -> kind.

    A task, a function or a data set decides the units of a metric and how much it varies, so that
    deviations are pooled only over settings that have all text axes in common.

    Parameters
    ----------
    summary : DataFrame
        With ``setting_id``, ``metric``, ``method``, ``n_seeds`` and ``sd``, as
        :func:`losaw.study.results.summary.summarise` makes it.
    """
    kinds = {}
    values = {
        setting.identifier: tuple(str(setting.axes[axis]) for axis in study.text_axes)
        for setting in study.settings
    }
    of_setting = summary["setting_id"].map(values)
    for (metric, method, data), cells in summary.groupby(
        ["metric", "method", of_setting], sort=False
    ):
        key = (str(metric), str(method), *data)
        deviation, degrees = pooled_deviation(cells["sd"], cells["n_seeds"])
        about = study.metrics[str(metric)].entry.load()
        kinds[key] = Kind(
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
