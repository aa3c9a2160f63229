"""The published numbers of a study, read and checked."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from losaw.study.errors import StudyError, part_of
from losaw.study.request.grid import Study
from losaw.study.request.settings import plain
from losaw.support.words import unknown

if TYPE_CHECKING:  # jobs of blocks read no printed numbers and start without it
    import pandas as pd

NEEDED = ("table", "metric", "method", "published", "decimals", "published_runs")
SOME = ("note", "published_sd", "published_se", "se_source")


def read_published(study: Study, folder: Path) -> "pd.DataFrame":
    """Return the published numbers of a study.

    The file has one row per published cell: ``table``, any of the study's axes, ``metric``,
    ``method``, ``published``, ``decimals`` (as published), ``published_runs`` (runs behind the
    mean) and, in some files, ``note``, ``published_sd`` (standard deviation of single runs),
    ``published_se`` (standard error of the mean where its runs are not independent, an inference,
    with its ``se_source``).

    Raises
    ------
    StudyError
        If the file is missing, lacks one of the first columns, has one that is neither of these
        nor an axis, a line without its numbers or with wrong ones (of decisions, such as
        rejections: no share), a cell twice, or a metric without a margin in the study.
    """
    import pandas as pd

    columns = ["table", *study.axes, *NEEDED[1:], *SOME]
    if study.file.published is None:
        return pd.DataFrame(columns=columns)
    path = folder / study.file.published
    if not path.is_file():
        raise study.source.error(("published",), f"{path}: no such file")
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            frame = pd.read_csv(path, dtype={"note": str}, compression=None, index_col=False)
    except (OSError, ValueError, pd.errors.ParserWarning) as error:
        raise StudyError(f"{path}: is not a CSV table in UTF-8 ({error})") from None
    for column in frame.columns:
        part_of("column", column, dict.fromkeys(columns), f"{path}: ")
    missing = [column for column in NEEDED if column not in frame]
    if missing:
        raise StudyError(f"{path}: has no column {missing[0]!r}; needed: {', '.join(NEEDED)}")
    cells, keys = frame[frame["published"].notna()], ["table", *study.axes, "metric", "method"]
    for column, least, words in (
        ("published", -sys.float_info.max, "a number"),
        ("decimals", 0, "a number, 0 or more"),
        ("published_runs", 1, "a number, 1 or more"),
        ("published_sd", sys.float_info.min, "a number above 0, or empty"),
        ("published_se", sys.float_info.min, "a number above 0, or empty"),
    ):
        written = cells.get(column, pd.Series(dtype=float))
        if column in SOME:
            written = written.dropna()
        numbers = pd.to_numeric(written, errors="coerce")
        wrong = written.index[~numbers.between(least, sys.float_info.max)]
        if len(wrong):
            raise StudyError(f"{path}: line {wrong[0] + 2}: {column} must be {words}")
    beyond = cells.index[cells["metric"].isin(study.decisions) & ~cells["published"].between(0, 1)]
    if len(beyond):
        words = f"is of decisions, a share from 0 to 1, got {cells.loc[beyond[0], 'published']:g}"
        raise StudyError(f"{path}: line {beyond[0] + 2}: published {words}")
    twice = cells.index[cells.duplicated([key for key in keys if key in frame])]
    if len(twice):
        raise StudyError(f"{path}: line {twice[0] + 2}: this cell is printed twice")
    for metric in dict.fromkeys(frame["metric"]):
        if metric in study.metrics and metric not in study.file.margins:
            raise study.source.error(
                ("margins",),
                f"the metric {metric!r} is published in {path.name} and has no margin; state the "
                "largest difference from the published value that still agrees, for example "
                f"'margins: {{{metric}: 0.03}}'",
            )
    return frame


def what_has_no_cell(study: Study, published: "pd.DataFrame") -> Iterator[str]:
    """Say which names of printed cells a study does not have, and which lines match no cell."""
    file = f"study {study.name!r}: {study.file.published}"
    rows = published.dropna(subset="published")
    for key, names in study.cell_names.items():
        for name in map(str, published[key].unique()):
            if name not in names:
                yield f"{file}: {unknown(key, name, names)}"
        rows = rows[rows[key].astype(str).isin(names)]
    keys = ["table", *(axis for axis in study.axes if axis in published), "metric", "method"]
    there = {tuple(plain(cell[key]) for key in keys) for _, _, cell in study.cells()}
    cells = zip(rows.index, rows[keys].values, strict=True)
    lost = [line for line, cell in cells if tuple(map(plain, cell)) not in there]
    if lost:
        where = f"line {lost[0] + 2}" + (f" and {len(lost) - 1} more" if lost[1:] else "")
        yield f"{file}: {where}: no cell of the tables has these values"
