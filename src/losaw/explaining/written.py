"""Numbers, dates and times as people write them: with currencies and units, days before months.

Text that can be read in two ways is refused, and both are shown.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.support.errors import LosawError
from losaw.support.words import as_option

_MOST, _TRIED = 0.9, 300  # so many rows must have a date, and so many texts are tried first
# Years of two digits are believed if they are within so many years, and not after this one.
_SPAN_OF_YEARS, _LAST_YEAR = 50, 2050
# Jan 05 is a month, unless there are more such numbers than this: then it may be a day.
_MOST_YEARS = 12
_YEARS_OF_MONTHS = 1600, 2200
CODE = r"[-+]?(0\d.*|\d{16,})"  # a number that would lose digits
ISO = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}.*)?")
_DAYS = ("%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%d-%m-%y", "%m-%d-%y",
         "%d-%b-%Y", "%b-%d-%Y", "%Y-%b-%d", "%d-%b-%y")  # fmt: skip
_MONTHS = ("%Y-%m", "%m-%Y", "%b-%Y", "%Y-%b", "%b-%y")
_HOURS = ("%H:%M", "%H:%M:%S", "%H:%M:%S-%f", "%I:%M-%p", "%I:%M:%S-%p", "%I-%p")
_FORMATS = (*_HOURS, *_DAYS, *_MONTHS, *map("-".join, product(_DAYS, _HOURS)))
_OFFSET = re.compile(r"(\d:\d\d[\d:.]*) *(?:[Zz]|[+-]\d\d(?::?\d\d)?)$")
_RATIO = re.compile(r":\d(?!\d)")  # 2:1 is no time
_DATE_LIKE = re.compile(r"\d\D+\d")
_VERSION = re.compile(r"(?<!\d)\d\.|\.\d(?!\d)")  # 1.2.10 is one, and 01.02.10 a day
# Thousands are groups of three digits with one sign between all of them.
_DIGITS = re.compile(
    r"(\d+|[1-9]\d{0,2}((,\d{3})+|( \d{3})+|('\d{3})+)|(?=\.))(\.\d+)?(e[-+]?\d+)?"
)
_AMOUNT = re.compile(
    r"(?P<open>\()?(?P<sign>-|\+)? ?(?P<money>[^\W\d_]{0,2}[^\w\s.,'+-]|[A-Z]{3})?"
    r" ?(?P<second>-|\+)?(?P<digits>\d[\d.,' ]*(?<! )(e[-+]?\d+)?|[.,]\d+)"
    r" ?(?P<unit>[^\W\d_][^\d.,()]{0,9}[23]?|[^\w\s.,'()+-][^\d.,()]{0,5})?(?(open)\))"
)
_BARE = re.compile(r"[-+]?[\d.,' ]+")
_SWAPPED = str.maketrans(".,", ",.")
_SAME = str.maketrans({"−": "-", "’": "'", "\xa0": " ", "\u2009": " ", "\u202f": " "})


class ReadTexts(NamedTuple):
    """The number that each text means, NaN for a bad one, and words on how they were read."""

    values: FloatArray
    words: str


def numbers_of(name: str, texts: list[str], is_target: bool = False) -> ReadTexts | None:
    """Read numbers that are not written like 1234.5; None if any is none, or all are plain.

    All have the same currency and the same unit, or none. CHF 9.50 is one, and ROW 9 may be a name.
    """
    amounts = [match for match in map(_amount, texts) if match is not None]
    spelled = _spellings(amounts) if len(amounts) == len(texts) else []
    odd = next((j for j, text in enumerate(texts) if as_number(text) is None), None)
    if odd is None:
        return None
    sign = np.array(
        [-1 if match["open"] or "-" in match.group("sign", "second") else 1 for match in amounts]
    )
    readings = [
        np.array([float(re.sub("[,' ]", "", digits)) for digits in reading]) for reading in spelled
    ]
    if not readings:
        return None
    if len(readings) == 2 and (readings[0] != readings[1]).any():
        at = int(np.flatnonzero(readings[0] != readings[1])[0])
        are_bare = all(map(_BARE.fullmatch, texts))
        raise of_two_numbers(name, texts[at], readings[0][at], readings[1][at], are_bare, is_target)
    values = sign * readings[0]
    shown = f"{texts[odd]!r} is {values[odd]:.15g}"
    return ReadTexts(
        values,
        f"read as numbers ({shown}); {as_option('--kinds', name, 'nominal')} takes them as text",
    )


def amounts_among(texts: Sequence[str]) -> set[str]:
    """Return the texts that are numbers of one currency and one unit; none if these differ."""
    matches = {text: match for text in texts if (match := _amount(text)) is not None}
    return set(matches) if _spellings([*matches.values()]) else set()


def _amount(text: str) -> re.Match[str] | None:
    return _AMOUNT.fullmatch(" ".join(text.translate(_SAME).split()))


def _spellings(amounts: list[re.Match[str]]) -> list[tuple[str, ...]]:
    """Return the digits of amounts, with points of decimals; of two readings both."""
    affixes = {(match["money"], match["unit"]) for match in amounts}
    money = "".join(match["money"] or "" for match in amounts[:1])
    are_cents = any(re.search(r"\d[.,]\d\d$", match["digits"]) for match in amounts)
    if (
        len(affixes) != 1
        or (money.isalpha() and not are_cents)
        or (money and not money.isalpha() and unicodedata.category(money[-1]) != "Sc")
        or any(re.fullmatch(CODE, match["digits"]) for match in amounts)
    ):
        return []
    spellings = [[match["digits"], match["digits"].translate(_SWAPPED)] for match in amounts]
    return [
        reading for reading in zip(*spellings, strict=True) if all(map(_DIGITS.fullmatch, reading))
    ]


def of_two_numbers(
    name: str,
    text: str,
    first: float,
    second: float,
    are_bare: bool = True,
    is_target: bool = False,
) -> LosawError:
    """Return the error of numbers that are one or another, by the meaning of commas and points."""
    read = ", without currency, unit or brackets"  # which pandas does not read
    if are_bare:
        how = "decimal=',') or thousands=','"
        if "," not in text:
            how = "thousands='.', decimal=','), or without these if points are decimal,"
        read = f", read them with pandas.read_csv(…, {how} and call losaw.explain(frame, target)"
    say = f"say that they are text ({as_option('--kinds', name, 'nominal')})"
    if is_target:
        say = "if they are classes, say task classification (--task classification)"
    return LosawError(
        f"{name}: {text!r} may be {first:.15g} or {second:.15g}: write numbers like 1234.5{read}, "
        f"or {say}"
    )


def as_number(text: str) -> float | None:
    """Return the number of a text like 1234.5, as Python reads it; None if it is none."""
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def days_of(name: str, texts: list[str], n_rows: Any) -> ReadTexts | None:
    """Read dates as days since the first, and times of a day as hours; None if most are neither.

    ``n_rows`` has the number of rows of every text. Of a time zone the days are those of its
    clocks, also where these are put forward; of several, those of UTC.
    """
    import pandas as pd

    written = pd.Series(texts, dtype=object)
    weight = np.where(written == "", 0, n_rows)  # blank cells are missing
    least = _MOST * weight.sum()
    if not weight.any() or weight[[bool(re.search(r"\d", text)) for text in texts]].sum() < least:
        return None
    iso = written.where(written.map(ISO.fullmatch).notna()).str.replace("/", "-")
    moments = pd.to_datetime(iso, utc=True, format="ISO8601", errors="coerce").dt.tz_localize(None)
    of_clocks = iso.str.replace(_OFFSET, r"\1", regex=True)
    clocks = pd.to_datetime(of_clocks, format="ISO8601", errors="coerce")
    ahead = clocks - moments
    are_several = ahead.max() - ahead.min() > pd.Timedelta(hours=1)
    read = {"": moments if are_several else clocks}
    normal = written.map(_normal).mask(written.map(_RATIO.search).notna())
    some = normal.iloc[:: max(1, len(normal) // _TRIED)]
    unlike = "%y" if any(map(_VERSION.search, texts)) else "no format"
    for form in () if weight[read[""].notna()].sum() >= least else _FORMATS:
        tried = pd.to_datetime(some, format=form, errors="coerce").notna().mean()
        if tried > 0.5 and unlike not in form:
            read[form] = pd.to_datetime(normal, format=form, errors="coerce")
        if form in read and form in _MONTHS:
            read[form] = _likely_months(form, read[form])
    sizes = {form: weight[moments.notna()].sum() for form, moments in read.items()}
    form = max(sizes, key=sizes.__getitem__)
    moments = read[form]
    if sizes[form] < least:
        return None
    for other, others in read.items():
        if sizes[other] == sizes[form] and not others.equals(moments):
            at = int(np.flatnonzero((others != moments) & moments.notna())[0])
            raise LosawError(
                f"{name}: {texts[at]!r} may be {moments[at]:%Y-%m-%d} or {others[at]:%Y-%m-%d}: "
                f"write dates like {moments[at]:%Y-%m-%d}, say that they are text ("
                f"{as_option('--kinds', name, 'nominal')}), or leave them out (--drop)"
            )
    _check_years(name, form, written, moments)
    if form == "%b-%y":
        _check_days(name, written, normal[moments.notna()])
    times = moments.to_numpy().astype("datetime64[us]")
    since, unit = np.datetime64("1900-01-01"), np.timedelta64(1, "h")
    words = "times of day, as hours"
    if form not in _HOURS:
        since, unit = np.nanmin(times).astype("datetime64[D]"), np.timedelta64(1, "D")
        words = f"dates, as days since {since}"
        words += " (UTC)" if form == "" and are_several else ""
    values = (times - since) / unit
    bad = written[np.isnan(values) & (written != "")].tolist()[:3]
    what = "no date, or of another form" if any(map(_DATE_LIKE.search, bad)) else "no date"
    words += f"; {what}: {', '.join(map(repr, bad))}" if bad else ""
    return ReadTexts(values, words)


def _likely_months(form: str, moments: Any) -> Any:
    """Leave out what has the form of months: numbers of articles (4711-05), seasons (2009/10)."""
    years = moments.dt.year
    is_next = moments.dt.month == years % 100 + 1
    are_seasons = form == "%Y-%m" and bool(is_next[moments.notna()].all())
    return moments.where(years.between(*_YEARS_OF_MONTHS) & (not are_seasons))


def _check_years(name: str, form: str, written: Any, moments: Any) -> None:
    """Refuse years of two digits that may be of two centuries: any window of years is a guess."""
    years = moments.dt.year
    if "%y" in form and (years.max() > _LAST_YEAR or np.ptp(years.dropna()) > _SPAN_OF_YEARS):
        at, year = years.idxmax(), int(years.max())
        raise LosawError(
            f"{name}: {written[at]!r} may be of {year - 100} or {year}: write years of four digits,"
            f" say that they are text ({as_option('--kinds', name, 'nominal')}), or leave them out "
            "(--drop)"
        )


def _check_days(name: str, written: Any, normal: Any) -> None:
    """Refuse months and many numbers that may be years, or days: Jan 05."""
    import pandas as pd

    # With a leap year: Feb 29 is a day.
    days = pd.to_datetime("2000-" + normal, format="%Y-%b-%d", errors="coerce")
    if days.notna().all() and days.dt.day.nunique() > _MOST_YEARS:
        at = days.index[0]
        raise LosawError(
            f"{name}: {written[at]!r} may be a month of 20{days[at]:%d} or day {days[at].day} of a "
            f"month: write months like 2005-01 and days like 2026-01-05, say that they are text "
            f"({as_option('--kinds', name, 'nominal')}), or leave them out (--drop)"
        )


def _normal(text: str) -> str:
    """A date with one sign between its parts and short months; a quarter as its first month."""
    text = re.sub(r"(?<=\d)(?=[AP]M\b)", "-", text, flags=re.IGNORECASE)
    text = re.sub(r"[/,.\s-]+", "-", re.sub(r"([A-Za-z]{3})[a-z]+", r"\1", text.strip()))
    quarter = re.fullmatch(r"(?i)(\d{4})-?Q([1-4])|Q([1-4])-?(\d{4})", text)
    if quarter is None:
        return text
    year, number = quarter[1] or quarter[4], int(quarter[2] or quarter[3])
    return f"{year}-{3 * number - 2:02}"
