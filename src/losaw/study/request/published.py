"""The published numbers of a study, read and checked."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from losaw.study.errors import StudyError
from losaw.study.request.grid import Study, table_title
from losaw.study.request.settings import as_own, matches, plain, same
from losaw.support.words import counted, unknown

if TYPE_CHECKING:  # jobs of blocks read no printed numbers and start without it
    import pandas as pd

# Squares of numbers of these sizes, and their inverses, are finite and not 0.
LARGEST, SMALLEST = 1e15, 1e-100
AboveZero = Annotated[float, Field(ge=SMALLEST, le=LARGEST)]


class PublishedCell(BaseModel):
    """A line: a published number, and a column for each axis that print has.

    A column that is not needed may be left out, or empty.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    table: str
    """A table of the study file, by its key or its title."""
    metric: str
    method: str
    published: Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
    """The number; a line without it is a cell that the paper leaves empty."""
    decimals: Annotated[int, Field(ge=0, le=50)]
    """As published."""
    published_runs: Annotated[float, Field(ge=1, le=LARGEST)]
    """The runs behind the number; of an exact one, as of a formula, 1e15."""
    note: str = ""
    published_sd: AboveZero | None = None
    """The standard deviation of single runs."""
    published_se: AboveZero | None = None
    """The standard error of the number, if printed; where runs are not independent, inferred."""
    se_source: str = ""
    """What an inferred error rests on."""

    @field_validator("published", "decimals", "published_runs", "published_sd", "published_se",
                     mode="before")  # fmt: skip
    @classmethod
    def _has_no_underscore(cls, written: Any) -> Any:
        if "_" in str(written):  # which Python leaves out: 1_0 is 10
            raise ValueError("a number has no _")
        return written


_COLUMNS = PublishedCell.model_fields.items()
NEEDED = tuple(name for name, column in _COLUMNS if column.is_required())
SOME = tuple(name for name, column in _COLUMNS if not column.is_required())
NUMBERS = tuple(name for name, column in _COLUMNS if column.annotation is not str)
# As other programs write an empty number; a name is what is written.
_EMPTY = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None")


