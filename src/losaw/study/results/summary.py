"""Mean and Monte Carlo standard error of every measured number."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.study.columns import OF_DIFFERENCES, OF_SUMMARY, with_axes
from losaw.study.request.grid import Study
from losaw.study.request.study_file import Summary
from losaw.study.results.collect import Collection, grid_order

Name = tuple[str, str]

# Columns of a stored summary that must be there, with their types.
NAMES = dict.fromkeys(("setting_id", "learner", "importance", "metric"), str)
SUMMARY = {**NAMES, "n_seeds": int, "mean": float, "sd": float}


def summarise(study: Study, collection: Collection) -> pd.DataFrame:
    """Return ``summary.csv`` (docs/results.md), a row per setting, learner, importance, metric."""
    results = every_value(study, collection)
    ok = (results["status"] == "ok") & np.isfinite(results["value"])
    values = results["value"].where(ok)
    keys = [results[key] for key in grid_order(study)]
    grouped = values.groupby(keys, observed=True)
    failed = (results["status"] != "ok").groupby(keys, observed=True)
    summary = pd.DataFrame(
        {
            "n_seeds": grouped.count(),
            "n_failed": failed.sum(),
            "mean": grouped.mean(),
            "sd": grouped.std(ddof=1),
        }
    ).reset_index()
    for row, label in enumerate(summary["metric"]):
        taken = study.summaries[label]
        if taken != "mean" and summary.loc[row, "n_seeds"]:
            of_cell = values[np.logical_and.reduce([k == summary.loc[row, k.name] for k in keys])]
            value, error = statistic(of_cell.dropna().to_numpy(), taken)
            summary.loc[row, ["mean", "sd"]] = value, error * np.sqrt(summary.loc[row, "n_seeds"])
    summary = summary.merge(collection.settings, on="setting_id", how="left", sort=False)
    return complete_summary(study, summary)


def statistic(runs: FloatArray, summary: Summary) -> tuple[float, float]:
    """Return what is taken of n runs, and its Monte Carlo standard error.

    As in Table 6 of Morris, White and Crowther (2019): of runs v with deviation s, s has the error
    s / sqrt(2 (n - 1)), and r = sqrt(mean v) has s / (2 r sqrt(n)). That of a quantile q is half
    the distance of the runs of ranks n q ± sqrt(n q (1 - q)), which needs no density.
    """
    n, deviation = len(runs), float(np.std(runs, ddof=1)) if len(runs) > 1 else np.nan
    if summary == "sd":
        return deviation, deviation / np.sqrt(2 * max(n - 1, 1))
    if summary == "root-mean":
        root = math.sqrt(runs.mean()) if runs.mean() >= 0 else math.nan
        return root, deviation / (2 * root * np.sqrt(n)) if root else 0.0
    share = 0.5 if summary == "median" else float(summary)
    reach = np.sqrt(share * (1 - share) / n)
    low, value, high = np.quantile(runs, np.clip([share - reach, share, share + reach], 0, 1))
    return float(value), float(high - low) / 2 if n > 1 else math.nan


def effects(runs: FloatArray, summary: Summary) -> FloatArray:
    """Return what each of n runs adds to what is taken of them, to first order.

    Their deviation divided by sqrt(n) is its error; that of the differences to the effects on
    another number of the same runs, the error of the difference of both numbers.
    """
    value, error = statistic(runs, summary) if summary != "mean" else (runs.mean(), 1.0)
    if summary == "mean" or not error > 0:
        return runs if summary == "mean" else np.zeros(len(runs))
    if summary == "sd":
        return (runs - runs.mean()) ** 2 / (2 * value)
    if summary == "root-mean":
        return runs / (2 * value)
    share = 0.5 if summary == "median" else float(summary)
    return (runs > value) * error * np.sqrt(len(runs) / (share * (1 - share)))


def effects_by_run(study: Study, results: pd.DataFrame) -> pd.DataFrame:
    """Return the effects of runs on their summaries, a column for each method and metric.

    Rows are named by ``setting_id`` and ``seed``.
    """
    ok = results[(results["status"] == "ok") & np.isfinite(results["value"])]
    pairs = zip(ok["learner"], ok["importance"], strict=True)
    ok = ok.assign(method=[study.method_name(learner, name or "") for learner, name in pairs])
    keys = ["setting_id", "method", "metric"]
    each = ok.groupby(keys, observed=True)["value"]
    added = each.transform(lambda runs: effects(runs.to_numpy(), study.summaries[runs.name[2]]))
    return ok.assign(effect=added).pivot(
        index=["setting_id", "seed"], columns=["method", "metric"], values="effect"
    )


def every_value(study: Study, collection: Collection) -> pd.DataFrame:
    """The rows of values; a failed fit, which is one row, lacks each value of its learner."""
    is_fit = collection.results["metric"] == ""
    lost = [
        (learner, importance, metric)
        for learner in study.learners
        for metric in study.metrics
        for importance in study.measured(metric, learner)
    ]
    failed = collection.results.loc[is_fit, ["setting_id", "learner"]].merge(
        pd.DataFrame(lost, columns=["learner", "importance", "metric"]), on="learner"
    )
    # Ordered: pandas takes types of the same names in another order for equal, and keeps theirs.
    keys = {key: pd.CategoricalDtype(names, True) for key, names in grid_order(study).items()}
    both = collection.results[~is_fit].astype(keys), failed.astype(keys)
    return pd.concat(both, ignore_index=True)


def complete_summary(study: Study, summary: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of :func:`summarise` that follow from the others.

    A summary of the reference run leaves them out, and ``n_failed`` where nothing failed.
    """
    if "method" in summary:
        return summary
    names = zip(summary["learner"], summary["importance"], strict=True)
    added = {
        "study": study.name,
        "method": [study.method_name(learner, importance) for learner, importance in names],
        "n_failed": summary.get("n_failed", 0),
        "mc_se": summary["sd"] / np.sqrt(summary["n_seeds"]),
    }
    return summary.assign(**added)[with_axes(OF_SUMMARY, study.axes)]


