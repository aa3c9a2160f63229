"""Failures: too many failed fits are refused, failing importances named and left out."""

from collections import Counter

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from losaw.study.errors import StudyError
from losaw.study.rows import SCORES
from losaw.study.session import StudyPlan

_KEYS = ["learner", "importance", "metric"]
_REASONS = 5


def check_fits(plan: StudyPlan, failed: pa.Table) -> None:
    """Raise an error if more than the allowed share of fits failed."""
    of_fits = failed.filter(pc.equal(failed["importance"], ""))
    n_failed = of_fits.group_by(["setting_id", "learner", "seed"]).aggregate([]).num_rows
    share, allowed = n_failed / plan.n_fits, plan.max_failed_share
    if share > allowed:
        reasons = Counter(of_fits["message"].to_pylist()).most_common(_REASONS)
        raise StudyError(
            f"study {plan.study.name!r}: {n_failed} of {plan.n_fits} fits failed ({share:.1%}); "
            f"max_failed_share allows {allowed:.1%}, so there is no summary.\n"
            + "".join(f"  {count} × {message}\n" for message, count in reasons)
            + "Fix the method (its blocks are then computed again), or raise max_failed_share."
        )


def without_failing(
    results: pd.DataFrame, failed: pa.Table, allowed: float
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return results without the values of importances that failed in too many fits.

    The mean over the fits that went well would be one over a selected part of the data sets.

    Parameters
    ----------
    results : DataFrame
        One row per setting, learner, importance, seed and metric.
    failed : pyarrow.Table
        The rows that failed.
    allowed : float
        The share.

    Returns
    -------
    results : DataFrame
    left_out : dict
        Learner and importance -> in how many fits it failed, and what it said most often.
    """
    failures = failed.to_pandas()
    failures = failures[failures["importance"] != ""]
    if failures.empty:
        return results, {}
    n_failed = failures.groupby(_KEYS, observed=True).size()
    n_fits = results.groupby(_KEYS, observed=True).size().to_dict()
    for learner, importance, metric in n_failed.index:
        if metric == SCORES:  # results have metrics only
            of_both = [n for key, n in n_fits.items() if key[:2] == (learner, importance)]
            n_fits[learner, importance, SCORES] = max(of_both, default=0)
    bad = {key for key, number in n_failed.items() if number > allowed * n_fits.get(key, 0)}
    if not bad:
        return results, {}
    left_out = {}
    for learner, importance in dict.fromkeys((key[0], key[1]) for key in sorted(bad)):
        of_both = failures[
            (failures["learner"] == learner) & (failures["importance"] == importance)
        ]
        n_bad = len(of_both.drop_duplicates(["setting_id", "seed"]))
        total = max(n_fits.get(key, 0) for key in bad if key[:2] == (learner, importance))
        reason = of_both["message"].mode()[0]
        left_out[f"{learner} {importance}"] = f"failed in {n_bad} of {total} fits: {reason}"
    keys = results[_KEYS].astype(str).itertuples(index=False)
    return results[[tuple(key) not in bad for key in keys]].reset_index(drop=True), left_out
