"""One column of a person's table: its kind, its values for the models, and what was done to it."""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.written import CODE, ISO, ReadTexts, amounts_among, days_of, numbers_of
from losaw.support.arguments import check_finite, check_unit
from losaw.support.words import counted, percent
from losaw.tables.columns import LARGEST_WHOLE, MOST_TEXT_LEVELS, kind_of_levels, kind_of_numbers
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
_BEYOND = "left out: whole numbers beyond 2^53, which floats cannot distinguish"
_MOSTLY_NUMBERS, _ROUNDING = 0.9, 1e-9
MISSING_NUMBERS = (
    "the forest takes them below all values, losawRF at the median, another model as missing"
)
# A level must have so many rows on average, or the rarest are made one level: forests need them.
_ROWS_PER_LEVEL = 5
# Values that repeat may mark the rows of one person: so many rows for each at least, and at least
# this share of the values in several rows.
_ROWS_OF_ONE, _MANY_REPEAT = 1.1, 0.1
# So do fewer values, if their numbers of rows vary less than this part of what chance gives: a
# panel has as many rows of each state.
_FEWEST_IN_A_PANEL, _PART_OF_CHANCE = 20, 0.25


class Column(NamedTuple):
    """One column as the models are given it."""

    name: str
    # Floats (NaN where missing) or unordered categories (none missing); None: left out.
    values: "pd.Series | None"
    kind: str  # continuous, discrete, nominal; empty where it is left out
    treatment: str  # what was done with it and why, in words; empty where nothing was
    n_missing: int
    n_values: int
    merged: str = ""  # the levels that are one level, in words; empty where all are kept
    # Whether its values repeat, as the names of patients or shops with several rows do.
    marks_rows: bool = False
    levels: tuple[str, ...] = ()  # of ordered levels, whose values are the places of these


def treat(name: str, read: Values, asked: str | None = None) -> Column:
    """Return the column as numbers or levels, or the reason why it is left out.

    Decided in this order: what no model can use is left out (whole numbers that floats cannot
    distinguish; no or one value), then come a column that the user says is nominal, numbers,
    ordered levels, durations, dates, and text. A kind that the user names (``asked``) keeps
    identifiers and free text, too.
    """
    import pandas as pd

    missing = np.isnan(read.codes)
    known: NDArray[Any] = read.codes[~missing]
    if read.content in ("text", "levels", "objects"):  # blanks around it do not count
        same = np.unique([*map(text_of, read.levels or ()), ""], return_inverse=True)[1]
        known = same[known.astype(np.intp)]
    of_value = np.unique(known, return_counts=True)[1]
    n_values = len(of_value)
    column = Column(name, None, "", "", int(missing.sum()), n_values)
    n_known = len(missing) - column.n_missing
    if read.is_whole and (np.abs(read.codes[~missing]) > LARGEST_WHOLE).any():
        return column._replace(treatment=f"{_BEYOND}; make text of it")
    if n_values == 0 or (n_values == 1 and column.n_missing == 0):
        return column._replace(treatment=f"left out: {'constant' if n_values else 'no value'}")
    if read.content == "numbers":
        remedy = "make it missing, or a finite number"
        check_finite(f"column {name!r}", read.codes, allow_missing=True, remedy=remedy)
        check_unit(f"column {name!r}", read.codes)
    # The most frequent value may stand for an unknown one.
    n_others = n_known - int(of_value.max())
    repeats = n_values > MOST_TEXT_LEVELS and _ROWS_OF_ONE * (n_values - 1) <= n_others
    repeats &= bool((of_value > 1).mean() >= _MANY_REPEAT)  # and not a few, as "none" and "n/a"
    marks_rows = repeats and _KEY.fullmatch(name.strip()) is not None
    if read.content in ("text", "levels", "objects"):
        is_even = of_value.min() > 1 and of_value.var() < _PART_OF_CHANCE * of_value.mean()
        marks_rows = repeats or (n_values > _FEWEST_IN_A_PANEL and bool(is_even))
    column = column._replace(marks_rows=marks_rows)
    if asked == "nominal":
        return _levels(column, read)
    if read.content == "numbers":
        return _numbers(column, read.codes, asked)
    levels = read.levels or ()
    if read.content == "ordered levels":
        found = _numbers(column, read.codes, asked or "discrete")
        words = _joined("ordered levels, by their rank", found.treatment)
        return found._replace(treatment=words, levels=tuple(map(text_of, levels)))
    if read.content == "durations":
        days = np.asarray(pd.to_timedelta(list(levels)) / pd.Timedelta(days=1), dtype=float)
        found = _numbers(column, _placed(days, read.codes), asked or "continuous")
        return found._replace(treatment=_joined("in days", found.treatment))
    texts = [text_of(at_start(level)) for level in levels]
    counts = np.bincount(read.codes[~missing].astype(np.intp), minlength=len(texts))
    may_be_dates = read.content != "levels" or all(map(ISO.fullmatch, filter(None, texts)))
    if may_be_dates and (written := days_of(name, texts, counts)):
        return _dates(column, read.codes, written, asked)
    if read.content != "levels" and (written := numbers_of(name, texts)):
        if _is_beyond(written.values, texts):
            return column._replace(treatment=_BEYOND)
        found = _numbers(column, _placed(written.values, read.codes), asked)
        return found._replace(treatment=_joined(written.words, found.treatment))
    if asked is not None:
        numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(float)
        if _is_beyond(numbers, texts):
            return column._replace(treatment=_BEYOND)
        if not np.isnan(numbers).any():  # codes with leading zeros, say
            return _numbers(column, _placed(numbers, read.codes), asked)
    kind_of_levels(name, asked, is_ordered=False)  # refuses every other kind
    note = mostly_numbers(texts[int(code)] for code in read.codes[~missing])
    if n_values > MOST_TEXT_LEVELS and 2 * n_values > n_known:
        words = f"left out: free text or an identifier ({n_values} values in {n_known} rows)"
        return column._replace(treatment=_joined(note, words))
    return _levels(column, read, note)


