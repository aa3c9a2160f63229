"""The kind of a column, one rule for the whole package, and columns that are refused."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

import numpy as np

from losaw.data import FeatureKind, FloatArray
from losaw.support.arguments import LARGEST_WHOLE, ArgumentTypeError, check_unit
from losaw.support.words import counted, unknown
from losaw.tables.groups import named_column
from losaw.tables.reading import Values

KINDS: tuple[str, ...] = get_args(FeatureKind)
# Numbers with at most so many values, each seen so often on average, are discrete.
MOST_DISCRETE_VALUES, _ROWS_PER_VALUE = 10, 5
# Text with more values than this, and more than one in two rows, is free text or an identifier.
MOST_TEXT_LEVELS = 50

Kinds = Mapping[str, str] | Sequence[str] | None


def few_levels(column: FloatArray, n_rows: float | None = None) -> FloatArray | None:
    """Return the sorted distinct values if numbers are discrete, a missing one as one, else None.

    Discrete: at most 10 distinct values, each seen five times on average. This is the one rule of
    the package, for forests, weights, importances and ``explain``. ``n_rows`` is given where the
    column holds a row that occurs several times only once.
    """
    most = min(MOST_DISCRETE_VALUES, (n_rows or len(column)) // _ROWS_PER_VALUE)
    if len(np.unique(column[: 4 * MOST_DISCRETE_VALUES])) > most:  # the usual continuous column
        return None
    levels = np.unique(column)
    return levels if len(levels) <= most else None


def kind_of_numbers(codes: FloatArray) -> FeatureKind:
    """Return the kind of a column of numbers by :func:`few_levels`.

    Missing values (NaN) count as one more value, as a method sees the column once they are filled.
    """
    is_continuous = np.isnan(codes).all() or few_levels(codes) is None
    return "continuous" if is_continuous else "discrete"


def asked_kinds(kinds: Kinds, names: Sequence[str]) -> dict[str, FeatureKind]:
    """The kinds that a user names, by column."""
    if kinds is None:
        return {}
    if isinstance(kinds, str) or not hasattr(kinds, "__len__"):
        raise ArgumentTypeError(
            f"kinds must say the kind of each column, as in {{{names[0]!r}: 'nominal'}}, "
            f"got {kinds!r}"
        )
    if not isinstance(kinds, Mapping):
        if len(kinds) != len(names):
            raise ValueError(
                f"kinds has {counted(len(kinds), '[entry|entries]')} for "
                f"{counted(len(names), '[column|columns]')} of X"
            )
        kinds = dict(zip(names, kinds, strict=True))
    asked: dict[str, Any] = {}
    for column, kind in kinds.items():
        index = named_column(column, names)
        if index is None:
            raise ValueError(f"kinds: {unknown('column', column, names)}")
        if kind not in KINDS:
            raise ValueError(f"kinds[{column!r}]: {unknown('kind', kind, KINDS)}")
        asked[names[index]] = kind
    return asked


def kind_of_levels(name: str, asked: str | None, is_ordered: bool) -> FeatureKind:
    """The kind of a column of levels, which cannot be continuous."""
    if asked == "continuous" or (asked == "discrete" and not is_ordered):
        order = "" if asked == "continuous" else " that have no order of their own"
        raise ValueError(
            f"kinds says that column {name!r} is {asked}, but it contains levels{order}; give it "
            "as numbers or as an ordered category, or as 'nominal'"
        )
    if asked is not None:
        return "nominal" if asked == "nominal" else "discrete"
    return "discrete" if is_ordered else "nominal"


def kind_of(name: str, values: Values, asked: str | None) -> FeatureKind:
    """The kind that the user names, or the kind of the values."""
    if values.content == "numbers":
        return _kind_of_column_of_numbers(name, values, asked)
    if values.content == "truth values":
        return kind_of_levels(name, asked or "nominal", True)
    if values.content in ("dates", "durations") and asked != "nominal":
        raise ValueError(
            f"column {name!r} contains dates or times, which have no kind. Make numbers of it "
            "(days since a day, the year, the month) and fit the model to them, leave it out, or "
            f"say kinds={{{name!r}: 'nominal'}} to take every date as a level"
        )
    n_levels, n_rows = len(values.levels or ()), int((~np.isnan(values.codes)).sum())
    is_text = asked is None and values.content in ("text", "objects")
    if is_text and n_levels > MOST_TEXT_LEVELS and 2 * n_levels > n_rows:
        raise ValueError(
            f"column {name!r} looks like free text or an identifier: {n_levels} different values "
            f"in {n_rows} rows. Leave it out, make numbers or categories of it, or say "
            f"kinds={{{name!r}: 'nominal'}} to take every value as a level"
        )
    return kind_of_levels(name, asked, values.content == "ordered levels")


def _kind_of_column_of_numbers(name: str, values: Values, asked: str | None) -> FeatureKind:
    codes = values.codes
    if np.isinf(codes).any():
        row = int(np.flatnonzero(np.isinf(codes))[0])
        raise ValueError(f"column {name!r} contains an infinite value (first: row {row})")
    check_unit(f"column {name!r}", codes)
    return kind_of_finite_numbers(name, codes, values.is_whole, asked)


def kind_of_finite_numbers(
    name: str, codes: FloatArray, is_whole: bool, asked: str | None
) -> FeatureKind:
    """The kind of a column of numbers, of an array or a frame; ``is_whole`` is of its type."""
    if is_whole and (np.abs(codes) > LARGEST_WHOLE).any():
        raise ValueError(
            f"column {name!r} contains whole numbers beyond 2^53, which floats cannot distinguish. "
            "If it is an identifier, leave it out, or give it as text"
        )
    kind = cast(FeatureKind, asked or kind_of_numbers(codes))
    if kind == "nominal" and (codes[~np.isnan(codes)] % 1 != 0).any():
        raise ValueError(f"kinds says that column {name!r} is nominal, but it contains fractions")
    return kind
