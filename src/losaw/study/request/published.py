"""The published numbers of a study, read and checked."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from losaw.study.errors import StudyError, part_of
from losaw.study.request.grid import Study, table_title
from losaw.study.request.settings import matches, plain, same
from losaw.support.words import unknown

if TYPE_CHECKING:  # jobs of blocks read no printed numbers and start without it
    import pandas as pd

NEEDED = ("table", "metric", "method", "published", "decimals", "published_runs")
# Squares of numbers of this size, and of their inverses, are finite and not 0.
LARGEST = 1e100
SOME = ("note", "published_sd", "published_se", "se_source")


def read_published(study: Study, folder: Path) -> "pd.DataFrame":
    """Return the published numbers of a study.

    The file has one row per published cell: ``table`` (key or title), any of the study's axes,
    ``metric``, ``method``, ``published``, ``decimals`` (as published), ``published_runs`` (runs
    behind the mean) and, in some files, ``note``, ``published_sd`` (standard deviation of single
    runs), ``published_se`` (standard error of the mean where its runs are not independent, an
    inference, with its ``se_source``).

    Raises
    ------
    StudyError
        If the file is missing, lacks one of the first columns, has one that is neither of these
        nor an axis, a line without its numbers or with wrong ones (of decisions, such as
        rejections: no share), a cell twice, a name that the study's tables do not have or no line
        with a cell of theirs, or a metric without a margin in the study.
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
            texts = dict.fromkeys(("table", "note"), str)
            frame = pd.read_csv(path, dtype=texts, compression=None, index_col=False)
    except (OSError, ValueError, pd.errors.ParserWarning) as error:
        raise StudyError(f"{path}: is not a CSV table in UTF-8 ({error})") from None
    for column in frame.columns:
        part_of("column", column, dict.fromkeys(columns), f"{path}: ")
    missing = [column for column in NEEDED if column not in frame]
    if missing:
        raise StudyError(f"{path}: has no column {missing[0]!r}; needed: {', '.join(NEEDED)}")
    titles = {key: table_title(key) for key in study.file.tables}
    frame["table"] = frame["table"].replace(titles)
    cells, keys = frame[frame["published"].notna()], ["table", *study.axes, "metric", "method"]
    for column, least, most, words in (
        ("published", -LARGEST, LARGEST, f"a number, {LARGEST:g} at most in size"),
        ("decimals", 0, 50, "a whole number, 0 or more, and 50 at most"),
        ("published_runs", 1, LARGEST, "a number, 1 or more"),
        ("published_sd", 1 / LARGEST, LARGEST, "a number above 0, or empty"),
        ("published_se", 1 / LARGEST, LARGEST, "a number above 0, or empty"),
    ):
        written = cells.get(column, pd.Series(dtype=float))
        if column in SOME:
            written = written.dropna()
        numbers = pd.to_numeric(written, errors="coerce")
        is_wrong = ~numbers.between(least, most)
        wrong = written.index[is_wrong | (numbers % 1 != 0) if column == "decimals" else is_wrong]
        if len(wrong):
            raise StudyError(f"{path}: line {wrong[0] + 2}: {column} must be {words}")
    beyond = cells.index[cells["metric"].isin(study.decisions) & ~cells["published"].between(0, 1)]
    if len(beyond):
        words = f"is of decisions, a share from 0 to 1, got {cells.loc[beyond[0], 'published']:g}"
        raise StudyError(f"{path}: line {beyond[0] + 2}: published {words}")
    _check_reached(study, path, cells)
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


def _check_reached(study: Study, path: Path, cells: "pd.DataFrame") -> None:
    """Check that printed numbers have names that the study's cells have, and some have a cell."""
    if cells.empty:
        raise StudyError(f"{path}: holds no published number; add some, or leave 'published' out")
    for key, names in study.cell_names.items():
        for line, name in cells[key].items():
            if str(name) not in names:
                raise StudyError(f"{path}: line {line + 2}: {unknown(key, name, names)}")
    lost = _without_cell(study, cells)
    if len(lost) == len(cells):
        raise StudyError(f"{path}: no line has a cell; line {_first(lost)}")


def what_has_no_cell(study: Study, published: "pd.DataFrame") -> Iterator[str]:
    """Say of each table which lines have no cell in the study file, as after it was cut down."""
    lost = _without_cell(study, published.dropna(subset="published"))
    for table, lines in published.loc[list(lost)].groupby("table", sort=False).groups.items():
        here = {line: lost[line] for line in lines}
        more = f" and {len(here) - 1} more are" if here.keys() - {lines[0]} else " is"
        yield (
            f"study {study.name!r}: {study.file.published}: a line of {table!r}{more} "
            f"not compared: line {_first(here)}"
        )


def _first(lost: Mapping[int, str]) -> str:
    line = min(lost)
    return f"{line + 2}: {lost[line]}"


def _without_cell(study: Study, cells: "pd.DataFrame") -> dict[int, str]:
    """Return index -> reason of the printed numbers that no cell of the study's tables has."""
    reached = {_cell(cells, cell) for _, _, cell in study.cells()}
    lost = {}
    for line, record in zip(cells.index, cells.to_dict("records"), strict=True):
        if _cell(cells, record) not in reached:
            lost[line] = f"no cell of {record['table']!r} has these values together"
            for axis in (axis for axis in study.axes if axis in cells):
                known = study.file.axes[axis]
                if not any(same(record[axis], value) for value in known):
                    lost[line] = unknown(axis, record[axis], list(map(str, known)))
    return lost


def _cell(printed: "pd.DataFrame", record: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return what names a printed cell: axes, table, metric and method, in the file's columns."""
    numbers = (*NEEDED[3:], *SOME)
    return tuple((k, plain(record[k])) for k in sorted(printed.columns) if k not in numbers)


def check_counted_once(studies: Iterable[Study], folder: Path) -> None:
    """Check that each published value counts in one cell of one study.

    Values are the same if they are of one file, or of one paper.

    Raises
    ------
    StudyError
        For the first value that counts twice, with both studies.
    """
    counted: dict[Any, tuple[Study, str]] = {}
    for study in studies:
        rule = study.file.counted
        if study.file.published is None or rule is False:
            continue
        printed = read_published(study, folder).dropna(subset="published")
        lines = {_cell(printed, record) for record in printed.to_dict("records")}
        for _, _, cell in study.cells():
            value = _cell(printed, cell)
            is_counted = rule is True or any(matches(where, cell) for where in rule)
            if value not in lines or not is_counted:
                continue
            # Several tables may show one setting: it counts once.
            reading = ", ".join(f"{key} {cell[key]}" for key in cell if key not in printed)
            for source in filter(None, {study.file.published, study.file.paper}):
                other, first = counted.setdefault((source, value), (study, reading))
                if (other.name, first) == (study.name, reading):
                    continue
                named = ", ".join(f"{key} {cell[key]}" for key, _ in value)
                message = f"the published value of {named} is counted "
                if other is study:
                    message += f"twice, at {first} and at {reading}; list the one that counts"
                else:
                    message += (
                        f"in study {other.name!r} ({other.source.path}) too; set 'counted: false' "
                        "in one of them, or list the readings that count"
                    )
                raise study.source.error(("counted",), message)
