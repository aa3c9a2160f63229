"""A table as the models are given it, with all decisions on its rows and columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.table_file import READING
from losaw.explaining.treated_columns import TreatedColumn, like_numbers, treat
from losaw.scoring.rows import cluster_numbers
from losaw.support.errors import LosawError
from losaw.support.words import unknown
from losaw.tables.columns import KINDS, LARGEST_WHOLE, MOST_TEXT_LEVELS
from losaw.tables.reading import is_frame, read_column

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("regression", "classification")
FEWEST_ROWS = 50
# Every fold is to hold rows of every class.
FEWEST_ROWS_OF_A_CLASS = 10
MOST_CLASSES = 50
# A target of at most so many whole numbers may well be classes.
_FEW_VALUES = 10
_COPY, _COPY_OF_RANKS = 1.0 - 1e-9, 0.999
# Squares of errors, and squares of these, are floats.
_SMALLEST_VARIANCE, _LARGEST_VARIANCE = 1e-150, 1e150


@dataclass(frozen=True)
class Prepared:
    """Features and responses of the rows that have a response.

    Attributes
    ----------
    X : DataFrame
        Floats (NaN where missing) and unordered categories.
    y : array of shape (n_rows,)
        Numbers or labels.
    target, task : str
    columns : tuple of TreatedColumn
        All columns but the target, those left out too.
    notes : tuple of str
        Decisions on the rows and the target.
    clusters : int array of shape (n_rows,) or None
        Rows with the same number belong together.
    weights : array of shape (n_rows,) or None
        Of the rows, with mean 1; None where they are equal in the whole table.
    """

    X: "pd.DataFrame"
    y: NDArray[Any]
    target: str
    task: Literal["regression", "classification"]
    columns: tuple[TreatedColumn, ...]
    notes: tuple[str, ...]
    clusters: NDArray[np.intp] | None = None
    weights: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_units(self) -> int:
        """The number of clusters, or of rows without clusters."""
        return len(self) if self.clusters is None else len(np.unique(self.clusters))

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of the features in use, by name."""
        return {column.name: column.kind for column in self.columns if column.values is not None}

    def take(self, rows: NDArray[np.intp], keep_constant: bool = False) -> "Prepared":
        """Return these data for some rows, without levels and columns that do not vary there."""
        X = self.X.iloc[rows].reset_index(drop=True)
        for name in X.columns[X.dtypes == "category"]:
            X[name] = X[name].cat.remove_unused_categories()
        constant = [n for n in X.columns if X[n].nunique(dropna=False) < 2 and not keep_constant]
        columns = tuple(
            c._replace(values=None, kind="", treatment="left out: constant in the rows in use")
            if c.name in constant
            else c
            for c in self.columns
        )
        clusters = None if self.clusters is None else self.clusters[rows]
        X = X.drop(columns=constant)
        y, weights = self.y[rows], self.weights_of(rows)
        weights = None if weights is None else weights / weights.mean()
        return replace(self, X=X, y=y, columns=columns, clusters=clusters, weights=weights)

    def weights_of(self, rows: NDArray[np.intp]) -> FloatArray | None:
        """Return the weights of some rows as they are in all rows; None for None."""
        return None if self.weights is None else self.weights[rows]


