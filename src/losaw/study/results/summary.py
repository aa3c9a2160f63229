"""Mean and Monte Carlo standard error of every measured number."""

import itertools

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.results.collect import Collection


def summarise(study: Study, collection: Collection) -> pd.DataFrame:
    """One row per (setting, learner, importance, metric).

    Returns
    -------
    DataFrame
        ``setting_id``, the axes, ``learner``, ``importance``, ``method``, ``metric``,
        ``n_seeds`` (values that are there), ``n_failed``, ``mean``, ``sd`` (n - 1 in the
        denominator) and ``mc_se = sd / sqrt(n_seeds)``; ``sd`` and ``mc_se`` are NaN for
        fewer than two seeds.
    """
    keys = ["setting_id", "learner", "importance", "metric"]
    results = collection.results[collection.results["metric"] != ""]
    ok = (results["status"] == "ok") & np.isfinite(results["value"])
    values = results["value"].where(ok)
    grouped = values.groupby([results[key] for key in keys], sort=False, observed=True)
    summary = pd.DataFrame(
        {
            "n_seeds": grouped.count(),
            "n_failed": grouped.size() - grouped.count(),
            "mean": grouped.mean(),
            "sd": grouped.std(ddof=1),
        }
    ).reset_index()
    summary["mc_se"] = summary["sd"] / np.sqrt(summary["n_seeds"])
    summary.insert(0, "study", study.name)
    summary["method"] = [
        study.method_name(learner, importance)
        for learner, importance in zip(summary["learner"], summary["importance"], strict=True)
    ]
    summary = summary.merge(collection.settings, on="setting_id", how="left", sort=False)
    columns = ["study", "setting_id", *study.axes, "learner", "importance", "method", "metric"]
    return summary[[*columns, "n_seeds", "n_failed", "mean", "sd", "mc_se"]]


def differences(study: Study, collection: Collection) -> pd.DataFrame:
    """Paired differences of every learner to each of those before it in the study file."""
    frames = []
    for first, other in itertools.combinations(study.learners, 2):
        frame = paired_differences(study, collection, first, other)
        frame.insert(0, "learner", other)
        frame.insert(1, "minus", first)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def paired_differences(
    study: Study, collection: Collection, first: str, second: str
) -> pd.DataFrame:
    """Mean of (second learner − first learner) on the same data, with its paired standard error.

    Parameters
    ----------
    first, second : str
        Labels of two learners.

    Returns
    -------
    DataFrame
        ``setting_id``, the axes, ``importance``, ``metric``, ``n_seeds``, ``difference`` and
        ``mc_se``.
    """
    results = collection.results[collection.results["learner"].isin([first, second])]
    results = results[(results["status"] == "ok") & (results["metric"] != "")]
    keys = ["setting_id", "importance", "metric"]
    wide = results.pivot_table(
        index=[*keys, "seed"], columns="learner", values="value", sort=False, observed=True
    )
    if not {first, second} <= set(wide.columns):
        return pd.DataFrame(columns=[*keys, *study.axes, "n_seeds", "difference", "mc_se"])
    difference = (wide[second] - wide[first]).dropna()
    grouped = difference.groupby(level=keys, sort=False, observed=True)
    frame = pd.DataFrame(
        {
            "n_seeds": grouped.count(),
            "difference": grouped.mean(),
            "mc_se": grouped.std(ddof=1) / np.sqrt(grouped.count()),
        }
    ).reset_index()
    return frame.merge(collection.settings, on="setting_id", how="left", sort=False)