def short_summary(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary without what :func:`complete_summary` adds."""
    left_out = ["study", "method", "mc_se", *([] if summary["n_failed"].any() else ["n_failed"])]
    return summary.drop(columns=left_out)


def paired_differences(study: Study, collection: Collection) -> pd.DataFrame:
    """Paired differences of every method to each of those before it in the study file.

    Two learners are compared by the same importance, or by a metric of the model; two importances
    on the same learner. Both are scored on the same data, so that a difference has a smaller error
    than either value. Returned is ``differences.csv`` (docs/results.md).
    """
    results = collection.results
    of_means = [label for label, summary in study.summaries.items() if summary == "mean"]
    results = results[(results["status"] == "ok") & np.isfinite(results["value"])]
    results = results[results["metric"].isin(of_means)]
    keys = ["setting_id", "metric"]
    wide = results.pivot_table(
        index=[*keys, "seed"],
        columns=["learner", "importance"],
        values="value",
        sort=False,
        observed=True,
    )
    pairs = list(pairs_of(study, set(wide.columns)))
    names = with_axes(OF_DIFFERENCES, study.axes)
    if not pairs:
        return pd.DataFrame(columns=names)
    each = {number: wide[other] - wide[first] for number, (first, other) in enumerate(pairs)}
    grouped = (
        pd.concat(each, names=["pair"]).dropna().groupby(["pair", *keys], sort=False, observed=True)
    )
    both = grouped.agg(n_seeds="count", difference="mean", mc_se="std").reset_index()
    both["mc_se"] /= np.sqrt(both["n_seeds"])
    for column, side in (("method", 1), ("minus", 0)):
        both[column] = [study.method_name(*pairs[number][side]) for number in both["pair"]]
    both = both.drop(columns="pair")  # an axis may have this name
    return both.merge(collection.settings, on="setting_id", how="left", sort=False)[names]


def pairs_of(study: Study, computed: set[Name]) -> Iterator[tuple[Name, Name]]:
    """Yield (learner, importance) of two methods that are compared, the earlier one first."""
    of_learners = (
        ((first, importance), (other, importance))
        for first, other in itertools.combinations(study.learners, 2)
        for importance in ("", *study.importances)
    )
    of_importances = (
        ((learner, first), (learner, other))
        for learner in study.learners
        for first, other in itertools.combinations(study.importances, 2)
    )
    for pair in itertools.chain(of_learners, of_importances):
        if computed.issuperset(pair):
            yield pair
