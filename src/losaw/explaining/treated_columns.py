"""Columns as ``explain`` and ``audit`` take them, each with a kind and a treatment."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.errors import LosawError
from losaw.tables.columns import LARGEST_WHOLE, MOST_TEXT_LEVELS, kind_of_numbers
from losaw.tables.reading import Values

if TYPE_CHECKING:
    import pandas as pd

# Levels of a factor; rarer ones are one level together.
MOST_LEVELS = 20
MISSING_LEVEL, OTHER_LEVEL = "(missing)", "(other)"
# Numbers of which every row has another: row numbers and keys, by their steps or their name.
_KEY = re.compile(
    r"(?i:id|key|index|uuid|row|row[ _]?(number|names?|id)|unnamed: 0|.*[_ .-]id)|.*[a-z]I[Dd]"
)
_DATE = re.compile(r"^\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}.*)?$")
_UNCLEAR_DATE = re.compile(r"^\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})( .*)?$")
# Numbers as people write them: with a comma, groups of thousands, a sign of a unit.
_NUMBER_IN_TEXT = re.compile(
    r"[€$£]?\s*[-+−]?(\d+([.,]\d*)?|[.,]\d+|\d{1,3}([., '’\u00a0\u202f])\d{3}(\3\d{3})*([.,]\d+)?)"
    r"([eE][-+]?\d+)?\s*[%€$£]?"
)
_MOSTLY_NUMBERS = 0.9
LIKE_NUMBERS = "looks like numbers"
MISSING_NUMBERS = (
    "below all values for the forest, at the median for losawRF, still missing for other models"
)
_MICROSECONDS = 86_400e6  # of a day
# A level has so many rows at least, before it is one of the rarest: forests need them.
_ROWS_PER_LEVEL = 5


class TreatedColumn(NamedTuple):
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
    """

    name: str
    values: "pd.Series | None"
    kind: str
    treatment: str
    n_missing: int
    n_values: int


def treat(
    name: str,
    read: Values,
    asked: str | None = None,
    whole: Values | None = None,
    rows: NDArray[np.intp] | None = None,
) -> TreatedColumn:
    """Return the column as numbers or levels, or the reason why it is left out.

    Parameters
    ----------
    read : Values
        Of the rows that have a response.
    asked : {"continuous", "discrete", "nominal"} or None
        The kind that the user names; it keeps identifiers and free text, too.
    whole : Values or None
        Of all rows: a column that numbers them is an identifier, whatever rows are left out.
    rows : int array or None
        The numbers of the rows of ``read`` in the whole table, for errors.

    Raises
    ------
    LosawError
        For infinite values, or a kind that does not fit.
    """
    import pandas as pd

    missing = np.isnan(read.codes)
    n_missing, n_values = int(missing.sum()), len(np.unique(read.codes[~missing]))
    counts = (n_missing, n_values)
    beyond = read.is_whole and (np.abs(read.codes[~missing]) > LARGEST_WHOLE).any()
    if beyond and asked == "nominal":
        raise LosawError(
            f"column {name!r} contains whole numbers beyond 2^53, which floats cannot distinguish; "
            "give it as text"
        )
    if beyond and asked is None:
        words = "left out: whole numbers beyond 2^53, an identifier"
        return TreatedColumn(name, None, "", words, *counts)
    if n_values == 0 or (n_values == 1 and n_missing == 0):
        what = "contains no value" if n_values == 0 else "is constant"
        return TreatedColumn(name, None, "", f"left out: it {what}", *counts)
    if read.content == "numbers":
        _check_finite(name, read.codes, rows)
    if asked == "nominal":
        return _levels(name, read, counts)
    if read.content == "numbers":
        of_all = read.codes if whole is None else whole.codes
        return _numbers(name, read.codes, asked, counts, of_all)
    if read.content == "ordered levels":
        codes = pd.Series(read.codes, name=name)
        return TreatedColumn(
            name, codes, asked or "discrete", "ordered levels, by their rank", *counts
        )
    if read.content == "durations":
        days = pd.to_timedelta(list(read.levels or ())) / pd.Timedelta(days=1)
        found = _placed(np.asarray(days, dtype=float), read.codes)
        return TreatedColumn(name, pd.Series(found, name=name), "continuous", "in days", *counts)
    if read.content == "dates" and (dates := _days(read.levels or ())) is not None:
        return _dates(name, read.codes, dates, counts)
    if asked is not None:
        first = (read.levels or ())[int(read.codes[~missing][0])]
        raise LosawError(
            f"kinds says that column {name!r} is {asked}, but it contains levels (first: "
            f"{str(first)!r}); give it as numbers, or as 'nominal'"
        )
    return _text(name, read, counts)


