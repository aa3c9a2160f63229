"""A ranking of methods over all settings: mean value, mean rank, and the places they can have."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.scoring.many_tests import rank_sets
from losaw.study.block.spent import part_name
from losaw.study.report.tables import higher_is_better
from losaw.study.request.grid import Study

# The columns of a ranking by the values of an axis, with their types.
RANKING = {
    **dict.fromkeys(("of", "method"), str),
    **dict.fromkeys(("seeds", "best_place", "worst_place"), int),
    **dict.fromkeys(("rank", "mean", "found", "false", "seconds"), float),
}
LEVEL = 0.95  # of all places of a metric at once
COLUMNS = [
    *("metric", "method", "settings", "seeds", "mean", "mean_se", "rank", "rank_se"),
    *("best_place", "worst_place"),
]


def rank_methods(study: Study, results: pd.DataFrame) -> pd.DataFrame:
    """Mean value and mean rank of every method over the settings that all of them share.

    With v(m, s, i) the value of method m in setting s and seed i, and r its rank among the
    methods (1 the best, ties shared), both are averaged over the seeds of a setting and then
    over the S settings, each counting the same. The seeds of a setting are independent draws
    on which all methods see the same data, so that

        s.e.^2 = sum_s sd_s^2 / n_s / S^2,

    sd_s the standard deviation over the n_s seeds. The settings are taken as given: the error
    is the error of the mean over these settings, not over other settings.

    The place of a method is its place by the true mean rank. With probability of about .95 the
    places of all methods lie in their sets at once
    (:func:`losaw.scoring.many_tests.rank_sets`): of each pair the difference of the mean ranks
    is tested, from the seeds that both share, with sum_s (n_s - 1) degrees of freedom and an error
    that counts differences between settings as well (:func:`deviations_of`), no p-value is below
    2^-N, by which N data sets agree by chance, and all pairs are adjusted by Holm.

    ``results`` has ``losaw.study.results.collect.RESULT_COLUMNS``. A seed counts where all methods
    have a value, a setting where there are at least two such seeds. Returned are :data:`COLUMNS`,
    per metric the best rank first; no row if no metric has two methods to compare.
    """
    ranked = [_rank_metric(study, m, results) for m in filter(study.ranks, study.summaries)]
    tables = [table for table in ranked if len(table)] or [pd.DataFrame(columns=COLUMNS)]
    return pd.concat(tables, ignore_index=True)[COLUMNS]


def ranking_by(study: Study, results: pd.DataFrame, seconds: Mapping[str, float]) -> pd.DataFrame:
    """The ranking that a study's file asks for: in all settings, and for each value of its axis.

    The places hold at once among the methods of a value. ``of`` is the value, empty for all
    settings; ``found`` and ``false`` are the means of the two metrics of decisions, NaN of a method
    that decides nothing; ``seconds`` (by part, as in the manifest) are those of a data set, with
    the fit of the model. Returned are :data:`RANKING`; no row where two methods cannot be compared.
    """
    asked = study.file.ranking
    if asked is None:
        return pd.DataFrame(columns=[*RANKING])
    values = [("", {}), *((str(value), {asked.by: [value]}) for value in study.file.axes[asked.by])]
    tables = []
    for value, where in values:
        those = [setting.identifier for setting in study.settings if setting.matches(where)]
        part = results[results["setting_id"].isin(those)]
        table = _rank_metric(study, asked.metric, part).assign(of=value)
        if table.empty:
            continue
        for name, metric in zip(("found", "false"), asked.decisions or (), strict=False):
            by_setting = finite_values(study, metric, part).groupby(["method", "setting_id"])
            means = by_setting["value"].mean().groupby("method").mean()
            table[name] = table["method"].map(means)
        tables.append(table)
    if not tables:
        return pd.DataFrame(columns=[*RANKING])
    whole = pd.concat(tables, ignore_index=True)
    spent = {
        study.method_name(learner, one): seconds.get(part_name(learner), math.nan)
        + seconds.get(part_name(learner, one), math.nan)
        for learner, made in study.learners.items()
        for one in made.importances
    }
    whole["seconds"] = whole["method"].map(spent)
    return whole.reindex(columns=[*RANKING])


def finite_values(study: Study, metric: str, results: pd.DataFrame) -> pd.DataFrame:
    """The rows with a finite value of a metric, and the name of their ``method``."""
    results = results[results["metric"] == metric]
    ok = results[(results["status"] == "ok") & np.isfinite(results["value"])]
    pairs = zip(ok["learner"], ok["importance"], strict=True)
    names = [study.method_name(learner, importance or "") for learner, importance in pairs]
    return ok.assign(method=names)


def ranked_values(study: Study, metric: str, results: pd.DataFrame) -> pd.DataFrame:
    """The values that are ranked, a column per method and a row per seed that all methods share.

    Rows are named by ``setting_id`` and ``seed``; settings with a single such seed are left out.
    """
    wide = finite_values(study, metric, results).pivot_table(
        index=["setting_id", "seed"], columns="method", values="value", sort=False
    )
    return wide.dropna().groupby(level="setting_id", sort=False).filter(lambda own: len(own) > 1)


def grid_of(study: Study, metric: str, results: pd.DataFrame) -> str:
    """The settings that a ranking is of, in words: every axis with the values that were run."""
    settings = ranked_values(study, metric, results).index.unique("setting_id")
    values: dict[str, dict[str, None]] = {}  # axis -> its values in words, each once
    for identifier in settings:
        for axis, value in study.setting(identifier).axes.items():
            values.setdefault(axis, {})[study.show(value)] = None
    return "; ".join(f"{study.show(axis)}: {', '.join(shown)}" for axis, shown in values.items())


def _rank_metric(study: Study, metric: str, results: pd.DataFrame) -> pd.DataFrame:
    wide = ranked_values(study, metric, results)
    if wide.shape[1] < 2 or wide.empty:
        return pd.DataFrame()
    ranks = wide.rank(axis=1, ascending=not higher_is_better(study, metric))
    mean, mean_se = _mean_over_settings(wide)
    rank, rank_se = _mean_over_settings(ranks)
    n_settings = len(wide.index.unique("setting_id"))
    # The smallest mean rank is the best.
    n, deviations = len(wide), deviations_of(ranks)
    best, worst = rank_sets(-rank.to_numpy(), deviations, n - n_settings, LEVEL, 0.5**n).T
    ranking = pd.DataFrame({"mean": mean, "mean_se": mean_se, "rank": rank, "rank_se": rank_se})
    ranking = ranking.assign(
        best_place=best, worst_place=worst, metric=metric, seeds=n, settings=n_settings
    )
    return ranking.rename_axis("method").reset_index().sort_values("rank", kind="stable")


def _mean_over_settings(values: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    grouped = values.groupby(level="setting_id", sort=False)
    means, squares = grouped.mean(), grouped.var(ddof=1).div(grouped.size(), axis=0)
    return means.mean(), np.sqrt(squares.sum()) / len(means)


def deviations_of(ranks: pd.DataFrame) -> FloatArray:
    """What each data set adds to the covariance of the means over settings.

    The squares of a difference of two columns add up to

        sum_s (sd_s^2 / n_s + (d_s - d)^2 / (n_s - 1)) / S^2,

    d_s being the mean difference of a setting and d that of all. The second part makes it larger
    than the squared error over these settings; without it two seeds with one and the same
    difference of ranks, by chance, would be taken for certain.
    """
    grouped = ranks.groupby(level="setting_id", sort=False)
    size = grouped[ranks.columns[:1]].transform("size")
    scale = np.sqrt(size * (size - 1)) * grouped.ngroups
    return (ranks - grouped.mean().mean()).div(scale, axis=0).to_numpy()