def read_published(study: Study, folder: Path) -> "pd.DataFrame":
    """Return the published numbers of a study, a row for each :class:`PublishedCell`.

    A StudyError names a file that is missing or lacks a column, a column or name that the study
    does not have, a line with a wrong number (of decisions: no share) or a cell that was there, and
    a metric without a margin.
    """
    import pandas as pd

    columns = ["table", *study.axes, *NEEDED[1:], *SOME]
    if study.file.published is None:
        return pd.DataFrame(columns=columns)
    path = folder / study.file.published
    if not path.is_file():
        raise study.source.error(("published",), f"{path}: no such file")
    frame = _read(path)
    for column in frame.columns:
        if column not in columns:
            words = unknown("column", column, columns)
            if column in study.methods:
                words += "; write a line for each number, its method in the column 'method'"
            raise StudyError(f"{path}: {words}")
    missing = [column for column in NEEDED if column not in frame]
    if missing:
        raise StudyError(f"{path}: has no column {missing[0]!r}; needed: {', '.join(NEEDED)}")
    for axis in (axis for axis in study.axes if axis in frame):
        frame[axis] = pd.Series(as_own(frame[axis], study.file.axes[axis]), frame.index)
    numbers = [name for name in NUMBERS if name in frame]
    frame[numbers] = frame[numbers].mask(frame[numbers].isin(_EMPTY))
    titles = {key: table_title(key) for key in study.file.tables}
    frame["table"] = frame["table"].replace(titles)
    frame = _without_what_is_not_run(study, frame)
    cells, keys = frame[frame["published"].notna()], ["table", *study.axes, "metric", "method"]
    records = [
        {name: value for name, value in record.items() if not pd.isna(value)}
        for record in cells.to_dict("records")
    ]
    try:
        read = TypeAdapter(list[PublishedCell]).validate_python(records)
    except ValidationError as error:
        problem = error.errors()[0]
        number, column = problem["loc"][:2]
        words = f"{column}: {problem['msg'].removeprefix('Value error, ')}"
        if problem.get("ctx", {}).get("ge") == SMALLEST:
            words = f"{column}: Input should be greater than 0, or left empty"
        if problem["type"] == "missing":
            words = f"{column}: is empty; a line with a number needs {', '.join(NEEDED)}"
        else:
            words += f", got {problem['input']!r:.80}"
        if problem["type"] == "float_parsing":
            words += (
                "; write the number alone, as 0.607 or -2, its error in published_se, and leave "
            )
            words += "a cell without a number empty"
        raise StudyError(f"{path}: line {cells.index[number]}: {words}") from None
    for line, record, one in zip(cells.index, records, read, strict=True):
        digits = Decimal(record["published"]).normalize().as_tuple()
        if (n := -int(digits.exponent)) > one.decimals:
            words = f"has {counted(n, '[decimal|decimals]')}, and 'decimals' says {one.decimals}"
            words = f"published {record['published']} {words}; correct one of them"
            raise StudyError(f"{path}: line {line}: {words}")
    for name in numbers:
        values = pd.Series([getattr(one, name) for one in read], cells.index)
        frame[name] = pd.to_numeric(values).reindex(frame.index)
    cells = frame.loc[cells.index]
    beyond = cells.index[cells["metric"].isin(study.decisions) & ~cells["published"].between(0, 1)]
    if len(beyond):
        words = f"is of decisions, a share from 0 to 1, got {cells.loc[beyond[0], 'published']:g}"
        raise StudyError(f"{path}: line {beyond[0]}: published {words}")
    _check_reached(study, path, frame)
    _check_ranges(study, path, frame.loc[cells.index])
    of_means = cells["metric"].map(study.summaries) == "mean"
    has_sd = cells["published_sd"].notna() if "published_sd" in cells else False
    if lines := list(cells.index[~of_means & has_sd]):
        words = "its runs are summarised otherwise than by their mean; give published_se"
        metric = cells.loc[lines[0], "metric"]
        raise StudyError(f"{path}: line {lines[0]}: published_sd of {metric!r}: {words}")
    twice = cells.index[cells[[key for key in keys if key in frame]].map(plain).duplicated()]
    if len(twice):
        raise StudyError(f"{path}: line {twice[0]}: this cell is printed twice")
    for metric in dict.fromkeys(frame["metric"]):
        if metric in study.metrics and metric not in study.file.margins:
            raise study.source.error(
                ("margins",),
                f"the metric {metric!r} is published in {path.name} and has no margin; state the "
                "largest difference from the published value that still agrees, for example "
                f"'margins: {{{metric}: 0.03}}'",
            )
    return frame


def _read(path: Path) -> "pd.DataFrame":
    """Return the rows of a table as texts, each by the number of the line in which it begins."""
    import pandas as pd

    rows: dict[int, list[str]] = {}
    last = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                if "".join(row).strip():
                    rows[last + 1] = row
                last = reader.line_num
    except (OSError, ValueError, csv.Error) as error:
        raise StudyError(f"{path}: is not a CSV table in UTF-8 ({error})") from None
    heading = rows.pop(min(rows, default=0), [])
    if len(heading) == 1 and (found := re.search("[;\t|]", heading[0])):
        words = f"columns are separated by commas, and numbers have points; got {found[0]!r}"
        raise StudyError(f"{path}: line 1: {words} between columns")
    if len({*heading}) < len(heading):
        twice = max(heading, key=heading.count)
        raise StudyError(f"{path}: line 1: names a column twice: {twice!r}")
    for line, row in rows.items():
        if any(row[len(heading) :]):
            words = f"has {len(row)} values for {counted(len(heading), '[column|columns]')}"
            raise StudyError(f"{path}: line {line}: {words}; quote a value with a comma")
    filled = [[*row, *[""] * len(heading)][: len(heading)] for row in rows.values()]
    frame = pd.DataFrame(filled, index=[*rows], columns=heading, dtype=object)
    return frame.mask(frame == "")


def _without_what_is_not_run(study: Study, written: "pd.DataFrame") -> "pd.DataFrame":
    """Leave out the lines that ``not_run`` names: of what is in the file, and not in the study."""
    frame = written
    names = [str(name) for name in written if name not in (*NEEDED[3:], *SOME)]
    ours: dict[str, Any] = {**study.file.axes, **study.cell_names}
    for key, values in study.file.not_run.items():
        study.source.check_known(key, names, ("not_run", key), "column")
        for value in values:
            lines = written.index[written[key].map(partial(same, value)).astype(bool)]
            title = table_title(str(value)) if key == "table" else value
            if any(same(own, title) for own in ours[key]):
                message = f"{value!r} is run by the study; take it out of 'not_run'"
                raise study.source.error(("not_run", key), message)
            if lines.empty:
                known = list(written[key].dropna().unique())
                raise study.source.error(("not_run", key), unknown(key, value, known))
            frame = frame.drop(lines, errors="ignore")
    return frame