def _joined(*words: str) -> str:
    return "; ".join(filter(None, words))


def _is_beyond(numbers: FloatArray, texts: list[str]) -> bool:
    """Whether digits are lost of a number of texts; one with an exponent gives but a few."""
    beyond = np.flatnonzero(np.abs(numbers) > LARGEST_WHOLE)
    return any(re.search(r"\d[eE][+-]?\d", texts[at]) is None for at in beyond)


def mostly_numbers(texts: Any) -> str:
    """Return words on text of numbers, maybe with a few other words; empty for other text."""
    import pandas as pd

    given = pd.Series(list(texts), dtype=object).astype(str)
    given = given[given.str.strip() != ""]
    odd = given[pd.to_numeric(given, errors="coerce").isna()]
    odd = odd[~odd.isin(amounts_among(odd.unique()))]
    if not len(odd) < (1 - _MOSTLY_NUMBERS) * len(given):
        return ""
    if not len(odd):
        if given.str.fullmatch(CODE).any():
            return ""
        is_plain = pd.to_numeric(given, errors="coerce").notna()
        if is_plain.all():
            return (
                "contains numbers that are written as text: make numbers of them, or say its kind"
            )
        if not is_plain.any():  # of a category: as text they would have been read
            return f"contains numbers with a sign or unit ({given.iloc[0]!r}): make numbers of them"
        shown = f"{given[is_plain].iloc[0]!r} and {given[~is_plain].iloc[0]!r}"
        return (
            f"contains numbers in two spellings ({shown}): taken as text; write all of them alike"
        )
    shown = ", ".join(repr(text) for text in odd.unique()[:3])
    return f"contains numbers and text ({shown}): taken as text; leave such cells empty"


def _numbers(column: Column, codes: FloatArray, asked: str | None) -> Column:
    import pandas as pd

    known, n_values = codes[~np.isnan(codes)], column.n_values
    if asked is None and n_values > MOST_TEXT_LEVELS and not (known % 1).any():
        if len(codes) == n_values and (np.abs(np.diff(known)) == 1).all():
            return column._replace(treatment="left out: it numbers the rows")
        if _KEY.fullmatch(column.name.strip()) and len(codes) < _ROWS_OF_ONE * n_values:
            words = f"an identifier, with {n_values:,} numbers in {len(codes):,} rows"
            return column._replace(treatment=f"left out: {words}")
    kind = asked or kind_of_numbers(codes)
    words = f"{column.n_missing} missing: {MISSING_NUMBERS}" if column.n_missing else ""
    found = column._replace(values=pd.Series(codes, name=column.name), kind=kind, treatment=words)
    # A quantity that is written as text, as 5 %, is nobody's name.
    return found._replace(
        marks_rows=column.marks_rows and bool(_KEY.fullmatch(column.name.strip()))
    )


