"""A table as the models are given it, with all decisions on its rows and columns."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.columns import (
    Column,
    at_start,
    mostly_numbers,
    numbers_in,
    text_of,
    treat,
    without_key,
)
from losaw.explaining.table_file import READING, as_list
from losaw.explaining.written import as_number, days_of, numbers_of
from losaw.scoring.rows import cluster_numbers
from losaw.support.arguments import check_finite, check_unique, one_of
from losaw.support.errors import LosawError
from losaw.support.words import counted, unknown
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
# What a terminal may obey; tabs and new lines are harmless.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Equal rows are copies if so few rows share one of their values, and so few would by chance.
_FEW_SHARE, _BY_CHANCE = 0.05, 0.01


@dataclass(frozen=True)
class Prepared:
    """Features and responses of the rows that have a response."""

    X: "pd.DataFrame"  # floats (NaN where missing) and unordered categories
    y: NDArray[Any]  # (n_rows,), numbers, or the places of the classes among ``labels``
    labels: tuple[str, ...]  # the classes; empty for a regression
    target: str
    task: str
    columns: tuple[Column, ...]  # all columns but the target, those left out too
    kinds: dict[str, str]  # feature -> kind, of the features in use
    notes: tuple[str, ...]  # decisions on rows and the target
    # (n_rows,): rows with the same number belong together: those of a cluster, and copies of a row.
    clusters: NDArray[np.intp] | None = None
    is_clustered: bool = False  # whether the user names a column of clusters

    @property
    def unit(self) -> str:
        """What stays in one fold, in words for :func:`losaw.support.words.counted`."""
        copied = "[row|different rows], whose copies stay in one fold,"
        return "[cluster|clusters]" if self.is_clustered else copied


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
    if isinstance(target, list) or (hasattr(target, "__array__") and np.ndim(target)):
        raise TypeError("target must be the name of a column of the table: add its values as one")
    names = [str(name) for name in frame.columns]
    check_unique(names, "the table")
    at = _place("target", target, names)
    dropped = {_place("drop", name, names, names[at]) for name in as_list(drop)}
    odd = [n for j, n in enumerate(names) if _CONTROL.search(n) and j not in dropped]
    if odd:
        raise LosawError(f"the name {odd[0]!r} has control characters: give it another name")
    at_cluster = None if cluster is None else _place("cluster", cluster, names, names[at])
    if kinds is not None and not isinstance(kinds, Mapping):
        example = f"{{{names[at - 1]!r}: 'nominal'}}"
        raise TypeError(f"kinds must say kinds by name, as {example}, got {kinds!r}")
    asked = asked_kinds(kinds, names)
    if names[at] in asked:
        raise LosawError(f"kinds is for features; {names[at]!r} is the target: use task")
    read, notes = read_column(frame, at), [*frame.attrs.get(READING, ())]
    known = np.flatnonzero(~np.isnan(read.codes))
    if lacking := len(frame) - len(known):
        rows = "1 row is" if lacking == 1 else f"{lacking:,} rows are"
        notes.append(f"{rows} left out, without a value of {names[at]}.")
    if len(known) < FEWEST_ROWS:
        raise LosawError(
            f"{counted(len(known), '[row has|rows have]')} a value of {names[at]!r}; importances "
            f"are estimated on parts of the rows, and need at least {FEWEST_ROWS}"
        )
    clusters: Any = None
    frame = frame.iloc[known]  # what other rows contain decides nothing
    if at_cluster is not None:
        of_cluster = read_column(frame, at_cluster)
        codes = of_cluster.codes
        if lacking := int(np.isnan(codes).sum()):
            raise LosawError(
                f"cluster: {names[at_cluster]!r} has no value in {lacking:,} of {len(known):,} "
                "rows; give each of them a value of its own, or leave them out"
            )
        try:
            clusters = cluster_numbers(codes, len(known))
        except ValueError as error:
            raise LosawError(f"cluster: {names[at_cluster]!r}: {error}") from None
    given, codes = frame.iloc[:, at], read.codes[known]
    are_classes = task == "classification" or given.nunique() == 2
    # As floats they may be other numbers, or one.
    is_beyond = read.is_whole and bool((np.abs(codes) > LARGEST_WHOLE).any())
    if is_beyond and are_classes and list(map(int, given)) != list(map(int, codes)):
        raise LosawError(
            f"the target {names[at]!r} contains whole numbers beyond 2^53, which floats cannot "
            "distinguish; make text of them"
        )
    y, labels = _response(read.take(known), names[at], task)
    if task is None and not labels and len(np.unique(y)) <= _FEW_VALUES and (y % 1 == 0).all():
        notes.append(
            f"{names[at]} has {len(np.unique(y))} different whole numbers and is explained as a "
            "number. If they are classes, use task classification (--task classification)."
        )
    columns, numbers = [], {}
    for place, name in enumerate(names):
        if place == at_cluster:
            why = "not used as a feature: rows of one value stay in one fold"
            columns.append(Column(name, None, "", why, 0, len(np.unique(clusters))))
            numbers[name] = numbers_in(of_cluster)
        elif place != at and place not in dropped:
            values = read_column(frame, place)
            columns.append(treat(name, values, asked.get(name)))
            numbers[name] = numbers_in(values)
    keys = [column.name for column in columns if column.values is None]
    columns = [c if c.name in asked else without_key(c, numbers, keys) for c in columns]
    used = {column.name: column.values for column in columns if column.values is not None}
    if not used:
        reasons = "; ".join(f"{c.name}: {c.treatment}" for c in columns[:5])
        reasons = reasons or "the table has no other column that is not dropped: add one"
        raise LosawError(f"no feature is left to explain {names[at]!r} by ({reasons})")
    X = pd.DataFrame(used)
    equal, n_copies, n_others = copies(X, y)
    if n_copies:
        notes.append(
            f"{n_copies:,} of {len(y):,} rows "
            + ("is a copy of another" if n_copies == 1 else "are copies of others")
            + ", with the same value in every column in use. Copies stay in one fold; if they were "
            "made by mistake, remove them."
        )
    if n_others:
        notes.append(
            f"{n_others:,} of {len(y):,} rows are equal to others in every column in use, more "
            "than if the columns had nothing to do with each other. Columns that go together may "
            "make such rows, which are not kept in one fold; if they are copies, remove them."
        )
    return Prepared(
        X, y, labels, names[at], TASKS[bool(labels)], tuple(columns),
        {column.name: column.kind for column in columns if column.name in used}, tuple(notes),
        _joined(clusters, equal) if n_copies else clusters, clusters is not None,
    )  # fmt: skip


def copies(X: "pd.DataFrame", y: NDArray[Any]) -> tuple[NDArray[np.intp], int, int]:
    """Number the rows so that copies share a number; count them, and other rows that are equal.

    Others are counted only where they are more than independent columns would give.
    """
    table = X.set_axis(range(X.shape[1]), axis=1).assign(y=y)
    codes = np.array([table[j].factorize(use_na_sentinel=False)[0] for j in table])
    random = np.random.default_rng(0).integers(2**63, size=(len(codes), len(y)), dtype=np.uint64)
    keys = np.take_along_axis(random, codes, axis=1)  # the sum over a row tells rows apart
    equal, size = _numbered(keys.sum(axis=0))
    counts = np.array([_numbered(of_column)[1] for of_column in codes])
    chance = len(y) * ((counts - size) / len(y)).prod(axis=0)  # by the rows that are not equal
    are_floats = np.array([dtype.kind == "f" for dtype in table.dtypes])
    are_many = are_floats & (codes.max(axis=1) >= _FEW_VALUES)
    # Values of two numbers that no other row has are rare, however often rows are copied. Equal
    # rows of one kind only may be those of zeros.
    is_own = (counts == size) & are_many[:, None]
    is_own &= (is_own.sum(axis=0) > 1) & (size > 1)
    is_own &= len(np.unique(equal[is_own.any(axis=0)])) > 1
    is_rare = (counts <= _FEW_SHARE * len(y)) | is_own
    proven = is_rare.any(axis=0) & (chance <= _BY_CHANCE)
    # Rounded columns that go together make equal rows, too: then fewer of the rows that share a
    # rare value are equal, and more differ in that column alone.
    same, shared = (np.where(is_rare, of - 1, 0).sum(axis=1) for of in (size, counts))
    if same.any() and not (2 * same[shared > 0] >= shared[shared > 0]).any():
        without = [_numbered(keys.sum(axis=0) - key)[1] - size for key in keys]
        proven &= bool((np.where(is_rare, without, 0).sum(axis=1) < same)[shared > 0].all())
    least = -np.expm1(-len(y) * (counts / len(y)).prod(axis=0)).sum()
    is_more = (size > 1).sum() > least + 3 * np.sqrt(least)
    again = np.ones(len(y), dtype=bool)
    again[np.unique(equal, return_index=True)[1]] = False
    others = int((again & ~proven).sum()) * bool(is_more)
    numbers = np.where(proven, equal, equal.max() + 1 + np.arange(len(y)))
    return np.unique(numbers, return_inverse=True)[1], int((again & proven).sum()), others


def _numbered(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the different values; return each one's number, and how often it occurs."""
    _, numbers, counts = np.unique(values, return_inverse=True, return_counts=True)
    return numbers, counts[numbers]


