"""The numbers of one cell of a published table: ours, the published ones and the evidence."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.grid import Study
from losaw.study.results.agreement import (
    Kind,
    Printed,
    Runs,
    verdict,
    weigh,
)

NUMBER_COLUMNS = (
    "published",
    "reproduced",
    "mc_se",
    "n_seeds",
    "z",
    "low",
    "high",
    "margin",
    "verdict",
    "explained",
    "noted",
)
# Of single runs, where a paper gives it: two more columns of the comparison.
SD_COLUMNS = ("published_sd", "reproduced_sd")


def printed_cell(row: Mapping[str, Any]) -> Printed:
    """Return a row of the published numbers as the verdict needs it."""
    return Printed(
        float(row["published"]),
        int(row["decimals"]),
        float(row["published_runs"]),
        _optional(row.get("published_sd")),
        _optional(row.get("published_se")),
    )


def _optional(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def numbers_of_cell(
    reproduction: Any,
    print_row: Mapping[str, Any] | None,
    kind: Kind | None,
    margin: float,
) -> dict[str, Any]:
    """Return the numbers of one cell, and the verdict.

    Parameters
    ----------
    reproduction : named tuple or None
        Its row of the summary.
    print_row : dict or None
        Its row of the published numbers.
    kind : Kind or None
        Of the cells of its metric, method and kind of data.
    margin : float
        Of its metric.
    """
    reproduced = float(reproduction.mean) if reproduction else np.nan
    evidence = None
    if reproduction and print_row and kind:
        runs = Runs(reproduced, float(reproduction.sd), int(reproduction.n_seeds))
        evidence = weigh(runs, printed_cell(print_row), kind)
    return {
        "published": float(print_row["published"]) if print_row else np.nan,
        "reproduced": reproduced,
        "mc_se": float(reproduction.mc_se) if reproduction else np.nan,
        "n_seeds": int(reproduction.n_seeds) if reproduction else 0,
        "z": evidence.z if evidence else np.nan,
        "low": evidence.low if evidence else np.nan,
        "high": evidence.high if evidence else np.nan,
        "margin": margin if print_row else np.nan,
        "verdict": verdict(evidence, margin, bool(print_row), bool(np.isfinite(reproduced))),
        "published_sd": float((print_row or {}).get("published_sd", np.nan)),
        "reproduced_sd": float(reproduction.sd) if reproduction else np.nan,
    }


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