def numbers_in(read: Values) -> FloatArray:
    """Return numbers, or the only thing that differs between texts; missing where there is none."""
    import pandas as pd

    if read.content not in ("text", "objects", "levels"):
        return read.codes if read.content == "numbers" else np.full(len(read.codes), np.nan)
    texts = pd.Series([str(level) for level in read.levels or ()], dtype=object)
    parts = texts.str.extract(r"^(.*?)(\d+)(\D*)$")
    if len(parts[[0, 2]].dropna().drop_duplicates()) > 1:  # a title with a year
        return np.full(len(read.codes), np.nan)
    return _placed(parts[1].astype(float).to_numpy(), read.codes)


def without_key(column: Column, numbers: dict[str, FloatArray], keys: list[str]) -> Column:
    """Leave out numbers that are a line of a column that is left out, as 2 id + 1 is of id.

    Other columns that rise with it stay: a table may be in the order of a feature.
    """
    for key in keys if column.values is not None and column.kind != "nominal" else ():
        both = ~np.isnan(numbers[column.name]) & ~np.isnan(numbers[key])
        first, second = numbers[column.name][both], numbers[key][both]
        vary = len(np.unique(second)) > MOST_TEXT_LEVELS and np.ptp(first) > 0
        if vary and abs(np.corrcoef(first, second)[0, 1]) > 1 - _ROUNDING:
            words = f"left out: it goes with {key}, which is not used"
            return column._replace(values=None, kind="", treatment=words)
    return column


def _dates(column: Column, codes: FloatArray, written: ReadTexts, asked: str | None) -> Column:
    """Return days since the first date, or hours."""
    import pandas as pd

    values = _placed(written.values, codes)
    n_missing = int(np.isnan(values).sum())
    words = written.words + (f"; {n_missing} missing" if n_missing else "")
    found = pd.Series(values, name=column.name)
    return Column(column.name, found, asked or "continuous", words, n_missing, column.n_values)


def at_start(level: Any) -> Any:
    """Return the first second of a period, as a month; anything else as it is."""
    return level.asfreq("s", "start") if hasattr(level, "asfreq") else level


def text_of(level: Any) -> str:
    """Return the text of a level: a whole number without a point, text without blanks around it."""
    if not isinstance(level, float):
        return str(level).strip()
    return str(int(level)) if level % 1 == 0 else np.format_float_positional(level, trim="-")


def _placed(values: FloatArray, codes: FloatArray) -> FloatArray:
    """Return the value of every row's level, NaN where it is missing."""
    return np.append(values, np.nan)[np.nan_to_num(codes, nan=-1.0).astype(np.intp)]


def _new_name(name: str, taken: Any) -> str:
    """Return a name that no level of the table has."""
    while name in taken:
        name = f"({name})"
    return name


def _levels(column: Column, read: Values, note: str = "") -> Column:
    """Return unordered levels: the rarest are merged, and missing values are a level."""
    import pandas as pd

    coded = read.as_levels()
    texts = np.array([*map(text_of, coded.levels or ()), None], dtype=object)
    values = pd.Series(texts[np.nan_to_num(coded.codes, nan=-1.0).astype(np.intp)], dtype=object)
    counts = values.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    most = min(MOST_LEVELS, max(2, len(values) // _ROWS_PER_LEVEL))
    rare = counts.iloc[most - 1 :] if len(counts) > most else counts.iloc[:0]
    other, lacking = (_new_name(made_up, counts.index) for made_up in (OTHER_LEVEL, MISSING_LEVEL))
    merged, words = "", [note] if note else []
    if len(rare):
        merged = f"{len(rare)} of {len(counts)} levels, the rarest, are one level {other} "
        merged += f"with {percent(rare.sum() / len(values))} of the rows"
        words.append(merged)
    if column.n_missing:
        words.append(counted(column.n_missing, "missing, a level of [its|their] own"))
    values = values.mask(values.isin(rare.index), other).fillna(lacking)
    order_of_last = {other: 1, lacking: 2}
    categories = sorted(set(values), key=lambda level: (order_of_last.get(level, 0), level))
    category = pd.Series(pd.Categorical(values, categories=categories), name=column.name)
    return column._replace(
        values=category, kind="nominal", treatment="; ".join(words), merged=merged
    )