def like_numbers(values: Iterable[Any]) -> str:
    """Return why most text looks like numbers and is none; an empty string for other text."""
    tally = Counter(str(value).strip() for value in values)
    n, odd = tally.total(), [text for text in tally if not _is_number(text)]
    like = sum(count for text, count in tally.items() if _NUMBER_IN_TEXT.fullmatch(text))
    if not like > _MOSTLY_NUMBERS * n:
        return ""
    if not odd:
        return f"{LIKE_NUMBERS} that are written as text"
    n_odd = sum(tally[text] for text in odd)
    return f"{LIKE_NUMBERS}, but {n_odd:,} of {n:,} values cannot be read as such (first: {odd[0]})"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_finite(name: str, codes: FloatArray, rows: NDArray[np.intp] | None) -> None:
    if np.isinf(codes).any():
        row = int(np.flatnonzero(np.isinf(codes))[0])
        row = row if rows is None else int(rows[row])
        raise LosawError(
            f"column {name!r} contains an infinite value (first: row {row}); make it missing, or a "
            "finite number"
        )


def _numbers(
    name: str, codes: FloatArray, asked: str | None, counts: tuple[int, int], of_all: FloatArray
) -> TreatedColumn:
    import pandas as pd

    if asked is None and (why := _is_identifier(name, of_all) or _is_identifier(name, codes)):
        return TreatedColumn(name, None, "", f"left out: {why}", *counts)
    kind = asked or kind_of_numbers(codes)
    words = f"{counts[0]} missing: {MISSING_NUMBERS}" if counts[0] else ""
    return TreatedColumn(name, pd.Series(codes, name=name), kind, words, *counts)


def _is_identifier(name: str, codes: FloatArray) -> str:
    """Return why whole numbers look like an identifier; an empty string if they do not."""
    known = codes[~np.isnan(codes)]
    n_values = len(np.unique(known))
    if (known % 1 != 0).any():
        return ""
    if n_values < len(codes) or n_values <= MOST_TEXT_LEVELS:
        return ""
    if known.max() - known.min() + 1 == n_values:
        return "it numbers the rows"
    if _KEY.fullmatch(name.strip()):
        return "an identifier: every row has a number of its own"
    return ""


def _text(name: str, read: Values, counts: tuple[int, int]) -> TreatedColumn:
    """Treat text and other levels: as dates if all are dates; free text is left out."""
    texts = [str(level).strip() for level in read.levels or ()]
    shape, note = _dates_in([text for text in texts if text]), ""
    if shape == "unclear":
        words = (
            "left out: dates whose order of day and month is not known; write them as "
            "2026-11-21, or name the kind nominal"
        )
        return TreatedColumn(name, None, "", words, *counts)
    if shape == "iso":
        dates = _days([text.replace("/", "-") or None for text in texts])
        if dates is not None:
            return _dates(name, read.codes, dates, counts)
        strange = [text for text in texts if text and _days([text.replace("/", "-")]) is None]
        note = (
            f"looks like dates, but {len(strange)} of {counts[1]} values are none (first: "
            f"{strange[0]}): taken as text"
        )
    seen = [texts[int(code)] for code in read.codes if code == code]
    known = set(seen)
    # A word in a row without a response, as a last line of totals, made text of the column, too.
    unseen = [text for text in dict.fromkeys(texts) if text and text not in known]
    if not note and (found := like_numbers([*seen, *unseen])):
        note = f"{found}; if it is a quantity, write it like 1234.5 or leave it empty"
    n_known = len(read.codes) - counts[0]
    if counts[1] > MOST_TEXT_LEVELS and 2 * counts[1] > n_known:
        words = f"left out: free text or an identifier ({counts[1]} values in {n_known} rows)"
        return TreatedColumn(name, None, "", "; ".join(filter(None, [note, words])), *counts)
    return _levels(name, read, counts, note)


