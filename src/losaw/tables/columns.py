"""Columns as the importances take them: every column has a kind, or is refused with the remedy."""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from losaw.data import FeatureKind, FloatArray
from losaw.tables.kinds import (
    LARGEST_WHOLE,
    kind_of_levels,
    kind_of_numbers,
    refuse_dates,
    refuse_text,
)
from losaw.tables.reading import Values


class Column(NamedTuple):
    """One column with its kind.

    Attributes
    ----------
    codes : array of shape (n_rows,)
        Numbers as they are, levels as 0, 1, …; NaN where a value is missing.
    kind : {"continuous", "discrete", "nominal"}
    levels : tuple or None
        The values of the levels.
    rebuild : callable
        Codes of any rows to a column of the frame's own type, see :class:`Values`.
    """

    codes: FloatArray
    kind: FeatureKind
    levels: tuple[Any, ...] | None
    rebuild: Callable[[FloatArray], Any]


def with_kind(name: str, values: Values, asked: str | None) -> Column:
    """A column with the kind that the user names, or with the kind of its values.

    Raises
    ------
    ValueError
        For dates, durations and free text without ``asked``, infinite values, and a kind that
        does not fit.
    """
    codes, levels = values.codes, values.levels
    if values.content == "numbers":
        kind = _kind_of_numbers(name, values, asked)
    elif values.content == "truth values":
        kind = kind_of_levels(name, asked or "nominal", True)
    else:
        if values.content in ("dates", "durations") and asked != "nominal":
            refuse_dates(name)
        if asked is None and values.content in ("text", "objects"):
            refuse_text(name, len(levels or ()), int((~np.isnan(codes)).sum()))
        kind = kind_of_levels(name, asked, values.content == "ordered levels")
    return Column(codes, kind, levels, values.rebuild)


def _kind_of_numbers(name: str, values: Values, asked: str | None) -> FeatureKind:
    codes = values.codes
    if np.isinf(codes).any():
        row = int(np.flatnonzero(np.isinf(codes))[0])
        raise ValueError(f"column {name!r} contains an infinite value (first: row {row})")
    if values.is_whole and (np.abs(codes) > LARGEST_WHOLE).any():
        raise ValueError(
            f"column {name!r} contains whole numbers beyond 2^53, which floats cannot distinguish. "
            "If it is an identifier, leave it out, or give it as text"
        )
    kind = cast(FeatureKind, asked or kind_of_numbers(codes))
    if kind == "nominal" and (codes[~np.isnan(codes)] % 1 != 0).any():
        raise ValueError(f"kinds says that column {name!r} is nominal, but it contains fractions")
    return kind
