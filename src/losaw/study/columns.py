"""The columns of the tables that a study has, and the names that no axis can have beside them."""

from collections.abc import Sequence

from losaw.study.block.rows import BLOCK_SCHEMA
from losaw.study.request.grid import Study
from losaw.study.request.published import NEEDED, SOME
from losaw.study.request.study_file import Configuration, Seconds, Seeds

AXES = "*"  # the place of a study's axes
OF_SUMMARY = (
    *("study", "setting_id", AXES, "learner", "importance", "method", "metric"),
    *("n_seeds", "n_failed", "mean", "sd", "mc_se"),
)
OF_DIFFERENCES = ("method", "minus", "setting_id", AXES, "metric", "n_seeds", "difference", "mc_se")
NUMBERS = (
    *("published", "reproduced", "mc_se", "n_seeds", "z", "low", "high", "margin"),
    *("verdict", "runs_to_decide", "explained", "noted"),
)
OF_COMPARISON = ("table", AXES, "metric", "method", *NUMBERS)
# Of single runs, where a paper gives it: two more columns of the comparison.
DEVIATIONS = ("published_sd", "reproduced_sd")
BEST = ("best", "published_best")  # of a table's cells
OF_CLAIM = (
    *(AXES, "compared", "left", "right", "difference", "std_error", "freedom"),
    *("n_left", "n_right", "is_decision"),
)
_TABLES = (OF_SUMMARY, OF_DIFFERENCES, OF_COMPARISON, DEVIATIONS, BEST, OF_CLAIM, NEEDED, SOME)
# Keys of the command line, and of an entry of a list in a study file.
_KEYS = {*Configuration.model_fields, *Seeds.model_fields, *Seconds.model_fields}
RESERVED = _KEYS.union(BLOCK_SCHEMA.names, *_TABLES)


def with_axes(table: Sequence[str], axes: Sequence[str]) -> list[str]:
    """Return the columns of a table of a study with these axes."""
    place = table.index(AXES)
    return [*table[:place], *axes, *table[place + 1 :]]


def check_axes(study: Study) -> None:
    """Raise a StudyError for an axis that would be taken for another column, or for a key."""
    for axis in study.axes:
        if axis in RESERVED:
            message = "is the name of a column of results or of a key; choose another name"
            raise study.source.error(("settings", axis), message)