def _dates(
    name: str, codes: FloatArray, days: FloatArray | Any, counts: tuple[int, int]
) -> TreatedColumn:
    """Return a column of dates as days since the first; ``days`` since 1970 of every level."""
    import pandas as pd

    since_1970 = _placed(days, codes)
    first = float(np.nanmin(since_1970))
    n_missing = int(np.isnan(since_1970).sum())
    start = str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(first)), "D"))
    words = f"dates, as days since {start}" + (f"; {n_missing} missing" if n_missing else "")
    found = pd.Series(since_1970 - first, name=name)
    return TreatedColumn(name, found, "continuous", words, n_missing, counts[1])


def _days(levels: Any) -> FloatArray | None:
    """Return days since 1970 of dates or ISO text, NaN for None; None if any is no date."""
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


def _levels(name: str, read: Values, counts: tuple[int, int], note: str = "") -> TreatedColumn:
    """Return unordered levels: the rarest are merged, and missing values are a level."""
    import pandas as pd

    if read.levels is None and read.is_whole:
        texts = {int(value): str(int(value)) for value in np.unique(read.codes) if value == value}
        known = [texts[int(code)] if code == code else None for code in read.codes]
    else:
        coded = read.as_levels()
        texts_of = [str(level).strip() for level in coded.levels or ()]
        known = [None if np.isnan(c) else texts_of[int(c)] for c in coded.codes]
    tally = Counter(text for text in known if text is not None)
    most = min(MOST_LEVELS, max(2, len(known) // _ROWS_PER_LEVEL))
    by_count = sorted(tally, key=lambda text: (-tally[text], text))
    kept = sorted(by_count[: most - 1] if len(by_count) > most else by_count)
    done = [note] if note else []
    rare = set(by_count) - set(kept)
    other, missing = _free(OTHER_LEVEL, tally), _free(MISSING_LEVEL, tally)
    n_missing = counts[0]
    if rare:
        n_rare = sum(tally[text] for text in rare)
        done.append(
            f"{len(rare)} of {len(tally)} levels, the rarest, are one level {other} with "
            f"{100 * n_rare / len(known):.0f} % of the rows"
        )
    if n_missing:
        called = "" if missing == MISSING_LEVEL else f", called {missing}"
        done.append(f"{n_missing} missing, a level of their own{called}")
    values = [missing if text is None else other if text in rare else text for text in known]
    categories = [*kept, *([other] if rare else []), *([missing] if n_missing else [])]
    category = pd.Series(pd.Categorical(values, categories=categories), name=name)
    return TreatedColumn(name, category, "nominal", "; ".join(done), *counts)


def _free(name: str, taken: Any) -> str:
    """Return a name like ``(missing)`` that no level of the column has."""
    number = 2
    free = name
    while free in taken:
        free, number = f"{name[:-1]} {number})", number + 1
    return free


def _dates_in(texts: list[str]) -> str:
    """Return ``"iso"`` or ``"unclear"`` if all text looks like dates, else an empty string.

    Unclear ones have a day from 1 to 31 and a month from 1 to 12 in one order at least.
    """
    if texts and all(map(_DATE.match, texts)):
        return "iso"
    if not texts or not all(map(_UNCLEAR_DATE.match, texts)):
        return ""
    parts = np.array([[int(part) for part in re.findall(r"\d+", text)[:3]] for text in texts])
    orders = ((0, 1), (1, 0), (2, 1))  # places of day and month
    in_range = ((parts >= 1) & (parts <= 31), (parts >= 1) & (parts <= 12))
    is_date = [(in_range[0][:, day] & in_range[1][:, month]).all() for day, month in orders]
    return "unclear" if any(is_date) else ""