def prepare(
    frame: Any,
    target: str,
    *,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    cluster: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
) -> Prepared:
    """Kinds, task and the treatment of every column; see ``docs/explain.md`` for the rules.

    Raises
    ------
    LosawError
        If the target is absent, has one class only or too few rows of one, if no feature or fewer
        than 50 rows are left, if names repeat, or ``kinds``, ``task``, ``cluster``, ``weights`` or
        ``drop`` does not fit.
    """
    import pandas as pd

    if type(frame).__module__.partition(".")[0] == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    if not is_frame(frame):
        raise LosawError(
            f"a pandas or polars frame with named columns, or the path of a file, is needed, "
            f"got {type(frame).__name__}"
        )
    names = [str(name) for name in frame.columns]
    dropped = [drop] if isinstance(drop, str) else list(drop)
    for name in dropped:
        if name not in names:
            raise LosawError(f"drop: {unknown('column', name, names)}")
        if name == target:
            raise LosawError(f"drop: {name!r} is the target")
    if dropped:
        frame = frame[[key for key in frame.columns if str(key) not in dropped]]
        names = [name for name in names if name not in dropped]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise LosawError(
            f"more than one column is named {repeated[0]!r}; give every column a name of its own"
        )
    if target not in names:
        raise LosawError(unknown("target", target, names))
    asked = _checked_kinds(kinds, names, target)
    features = [name for name in names if name != target]
    for option, asked_for in (("cluster", cluster), ("weights", weights)):
        if asked_for == target:
            raise LosawError(f"{option}: {target!r} is the target")
        if asked_for is not None and asked_for not in features:
            raise LosawError(f"{option}: {unknown('column', asked_for, features)}")
    if weights is not None and weights == cluster:
        raise LosawError(f"weights: {weights!r} is the cluster")
    place = names.index(target)
    responses = _series(frame, place)
    if pd.api.types.infer_dtype(responses) == "string":  # blanks at an end make no other class
        responses = responses.str.strip()
    known = np.flatnonzero(responses.notna())
    notes = list(getattr(frame, "attrs", {}).get(READING, ()))
    if len(known) < len(responses):
        left_out = len(responses) - len(known)
        notes.append(f"{_rows(left_out, f'without a value of {target}')} left out.")
    if len(known) < FEWEST_ROWS:
        raise LosawError(
            f"{len(known)} rows have a value of {target!r}; importances are estimated on parts of "
            f"the rows, and need at least {FEWEST_ROWS}"
        )
    weight_of = None
    if weights is not None:
        given = _series(frame, names.index(weights)).iloc[known]
        known, weight_of, said = _weighed(given, weights)
        notes += said
    y, solved = _response(responses.iloc[known], target, task)
    if solved == "regression" and len(np.unique(y)) <= _FEW_VALUES and (y % 1 == 0).all():
        notes.append(
            f"{target} has {len(np.unique(y))} different whole numbers and is explained as a "
            "number. If they are classes, use task classification (--task classification)."
        )
    if task is None and y.dtype.kind == "U" and len(np.unique(y)) > 2 and like_numbers(y):
        notes.append(
            f"{target} {like_numbers(y)}, and is explained as classes. If it is a quantity, give "
            "it as numbers."
        )
    clusters, columns, incomplete = None, [], np.zeros(len(known), dtype=bool)
    for at, name in enumerate(names):
        if at == place:
            continue
        try:
            whole = read_column(frame, at)
            read = whole.take(known)
        except (ValueError, TypeError) as error:
            raise LosawError(f"{error}, or leave it out (drop)") from None
        if name == cluster:
            if (unknown_rows := known[np.isnan(read.codes)]).size:
                raise LosawError(
                    f"cluster: {name!r} has no value in row {unknown_rows[0]}; give such a row one "
                    "of its own"
                )
            clusters = cluster_numbers(read.codes, len(known))
            why = "no feature: rows of one value stay in one fold"
        elif name == weights:
            why = "no feature: the weights of the rows"
        if name in (cluster, weights):
            columns.append(TreatedColumn(name, None, "", why, 0, len(np.unique(read.codes))))
            continue
        column = treat(name, read, asked.get(name), whole, known)
        column = _without_copies(column, y, target, solved)
        if column.values is not None:
            incomplete |= np.isnan(read.codes)
        columns.append(column)
    if incomplete.all():
        notes.append("Every row has a missing value somewhere; all rows are used (see Columns).")
    used = {column.name: column.values for column in columns if column.values is not None}
    if not used:
        reasons = "; ".join(f"{c.name}: {c.treatment}" for c in columns[:5])
        raise LosawError(f"no feature is left to explain {target!r} by ({reasons})")
    X = pd.DataFrame(used)
    return Prepared(
        X, y, target, cast(Any, solved), tuple(columns), tuple(notes), clusters, weight_of
    )


def _rows(n: int, which: str) -> str:
    return f"1 row {which} is" if n == 1 else f"{n} rows {which} are"


def _series(frame: Any, place: int) -> "pd.Series":
    import pandas as pd

    given = frame.iloc[:, place] if hasattr(frame, "iloc") else frame.to_series(place).to_list()
    return pd.Series(given).reset_index(drop=True)


def _weighed(
    values: "pd.Series", name: str
) -> tuple[NDArray[np.intp], FloatArray | None, list[str]]:
    """Return the rows with a weight above 0, their weights (None if equal), and notes.

    The index of ``values`` are the numbers of the rows.
    """
    import pandas as pd

    weights = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=float)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise LosawError(
            f"weights: {name!r} holds {values.tolist()[bad[0]]!r} in row {values.index[bad[0]]} "
            f"({len(bad)} such rows); a weight is a number from 0 on"
        )
    known, weights = values.index.to_numpy()[weights > 0], weights[weights > 0]
    if len(known) < FEWEST_ROWS:
        raise LosawError(
            f"weights: {len(known)} rows have a weight {name!r} above 0, and {FEWEST_ROWS} are "
            "needed"
        )
    zero = len(values) - len(known)
    notes = [f"{_rows(zero, 'with a weight of 0')} left out."] if zero else []
    weights = weights / weights.max()
    if weights.min() == 1.0:
        return known, None, [*notes, f"All weights {name} are equal, so that they change nothing."]
    alike = weights.sum() ** 2 / (weights**2).sum()
    notes.append(
        f"Rows are weighted by {name}, a sampling weight (what each row stands for) and no count: "
        f"a row is one observation, whatever its weight. These {len(known):,} rows tell about as "
        f"much as {alike:,.0f} of equal weight."
    )
    return known, weights / weights.mean(), notes


def sample_rows(
    data: Prepared,
    n_rows: int,
    rng: np.random.Generator,
    of_each_class: int = FEWEST_ROWS_OF_A_CLASS,
) -> NDArray[np.intp]:
    """Draw ``n_rows`` rows, with so many of every class at least; all rows if there are no more.

    The shares of the classes are those of the data, but for classes too rare for that.
    """
    if n_rows >= len(data):
        return np.arange(len(data))
    order = rng.permutation(len(data))
    if data.task == "classification":
        of_class = [order[data.y[order] == label] for label in np.unique(data.y)]
        first = np.concatenate([rows[:of_each_class] for rows in of_class])
        order = np.concatenate([first, order[~np.isin(order, first)]])
        n_rows = max(n_rows, len(first))
    return np.sort(order[:n_rows])


