"""What is done with each column of a person's table: its kind, or why it is left out."""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from losaw.support.errors import LosawError
from losaw.tables.kinds import MOST_TEXT_LEVELS, kind_of_numbers

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
_LARGEST_WHOLE = 2.0**53
MISSING_NUMBERS = "below all values for the forest, at the median for losawRF"
_DAY = np.timedelta64(1, "D")


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
    """

    name: str
    values: "pd.Series | None"
    kind: str
    treatment: str
    n_missing: int
    n_values: int


def treat(name: str, series: "pd.Series", asked: str | None = None) -> Column:
    """The column as numbers or levels, or the reason why it is left out.

    Parameters
    ----------
    asked : {"continuous", "discrete", "nominal"} or None
        The kind that the user names; it keeps identifiers and free text, too.

    Raises
    ------
    LosawError
        For infinite values, or a kind that does not fit.
    """
    from pandas.api import types

    dtype = series.dtype
    n_missing, n_values = int(series.isna().sum()), int(series.nunique())
    if n_values == 0 or (n_values == 1 and n_missing == 0):
        what = "holds no value" if n_values == 0 else "is constant"
        return Column(name, None, "", f"left out: it {what}", n_missing, n_values)
    if types.is_datetime64_any_dtype(dtype) and asked != "nominal":
        return _dates(name, series, n_missing, n_values)
    if types.is_timedelta64_dtype(dtype) and asked != "nominal":
        days = series / _DAY
        return Column(name, days.astype(float), "continuous", "in days", n_missing, n_values)
    if getattr(dtype, "ordered", False) and asked != "nominal":
        codes = series.cat.codes.astype(float).where(series.notna())
        words = "ordered levels, by their rank"
        return Column(name, codes, asked or "discrete", words, n_missing, n_values)
    is_number = types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)
    if not is_number and types.is_object_dtype(dtype):
        inferred = types.infer_dtype(series, skipna=True)
        is_number = inferred in ("integer", "floating", "mixed-integer-float", "decimal")
        if inferred in ("date", "datetime", "datetime64") and asked != "nominal":
            return _dates(name, series, n_missing, n_values)
    if is_number:
        return _numbers(name, series, asked, n_missing, n_values)
    return _levels(name, series, asked, n_missing, n_values)


def _numbers(
    name: str, series: "pd.Series", asked: str | None, n_missing: int, n_values: int
) -> Column:
    import pandas as pd

    values = pd.to_numeric(series).astype(float)
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise LosawError(
            f"column {name!r} holds an infinite value (first: row {row}); make it missing, or a "
            "finite number"
        )
    if asked == "nominal":
        return _levels(name, series, asked, n_missing, n_values)
    if asked is None and (why := _is_identifier(name, values, n_values)):
        return Column(name, None, "", f"left out: {why}", n_missing, n_values)
    kind = asked or kind_of_numbers(values.to_numpy())
    words = f"{n_missing} missing: {MISSING_NUMBERS}" if n_missing else ""
    return Column(name, values, kind, words, n_missing, n_values)


def _is_identifier(name: str, values: "pd.Series", n_values: int) -> str:
    """Why whole numbers look like an identifier; empty if they do not."""
    known = values.dropna()
    if (known % 1 != 0).any():
        return ""
    if known.abs().max() > _LARGEST_WHOLE:
        return "whole numbers beyond 2^53, an identifier"
    if n_values < len(values) or n_values <= MOST_TEXT_LEVELS:
        return ""
    if known.max() - known.min() + 1 == n_values:
        return "it numbers the rows"
    if _KEY.fullmatch(name.strip()):
        return "an identifier: every row has a number of its own"
    return ""


def _dates(name: str, series: "pd.Series", n_missing: int, n_values: int) -> Column:
    import pandas as pd

    dates = pd.to_datetime(series, errors="coerce", utc=True, format="ISO8601")
    days = (dates - dates.min()) / _DAY
    words = f"dates, as days since {dates.min().date()}"
    return Column(name, days.astype(float), "continuous", words, n_missing, n_values)


def _levels(
    name: str, series: "pd.Series", asked: str | None, n_missing: int, n_values: int
) -> Column:
    import pandas as pd

    if asked in ("continuous", "discrete"):
        raise LosawError(
            f"kinds says that column {name!r} is {asked}, but it holds levels (first: "
            f"{series.dropna().iloc[0]!r}); give numbers, or say nominal"
        )
    n_known = len(series) - n_missing
    text = _texts(series)
    if asked is None and (shape := _dates_in(text)):
        if shape == "unclear":
            words = (
                "left out: dates whose order of day and month is not known; write them as "
                "2026-11-21, or name the kind nominal"
            )
            return Column(name, None, "", words, n_missing, n_values)
        return _dates(name, text.str.replace("/", "-").where(series.notna()), n_missing, n_values)
    if asked is None and n_values > MOST_TEXT_LEVELS and 2 * n_values > n_known:
        words = f"left out: free text or an identifier ({n_values} values in {n_known} rows)"
        return Column(name, None, "", words, n_missing, n_values)
    counts = text[series.notna()].value_counts()
    kept = sorted(counts.index[: MOST_LEVELS - 1] if len(counts) > MOST_LEVELS else counts.index)
    done: list[str] = []
    values: Any = text.where(series.notna(), MISSING_LEVEL)
    if len(kept) < len(counts):
        is_rare = series.notna() & ~text.isin(kept)
        values = values.where(~is_rare, OTHER_LEVEL)
        done.append(
            f"{len(counts) - len(kept)} of {len(counts)} levels, the rarest, are one level "
            f"{OTHER_LEVEL} with {100 * is_rare.mean():.0f} % of the rows"
        )
        kept.append(OTHER_LEVEL)
    if n_missing:
        done.append(f"{n_missing} missing, a level of their own")
        kept.append(MISSING_LEVEL)
    category = pd.Series(pd.Categorical(values, categories=kept), index=series.index, name=name)
    return Column(name, category, "nominal", "; ".join(done), n_missing, n_values)


def _texts(series: "pd.Series") -> "pd.Series":
    """Every value as text; missing ones are empty."""
    return series.astype(object).where(series.notna(), "").map(lambda v: str(v).strip())


def _dates_in(text: "pd.Series") -> str:
    """``"iso"`` or ``"unclear"`` if all text is dates, else an empty string."""
    known = text[text != ""]
    for shape, pattern in (("iso", _DATE), ("unclear", _UNCLEAR_DATE)):
        if len(known) and pattern.match(known.iloc[0]) and all(map(pattern.match, known)):
            return shape
    return ""
