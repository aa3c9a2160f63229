"""The printed numbers of a study, read and checked."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from losaw.study.design.grid import Study
from losaw.study.errors import StudyError
from losaw.support.words import unknown

if TYPE_CHECKING:  # jobs of blocks read no printed numbers and start without it
    import pandas as pd

COLUMNS = ("table", "metric", "method", "published", "decimals", "published_runs", "note")
# Where a paper prints the standard deviation of single runs, and where the runs behind a number
# share draws of X.
SOME = ("published_sd", "published_draws")


def read_published(study: Study, folder: Path) -> "pd.DataFrame":
    """The printed numbers of a study.

    The file holds one row per printed cell: ``table``, any of the study's axes, ``metric``,
    ``method``, ``published``, ``decimals`` (as printed), ``published_runs`` (runs behind the
    printed mean), ``note`` and, where there is something to say, ``published_sd`` (standard
    deviation of single runs as printed) and ``published_draws`` (draws of X that the runs share;
    empty if every run has its own).

    Raises
    ------
    StudyError
        If the file is missing, has a column that is neither of these nor an axis, or prints a
        metric for which the study declares no margin.
    """
    import pandas as pd

    columns = ["table", *study.axes, *COLUMNS[1:], *SOME]
    if study.file.published is None:
        return pd.DataFrame(columns=columns)
    path = folder / study.file.published
    if not path.is_file():
        raise study.source.error(("published",), f"{path}: no such file")
    frame = pd.read_csv(path, dtype={"note": str}, keep_default_na=True)
    for column in frame.columns:
        if column not in columns:
            raise StudyError(f"{path}: {unknown('column', column, columns)}")
    for metric in dict.fromkeys(frame["metric"]):
        if metric in study.metrics and metric not in study.file.margins:
            raise study.source.error(
                ("margins",),
                f"the metric {metric!r} is printed in {path.name} and has no margin; say how far "
                f"a mean may lie from print and agree, for example 'margins: {{{metric}: 0.03}}'",
            )
    return frame


def margin(study: Study, metric: str) -> float:
    """The declared margin of a metric; NaN, within which nothing lies, if there is none."""
    return study.file.margins.get(metric, math.nan)