def _checked_kinds(
    kinds: Mapping[str, str] | None, names: list[str], target: str
) -> Mapping[str, str]:
    for name, kind in (kinds or {}).items():
        if name == target:
            raise LosawError(f"kinds is for features; {name!r} is the target: use task")
        if name not in names:
            raise LosawError(f"kinds: {unknown('column', name, names)}")
        if kind not in KINDS:
            raise LosawError(f"kinds[{name!r}]: {unknown('kind', kind, KINDS)}")
    return kinds or {}


def _response(
    values: "pd.Series", target: str, task: str | None
) -> tuple[NDArray[Any], Literal["regression", "classification"]]:
    """Return the target and its task: classes if it has two values or is not a number."""
    from pandas.api import types

    if task is not None and task not in TASKS:
        raise LosawError(unknown("task", task, TASKS))
    values = values.infer_objects()
    if types.infer_dtype(values) in ("decimal", "mixed-integer-float"):
        values = values.astype(float)
    dtype = values.dtype
    is_number = types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    try:
        n_values = int(values.nunique())
    except TypeError:  # lists, dicts and the like
        raise LosawError(
            f"the target {target!r} holds {values.iloc[0]!r}, which is neither a number nor a "
            "class: give one number or one text in each row"
        ) from None
    if n_values < 2:
        raise LosawError(
            f"the target {target!r} has one value only ({values.tolist()[0]!r}): nothing to explain"
        )
    found = like_numbers(values) if types.is_string_dtype(dtype) and n_values > 2 else ""
    if task is None and ", but" in found:
        raise LosawError(
            f"the target {target!r} {found}: write it like 1234.5 or leave it empty, or, if its "
            "values are classes, say task classification (--task classification)"
        )
    if task == "regression" or (task is None and is_number and n_values > 2):
        if not is_number:
            why = found or f"holds {values.iloc[0]!r}"
            raise LosawError(
                f"the target {target!r} {why}: a regression needs numbers, written like 1234.5"
            )
        numbers = values.to_numpy(dtype=float)
        if not np.isfinite(numbers).all():
            raise LosawError(f"the target {target!r} holds infinite values; leave those rows out")
        with np.errstate(over="ignore", under="ignore"):
            variance = float(np.var(numbers))
        if not _SMALLEST_VARIANCE < variance < _LARGEST_VARIANCE:
            raise LosawError(
                f"the target {target!r} has a variance of {variance:g}, which squared errors "
                "cannot be compared with; give it in another unit"
            )
        return numbers, "regression"
    if n_values > MOST_CLASSES:
        raise LosawError(
            f"the target {target!r} has {n_values} classes, at most {MOST_CLASSES} are explained: "
            "merge them, or "
            + ("say task regression" if is_number else "write them like 1234.5")
            + " if they are numbers"
        )
    counts = values.value_counts()
    counts = counts[counts > 0]  # categories that no row has are no classes
    if counts.iloc[-1] < FEWEST_ROWS_OF_A_CLASS:
        raise LosawError(
            f"the class {counts.index.tolist()[-1]!r} of {target!r} has {counts.iloc[-1]} rows, at "
            f"least {FEWEST_ROWS_OF_A_CLASS} are needed: leave those rows out, or merge classes"
        )
    # Fractions are names of classes, as text is: scikit-learn takes them for a regression.
    numbers = values.to_numpy(dtype=float) if is_number else np.array([np.nan])
    is_whole = (np.abs(numbers) <= LARGEST_WHOLE).all() and (numbers % 1 == 0).all()
    labels = values.astype(int) if is_whole else values.astype(str)
    return np.array(labels.tolist()), "classification"


def _without_copies(
    column: TreatedColumn, y: NDArray[Any], target: str, task: str
) -> TreatedColumn:
    """Leave a column out that determines the target and is determined by it."""
    import pandas as pd

    values = column.values
    if values is None or not _is_copy(values, pd.Series(y), task):
        return column
    why = f"left out: a copy of the target ({target}), either determines the other"
    return column._replace(values=None, kind="", treatment=why)


def _is_copy(values: "pd.Series", y: "pd.Series", task: str) -> bool:
    """Return True if each determines the other: a straight line of numbers, pairs of levels."""
    import pandas as pd

    if values.isna().any():
        return False
    if task == "regression":
        if values.dtype == "category":
            return False
        # Ranks too: one row of -9999999 in both columns makes a line of any two.
        return abs(values.corr(y)) > _COPY and abs(values.rank().corr(y.rank())) > _COPY_OF_RANKS
    if values.nunique() != y.nunique() or values.nunique() > MOST_TEXT_LEVELS:
        return False
    both = pd.DataFrame({"x": values.astype(object), "y": y})
    return len(both.drop_duplicates()) == y.nunique()
