"""One column of a person's table: its kind, its values for the models, and what was done to it."""

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.support.errors import LosawError
from losaw.tables.columns import LARGEST_WHOLE, MOST_TEXT_LEVELS, kind_of_numbers
from losaw.tables.reading import Values

if TYPE_CHECKING:
    import pandas as pd

# Levels of a factor; rarer ones are one level together. Trees order levels by the response, and
# take 63 of them at most.
MOST_LEVELS = 60
MISSING_LEVEL, OTHER_LEVEL = "(missing)", "(other)"
# Whole numbers that differ in every row: row numbers and keys, by their steps or their name.
_KEY = re.compile(
    r"(?i:id|key|index|uuid|row|row[ _]?(number|names?|id)|unnamed: 0|.*[_ .-]id)|.*[a-z]I[Dd]"
)
_DATE = re.compile(r"^\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}.*)?$")
_MOSTLY_NUMBERS = 0.9
_CODE = r"[-+]?(0\d.*|\d{16,})"  # a number that would lose digits
MISSING_NUMBERS = (
    "the forest takes them below all values, losawRF at the median, another model as missing"
)
_MICROSECONDS = 86_400e6  # of a day
# A level must have so many rows on average, or the rarest are made one level: forests need them.
_ROWS_PER_LEVEL = 5
# Values that repeat may mark the rows of one person: so many rows for each at least.
_ROWS_OF_ONE = 1.1
# So do fewer values, if their numbers of rows vary less than this part of what chance gives: a
# panel has as many rows of each state.
_FEWEST_IN_A_PANEL, _PART_OF_CHANCE = 20, 0.25


class Column(NamedTuple):
    """One column as the models are given it.

    Attributes
    ----------
    name : str
    values : Series or None
        Floats (NaN where missing) or unordered categories (none missing); None: left out.
    kind : {"continuous", "discrete", "nominal", ""}
    treatment : str
        What was done with it and why, in words; empty where nothing was.
    n_missing, n_values : int
    merged : str
        The levels that are one level, in words; empty where all are kept.
    marks_rows : bool
        Whether its values repeat, as the names of patients or shops with several rows do.
    """

    name: str
    values: "pd.Series | None"
    kind: str
    treatment: str
    n_missing: int
    n_values: int
    merged: str = ""
    marks_rows: bool = False


def treat(name: str, read: Values, asked: str | None = None) -> Column:
    """Return the column as numbers or levels, or the reason why it is left out.

    Decided in this order: what no model can use is left out (whole numbers that floats cannot
    distinguish; no or one value), then come a column that the user says is nominal, numbers,
    ordered levels, durations, dates, and text. A kind that the user names (``asked``) keeps
    identifiers and free text, too.
    """
    import pandas as pd

    missing = np.isnan(read.codes)
    of_value = np.unique(read.codes[~missing], return_counts=True)[1]
    n_values = len(of_value)
    column = Column(name, None, "", "", int(missing.sum()), n_values)
    n_known = len(missing) - column.n_missing
    if read.is_whole and (np.abs(read.codes[~missing]) > LARGEST_WHOLE).any():
        why = (
            "left out: whole numbers beyond 2^53, which floats cannot distinguish; make text of it"
        )
        return column._replace(treatment=why)
    if n_values == 0 or (n_values == 1 and column.n_missing == 0):
        what = "contains no value" if n_values == 0 else "is constant"
        return column._replace(treatment=f"left out: it {what}")
    if read.content == "numbers" and np.isinf(read.codes).any():
        row = int(np.flatnonzero(np.isinf(read.codes))[0])
        raise LosawError(
            f"column {name!r} contains an infinite value (first: row {row} of the rows with a "
            "target); make it missing, or a finite number"
        )
    is_key = _KEY.fullmatch(name.strip()) is not None
    repeats = n_values > MOST_TEXT_LEVELS and _ROWS_OF_ONE * n_values <= n_known
    if read.content == "numbers":
        is_whole = bool((read.codes[~missing] % 1 == 0).all())
        column = column._replace(marks_rows=repeats and is_key and is_whole)
    elif read.content in ("text", "levels", "objects"):
        is_even = of_value.min() > 1 and of_value.var() < _PART_OF_CHANCE * of_value.mean()
        is_panel = n_values > _FEWEST_IN_A_PANEL and bool(is_even)
        column = column._replace(marks_rows=repeats or is_panel)
    if asked == "nominal":
        return _levels(column, read)
    if read.content == "numbers":
        return _numbers(column, read.codes, asked)
    if read.content == "ordered levels":
        kind = asked or "discrete"
        words = "ordered levels, by their rank"
        return column._replace(values=pd.Series(read.codes, name=name), kind=kind, treatment=words)
    levels = read.levels or ()
    if read.content == "durations":
        days = np.asarray(pd.to_timedelta(list(levels)) / pd.Timedelta(days=1), dtype=float)
        found = pd.Series(_placed(days, read.codes), name=name)
        return column._replace(values=found, kind=asked or "continuous", treatment="in days")
    texts = [str(level).strip() for level in levels]
    known = [text for text in texts if text]
    if read.content == "dates" or (known and all(map(_DATE.match, known))):
        written = (
            levels if read.content == "dates" else [t.replace("/", "-") or None for t in texts]
        )
        if (of_levels := _days(written)) is not None:
            return _dates(column._replace(kind=asked or "continuous"), read.codes, of_levels)
    if asked is not None:
        numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(float)
        if not np.isnan(numbers).any():  # codes with leading zeros, say
            return _numbers(column, _placed(numbers, read.codes), asked)
        first = levels[int(read.codes[~missing][0])]
        raise LosawError(
            f"kinds says that column {name!r} is {asked}, but it contains levels (first: "
            f"{str(first)!r}); give it as numbers, or as 'nominal'"
        )
    note = mostly_numbers(texts[int(code)] for code in read.codes[~missing])
    if n_values > MOST_TEXT_LEVELS and 2 * n_values > n_known:
        words = f"left out: free text or an identifier ({n_values} values in {n_known} rows)"
        return column._replace(treatment="; ".join(filter(None, [note, words])))
    return _levels(column, read, note)