def _check_reached(study: Study, path: Path, frame: "pd.DataFrame") -> None:
    """Check that lines have names that the study's cells have, and some numbers have a cell."""
    cells = frame.dropna(subset="published")
    if cells.empty:
        raise StudyError(f"{path}: holds no published number; add some, or leave 'published' out")
    for key, names in study.cell_names.items():
        for line, name in frame[key].items():
            if str(name) not in names:
                words = (
                    study.unknown_metric(str(name))
                    if key == "metric"
                    else unknown(key, name, names)
                )
                words += "; 'not_run' names what the study leaves out"
                raise StudyError(f"{path}: line {line}: {words}")
    lost = without_cell(study, cells)
    if len(lost) == len(cells):
        raise StudyError(f"{path}: no line has a cell; line {_first(lost)}")


def _check_ranges(study: Study, path: Path, cells: "pd.DataFrame") -> None:
    """Check that a metric can have the printed values, but for their rounding and misprints."""
    misprints = [entry.where for entry in study.file.known if entry.kind == "misprint"]
    for line, cell in zip(cells.index, cells.to_dict("records"), strict=True):
        if any(matches(where, cell) for where in misprints):
            continue
        low, high = study.range_of(cell["metric"])
        rounding = 0.5 / 10 ** cell["decimals"] * (1 + 1e-9)
        if not low - rounding <= cell["published"] <= high + rounding:
            words = f"is outside of the range {low:g} to {high:g} of {cell['metric']}"
            if (low, high) == (0, 1) and cell["published"] > 1:
                words += "; a percentage is written as a share"
            words += "; a misprint of the paper's is named under 'known', with kind: misprint"
            raise StudyError(f"{path}: line {line}: published {cell['published']:.15g} {words}")


def what_has_no_cell(study: Study, published: "pd.DataFrame") -> Iterator[str]:
    """Say of each table which lines have no cell in the study file, as after it was cut down."""
    lost = without_cell(study, published.dropna(subset="published"))
    for table, lines in published.loc[list(lost)].groupby("table", sort=False).groups.items():
        here = {line: lost[line] for line in lines}
        more = f" and {len(here) - 1} more are" if here.keys() - {lines[0]} else " is"
        yield (
            f"study {study.name!r}: {study.file.published}: a line of {table!r}{more} "
            f"not compared: line {_first(here)}"
        )


def _first(lost: Mapping[int, str]) -> str:
    line = min(lost)
    return f"{line}: {lost[line]}"


def without_cell(study: Study, cells: "pd.DataFrame") -> dict[int, str]:
    """Return index -> reason of the printed numbers that no cell of the study's tables has."""
    names = _names(cells)
    reached = {_cell(names, cell) for _, _, cell in study.cells()}
    lost = {}
    for line, record in zip(cells.index, cells.to_dict("records"), strict=True):
        if _cell(names, record) not in reached:
            words = f"no cell of {record['table']!r} has these values together"
            lost[line] = f"{words}; correct one of them, or add the cell to the table"
            for axis in (axis for axis in study.axes if axis in cells):
                known = study.file.axes[axis]
                if not any(same(record[axis], value) for value in known):
                    words = unknown(axis, record[axis], list(map(str, known)))
                    lost[line] = f"{words}; correct it, or name it under 'not_run'"
    return lost


def _names(printed: "pd.DataFrame") -> list[str]:
    """Return the columns that name a printed cell: axes, table, metric and method."""
    return sorted(set(printed.columns).difference(NEEDED[3:], SOME))


def _cell(names: Iterable[str], record: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, plain(record[name])) for name in names)


def check_counted_once(studies: Iterable[Study], folder: Path) -> None:
    """Check that each published value counts in one cell of one study.

    Values are the same if they are of one file, or of one paper.
    """
    counted: dict[Any, tuple[Study, str]] = {}
    for study in studies:
        rule = study.file.counted
        if study.file.published is None or rule is False:
            continue
        printed = read_published(study, folder).dropna(subset="published")
        names = _names(printed)
        lines = {_cell(names, record) for record in printed.to_dict("records")}
        for _, _, cell in study.cells():
            value = _cell(names, cell)
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
