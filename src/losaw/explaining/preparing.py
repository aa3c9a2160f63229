"""A table as the models are given it, with all decisions on its rows and columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.columns import Column, mostly_numbers, treat
from losaw.explaining.table_file import READING
from losaw.scoring.rows import cluster_numbers
from losaw.support.errors import LosawError
from losaw.support.words import unknown
from losaw.tables.columns import LARGEST_WHOLE, asked_kinds
from losaw.tables.groups import named_column
from losaw.tables.reading import Values, is_frame, read_column, to_pandas

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("regression", "classification")
FEWEST_ROWS = 50
# Every fold is to hold rows of every class.
FEWEST_ROWS_OF_A_CLASS = 10
MOST_CLASSES = 50
# A target of at most so many whole numbers may well be classes.
_FEW_VALUES = 10


@dataclass(frozen=True)
class Prepared:
    """Features and responses of the rows that have a response.

    Attributes
    ----------
    X : DataFrame
        Floats (NaN where missing) and unordered categories.
    y : array of shape (n_rows,)
        Numbers, or the places of the classes among ``labels``.
    labels : tuple of str
        The classes; empty for a regression.
    target, task : str
    columns : tuple of Column
        All columns but the target, those left out too.
    kinds : dict of feature to kind
        Of the features in use.
    notes : tuple of str
        Decisions on rows and the target.
    clusters : int array of shape (n_rows,) or None
        Rows with the same number belong together.
    """

    X: "pd.DataFrame"
    y: NDArray[Any]
    labels: tuple[str, ...]
    target: str
    task: str
    columns: tuple[Column, ...]
    kinds: dict[str, str]
    notes: tuple[str, ...]
    clusters: NDArray[np.intp] | None = None


def prepare(
    frame: Any,
    target: Any,
    *,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    cluster: Any = None,
    drop: Sequence[Any] = (),
) -> Prepared:
    """Make a table ready for models: kinds and treatment of its columns, by ``docs/explain.md``."""
    import pandas as pd

    frame = to_pandas(frame)
    if not is_frame(frame):
        raise LosawError(
            f"a pandas or polars frame with named columns, or the path of a file, is needed, "
            f"got {type(frame).__name__}"
        )
    names = [str(name) for name in frame.columns]
    repeated = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if repeated is not None:
        raise LosawError(
            f"more than one column is named {repeated!r}; give every column a name of its own"
        )
    at = _place("target", target, names)
    dropped = {
        _place("drop", name, names, names[at])
        for name in ([drop] if isinstance(drop, str) or not isinstance(drop, Iterable) else drop)
    }
    at_cluster = None if cluster is None else _place("cluster", cluster, names, names[at])
    if kinds is not None and not isinstance(kinds, Mapping):
        example = f"{{{names[at - 1]!r}: 'nominal'}}"
        raise TypeError(f"kinds must say kinds by name, as {example}, got {kinds!r}")
    asked = asked_kinds(kinds, names)
    if names[at] in asked:
        raise LosawError(f"kinds is for features; {names[at]!r} is the target: use task")
    values, notes = frame.iloc[:, at].reset_index(drop=True), []
    notes += getattr(frame, "attrs", {}).get(READING, ())
    if pd.api.types.infer_dtype(values) == "string":  # blanks at an end make no other class
        values = values.str.strip()
    known = np.flatnonzero(values.notna())
    if len(known) < len(values):
        lacking = len(values) - len(known)
        rows = "1 row is" if lacking == 1 else f"{lacking:,} rows are"
        notes.append(f"{rows} left out, without a value of {names[at]}.")
    if len(known) < FEWEST_ROWS:
        raise LosawError(
            f"{len(known)} rows have a value of {names[at]!r}; importances are estimated on parts "
            f"of the rows, and need at least {FEWEST_ROWS}"
        )
    clusters: Any = None
    if at_cluster is not None:
        clusters = _clusters(names[at_cluster], _read(frame, at_cluster, known), known)
    y, labels = _response(values.iloc[known], names[at], task)
    if not labels and len(np.unique(y)) <= _FEW_VALUES and (y % 1 == 0).all():
        notes.append(
            f"{names[at]} has {len(np.unique(y))} different whole numbers and is explained as a "
            "number. If they are classes, use task classification (--task classification)."
        )
    columns = []
    for place, name in enumerate(names):
        if place == at_cluster:
            why = "not used as a feature: rows of one value stay in one fold"
            columns.append(Column(name, None, "", why, 0, len(np.unique(clusters))))
        elif place != at and place not in dropped:
            columns.append(treat(name, _read(frame, place, known), asked.get(name)))
    used = {column.name: column.values for column in columns if column.values is not None}
    if not used:
        reasons = "; ".join(f"{c.name}: {c.treatment}" for c in columns[:5])
        raise LosawError(f"no feature is left to explain {names[at]!r} by ({reasons})")
    return Prepared(
        pd.DataFrame(used), y, labels, names[at], TASKS[bool(labels)], tuple(columns),
        {column.name: column.kind for column in columns if column.name in used}, tuple(notes),
        clusters,
    )  # fmt: skip


def _read(frame: Any, place: int, known: NDArray[np.intp]) -> Values:
    """The column of a place, without the rows that have no target."""
    try:
        return read_column(frame, place).take(known)
    except (ValueError, TypeError) as error:
        raise LosawError(f"{error}, or leave it out (drop)") from None


def _place(option: str, name: Any, names: list[str], target: str | None = None) -> int:
    place = named_column(name, names)
    if place is None:
        what = "target" if option == "target" else "column"
        text = unknown(what, name, names)
        raise LosawError(text if option == "target" else f"{option}: {text}")
    if names[place] == target:
        raise LosawError(f"{option}: {target!r} is the target")
    return place


def _clusters(name: str, read: Values, known: NDArray[np.intp]) -> Any:
    if (lacking := known[np.isnan(read.codes)]).size:
        raise LosawError(
            f"cluster: {name!r} has no value in row {lacking[0]}; give such a row one of its own"
        )
    try:
        return cluster_numbers(read.codes, len(known))
    except ValueError as error:
        raise LosawError(f"cluster: {name!r}: {error}") from None


def _response(
    values: "pd.Series", target: str, task: str | None
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the numbers of a regression, or the places of the classes with their labels."""
    from pandas.api import types

    if task is not None and task not in TASKS:
        raise LosawError(unknown("task", task, TASKS))
    values = values.infer_objects()
    inferred = types.infer_dtype(values)
    if inferred in ("decimal", "mixed-integer-float"):
        values = values.astype(float)
    dtype = values.dtype
    is_number = types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    if types.is_complex_dtype(dtype):
        raise LosawError(f"the target {target!r} contains complex numbers; explain their parts")
    if inferred.startswith(("date", "time", "period")):
        raise LosawError(f"the target {target!r} contains dates or durations; give it in days, say")
    try:
        n_values = int(values.nunique())
    except TypeError:  # lists, dicts and the like
        raise LosawError(
            f"the target {target!r} contains {values.iloc[0]!r}, which is neither a number nor a "
            "class: give one number or one text in each row"
        ) from None
    if n_values < 2:
        raise LosawError(
            f"the target {target!r} has one value only ({values.tolist()[0]!r}): nothing to explain"
        )
    text = "" if is_number or (n_values == 2 and task is None) else mostly_numbers(values)
    are_text = "written as text" in text
    remedy = "make numbers of the text (astype(float))" if are_text else "write them like 1234.5"
    if "numbers and text" in text and task is None:
        raise LosawError(
            f"the target {target!r} {text}; or, if its values are classes, say task classification "
            "(--task classification)"
        )
    if task == "regression" or (task is None and is_number and n_values > 2):
        if not is_number:
            raise LosawError(
                f"the target {target!r} contains {values.iloc[0]!r}: a regression needs numbers; "
                f"{remedy}"
            )
        return _numbers(values, target), ()
    if n_values > MOST_CLASSES:
        raise LosawError(
            f"the target {target!r} has {n_values} classes, at most {MOST_CLASSES} are explained: "
            "merge them, or "
            + ("say task regression" if is_number else remedy)
            + " if they are numbers"
        )
    counts = values.value_counts()
    counts = counts[counts > 0]  # categories without a row
    if counts.iloc[-1] < FEWEST_ROWS_OF_A_CLASS:
        raise LosawError(
            f"the class {counts.index.tolist()[-1]!r} of {target!r} has {counts.iloc[-1]} rows, at "
            f"least {FEWEST_ROWS_OF_A_CLASS} are needed: leave those rows out, or merge classes"
        )
    numbers = values.to_numpy(dtype=float) if is_number else np.array([np.nan])
    is_whole = (np.abs(numbers) <= LARGEST_WHOLE).all() and (numbers % 1 == 0).all()
    given = np.array((values.astype(int) if is_whole else values.astype(str)).tolist())
    labels, codes = np.unique(given, return_inverse=True)
    return codes, tuple(str(label) for label in labels)


def _numbers(values: "pd.Series", target: str) -> FloatArray:
    numbers = values.to_numpy(dtype=float)
    if not np.isfinite(numbers).all():
        raise LosawError(f"the target {target!r} contains infinite values; leave those rows out")
    with np.errstate(over="ignore"):
        spread = float(np.ptp(numbers))
    if not 1e-75 < spread < 1e75:  # squares of errors, and squares of these, are floats
        raise LosawError(
            f"the target {target!r} is spread over {spread:g}, too far or too little "
            "for squares of errors; give it in another unit"
        )
    return numbers