def mostly_numbers(texts: Any) -> str:
    """Return words on text of numbers, maybe with a few other words; empty for other text."""
    import pandas as pd

    given = pd.Series(list(texts), dtype=object).astype(str)
    odd = given[pd.to_numeric(given, errors="coerce").isna() & (given.str.strip() != "")]
    if not len(odd) < (1 - _MOSTLY_NUMBERS) * len(given):
        return ""
    if not len(odd):
        if given.str.fullmatch(_CODE).any():
            return ""
        return "contains numbers that are written as text: make numbers of them, or say its kind"
    shown = ", ".join(repr(text) for text in odd.unique()[:3])
    return f"contains numbers and text ({shown}): taken as text; leave such cells empty"


def _numbers(column: Column, codes: FloatArray, asked: str | None) -> Column:
    import pandas as pd

    if asked is None and (why := _is_identifier(column.name, codes)):
        return column._replace(treatment=f"left out: {why}")
    kind = asked or kind_of_numbers(codes)
    words = f"{column.n_missing} missing: {MISSING_NUMBERS}" if column.n_missing else ""
    return column._replace(values=pd.Series(codes, name=column.name), kind=kind, treatment=words)


def _is_identifier(name: str, codes: FloatArray) -> str:
    """Return why whole numbers look like an identifier; an empty string if they do not."""
    known = codes[~np.isnan(codes)]
    n_values = len(np.unique(known))
    if (known % 1 != 0).any() or n_values <= MOST_TEXT_LEVELS:
        return ""
    if n_values == len(codes) and known.max() - known.min() + 1 == n_values:
        return "it numbers the rows"
    if _KEY.fullmatch(name.strip()) and len(codes) < _ROWS_OF_ONE * n_values:
        return f"an identifier, with {n_values:,} numbers in {len(codes):,} rows"
    return ""


def _dates(column: Column, codes: FloatArray, days: FloatArray) -> Column:
    """Return a column of dates as days since the first; ``days`` since 1970 of every level."""
    import pandas as pd

    since_1970 = _placed(days, codes)
    first = float(np.nanmin(since_1970))
    n_missing = int(np.isnan(since_1970).sum())
    start = str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(first)), "D"))
    words = f"dates, as days since {start}" + (f"; {n_missing} missing" if n_missing else "")
    found = pd.Series(since_1970 - first, name=column.name)
    return column._replace(values=found, treatment=words, n_missing=n_missing, marks_rows=False)


def _days(levels: Any) -> FloatArray | None:
    """Return days since 1970 of dates or ISO text, NaN for None; None if any is not a date."""
    import pandas as pd

    if any(isinstance(level, pd.Period) for level in levels):
        levels = [level.start_time for level in levels]
    try:
        dates = pd.to_datetime(pd.Series(list(levels), dtype=object), utc=True, format="ISO8601")
    except (ValueError, TypeError, OverflowError):
        return None
    moments = dates.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / _MICROSECONDS)


def _placed(values: FloatArray, codes: FloatArray) -> FloatArray:
    """Return the value of every row's level, NaN where it is missing."""
    missing = np.isnan(codes)
    found = np.full(len(codes), np.nan)
    found[~missing] = values[codes[~missing].astype(np.intp)]
    return found


def _levels(column: Column, read: Values, note: str = "") -> Column:
    """Return unordered levels: the rarest are merged, and missing values are a level."""
    import pandas as pd

    coded = read.as_levels()
    is_whole = read.levels is None and bool((read.codes[~np.isnan(read.codes)] % 1 == 0).all())
    levels = [str(int(v)) if is_whole else str(v).strip() for v in coded.levels or ()]
    known = [None if np.isnan(code) else levels[int(code)] for code in coded.codes]
    tally = Counter(text for text in known if text is not None)
    most = min(MOST_LEVELS, max(2, len(known) // _ROWS_PER_LEVEL))
    by_count = sorted(tally, key=lambda text: (-tally[text], text))
    kept = set(by_count[: most - 1] if len(by_count) > most else by_count)
    merged, done = "", [note] if note else []
    if rare := set(by_count) - kept:
        share = 100 * sum(tally[text] for text in rare) / len(known)
        merged = (
            f"{len(rare)} of {len(tally)} levels, the rarest, are one level {OTHER_LEVEL} with "
            f"{share:.0f} % of the rows"
        )
        done.append(merged)
    if column.n_missing:
        done.append(f"{column.n_missing} missing, a level of their own")
    values = [
        MISSING_LEVEL if text is None else text if text in kept else OTHER_LEVEL for text in known
    ]
    added = ({OTHER_LEVEL} if rare else set()) | ({MISSING_LEVEL} if column.n_missing else set())
    categories = [*sorted(kept - added), *sorted(added, reverse=True)]
    category = pd.Series(pd.Categorical(values, categories=categories), name=column.name)
    return column._replace(
        values=category, kind="nominal", treatment="; ".join(done), merged=merged
    )
