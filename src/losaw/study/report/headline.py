"""The headline of a study: the two methods that its file compares, on the same data sets."""

from itertools import starmap

import numpy as np
import pandas as pd

from losaw.study.report.results import StudyResults
from losaw.study.report.typeset import decimals_of, markdown, number
from losaw.study.request.grid import Study
from losaw.study.results.summary import pairs_of

_MOST_METRICS = 3  # of a sentence; ``differences.csv`` has all


def check_pair(study: Study) -> None:
    """Check before anything runs that a study's two methods can be compared; or a StudyError."""
    pair = study.file.compare
    if pair is None:
        return
    for index, name in enumerate(pair):
        study.source.check_known(name, study.methods, ("compare", index), "method")
    learners = study.learners.items()
    known = {(label, name) for label, of in learners for name in ("", *of.importances)}
    pairs = [set(starmap(study.method_name, both)) for both in pairs_of(study, known)]
    if set(pair) not in pairs:
        message = "must be two methods, of one learner or by one importance"
        raise study.source.error(("compare",), f"{message}, got {' and '.join(pair)}")
    if not _judging(study):
        message = f"no mean of a metric says of both, {' and '.join(pair)}, which is better"
        raise study.source.error(("compare",), f"{message}; leave it out")


def _judging(study: Study) -> list[str]:
    """The metrics that say which of the two compared methods is better, by their means."""
    pair, metrics = set(study.file.compare or ()), study.file.margins or study.metrics
    about = [m for m in metrics if study.metrics[m].about("ranks_methods", True)]
    both = [metric for metric in about if pair <= {*study.methods_of(metric)}]
    return [metric for metric in both if study.summaries[metric] == "mean"]


def mean_differences(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference, first less second of the compared methods, of each metric.

    Each of the S ``settings`` of ``frame`` (``differences.csv``) counts the same, so that the Monte
    Carlo error ``mc_se`` is the root of sum_s mc_se_s^2 / S^2. In ``higher`` of them the first
    method has the larger mean.
    """
    first, second = study.file.compare or ("", "")
    turned = frame.rename(columns={"method": "minus", "minus": "method"})
    both = pd.concat([frame, turned.assign(difference=-frame["difference"])])
    pair = both[(both["method"] == first) & (both["minus"] == second)]
    of_metrics = [(metric, pair[pair["metric"] == metric]) for metric in _judging(study)]
    rows = [
        {
            "metric": metric,
            "difference": cells["difference"].mean(),
            "mc_se": np.linalg.norm(cells["mc_se"]) / len(cells),
            "settings": len(cells),
            "higher": int((cells["difference"] > 0).sum()),
        }
        for metric, cells in of_metrics
        if len(cells)
    ]
    return pd.DataFrame(rows)


def headline(study: Study, results: StudyResults) -> tuple[int, str]:
    """Return the number of settings and the differences in a sentence; empty if there are none."""
    if study.file.compare is None:
        return 0, ""
    rows = mean_differences(study, results.differences)
    if rows.empty:
        return 0, ""
    rows = rows.head(_MOST_METRICS)
    n = int(rows["settings"].max())
    of_metrics = []
    for row in rows.itertuples():
        decimals = decimals_of([row.difference], [row.mc_se], 3)
        shown = f"{'+' * (row.difference > 0)}{number(row.difference, decimals)}"
        shown += f" ({number(row.mc_se, decimals) or '–'}), higher in {row.higher}"
        shown += f" of {row.settings}" * (row.settings < n)
        of_metrics.append(f"{markdown(study.show(row.metric))} {shown}")
    first, second = (markdown(study.show(name)) for name in study.file.compare)
    over = f"{n} settings" if n > 1 else "one setting"
    errors = "paired" if results.is_paired else "of the means, their errors as if independent"
    pair = f"**{first} against {second}**, mean difference over {over} ({errors})"
    return n, f"{pair}: {'; '.join(of_metrics)}."