def _joined(clusters: Any, copied: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the rows so that rows which belong together in either numbering share a number."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if clusters is None:
        return copied
    row = np.arange(len(copied))
    first = [np.unique(n, return_index=True)[1][np.unique(n, return_inverse=True)[1]]
             for n in (clusters, copied)]  # fmt: skip
    links = coo_array((np.ones(2 * len(row)), (np.tile(row, 2), np.concatenate(first))))
    return np.asarray(connected_components(links)[1], dtype=np.intp)


def _place(option: str, name: Any, names: list[str], target: str | None = None) -> int:
    place = named_column(name, names)
    if place is None:
        raise LosawError(f"{option}: {unknown('column', name, names)}")
    if names[place] == target:
        raise LosawError(f"{option}: {target!r} is the target")
    return place


def _response(read: Values, target: str, task: str | None) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the numbers of a regression, or the places of the classes with their labels."""
    if task is not None:
        one_of("task", task, TASKS)
    texts = [text_of(at_start(level)) for level in read.levels or ()]
    counts = np.bincount(read.codes.astype(int), minlength=len(texts)) if texts else ()
    try:
        is_date = task != "classification" and days_of(target, texts, counts) is not None
    except LosawError:  # a date of two readings; what a feature could do about it a target cannot
        is_date = True
    has_moments = read.content in ("dates", "durations")
    if has_moments or is_date:
        or_classes = (
            "; or, if its values are classes, say task classification (--task classification)"
        )
        raise LosawError(
            f"the target {target!r} contains dates or durations; give it in days, say"
            + or_classes * (not has_moments)
        )
    is_number, values = read.content == "numbers", read.codes
    may_be = read.content != "levels" and task != "classification"
    if may_be and (written := numbers_of(target, texts, is_target=True)):
        is_number, values = True, written.values[read.codes.astype(int)]
    elif not is_number:
        values = np.array(texts, dtype=object)[read.codes.astype(int)]
    classes, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    labels = tuple(map(text_of, classes.tolist()))
    if len(labels) < 2:
        raise LosawError(
            f"the target {target!r} has one value only ({labels[0]!r}): nothing to explain"
        )
    text = "" if is_number or (len(labels) == 2 and task is None) else mostly_numbers(values)
    is_category = "levels" in read.content  # its numbers in two spellings are classes
    refused = "numbers and text" if is_category else "taken as text"
    if task is None and refused in text:
        raise LosawError(
            f"the target {target!r} {text}; or, if its values are classes, say task classification "
            "(--task classification)"
        )
    if task == "regression" or (task is None and is_number and len(labels) > 2):
        if not is_number:
            odd = next((text for text in labels if as_number(text) is None), labels[0])
            raise LosawError(
                f"the target {target!r} contains {odd!r}: a regression needs numbers; "
                "make numbers of the text, like 1234.5 (astype(float))"
            )
        return _numbers(values, target), ()
    if len(labels) > MOST_CLASSES:
        raise LosawError(
            f"the target {target!r} has {len(labels)} classes, at most {MOST_CLASSES} are "
            "explained: merge them, or make numbers of the text (or say task regression) if they "
            "are numbers"
        )
    rarest = int(counts.argmin())
    if counts[rarest] < FEWEST_ROWS_OF_A_CLASS:
        n_rarest = counted(int(counts[rarest]), "[row|rows]")
        remedy = "leave those rows out, or merge classes" if len(labels) > 2 else "add rows of it"
        raise LosawError(
            f"the class {labels[rarest]!r} of {target!r} has {n_rarest}, at least "
            f"{FEWEST_ROWS_OF_A_CLASS} are needed: {remedy}"
        )
    return places, labels


def _numbers(numbers: FloatArray, target: str) -> FloatArray:
    remedy = "leave those rows out, or give it in another unit"
    check_finite(f"the target {target!r}", numbers, remedy=remedy)
    spread = float(np.ptp(numbers))
    if not 1e-75 < spread < 1e75:  # squares of errors, and squares of these, are floats
        raise LosawError(
            f"the target {target!r} is spread over {spread:g}, too far or too little "
            "for squares of errors; give it in another unit"
        )
    return numbers
