"""An unfitted copy of a model for rows that lack some columns."""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# Parameters of a learner that list columns of X, by position, by name or as a mask.
COLUMN_PARAMETERS = (
    "nominal",
    "one_hot",
    "discrete_features",
    "categorical_features",
    "monotonic_cst",
)


def without(model: Any, columns: Sequence[int], names: Sequence[str]) -> Any:
    """An unfitted copy of ``model`` for X without some of its columns.

    Parameters that name columns lose them, positions behind them move up, and a forest draws as
    many columns at a node as with all of them, or all that are left: half of four columns are two,
    but half of three would be one, and the forest worse for that alone. In a Pipeline the columns
    leave every ColumnTransformer that names them; positions are those of its first step, and a
    share of the columns stays a share.

    Parameters
    ----------
    columns : sequence of int
        Positions of the columns that are left out.
    names : sequence of str
        Of all columns.
    """
    from sklearn.base import clone

    copy = clone(model)
    _leave_out(copy, set(columns), tuple(names), by_position=True)
    _draw_as_many(copy, len(names), len(names) - len(set(columns)))
    return copy


def _leave_out(model: Any, gone: set[int], names: tuple[str, ...], by_position: bool) -> None:
    if hasattr(model, "steps"):
        for place, (_, step) in enumerate(model.steps):
            if hasattr(step, "get_params"):
                _leave_out(step, gone, names, by_position and place == 0)
        return
    if hasattr(model, "transformers"):
        model.set_params(
            transformers=[
                (name, transformer, kept)
                for name, transformer, listed in model.transformers
                if not _is_empty(kept := _kept(listed, gone, names, by_position))
            ]
        )
        return
    parameters = model.get_params(deep=False)
    for part in parameters.values():
        if hasattr(part, "get_params") and not isinstance(part, type):
            _leave_out(part, gone, names, by_position)
    for name in COLUMN_PARAMETERS:
        listed = parameters.get(name)
        if listed is None or isinstance(listed, str):
            continue
        if isinstance(listed, Mapping):
            left = {names[column] for column in gone}
            model.set_params(**{name: {k: v for k, v in listed.items() if k not in left}})
        elif len(listed):
            is_sequence = name == "monotonic_cst"
            kept = (
                [value for column, value in enumerate(listed) if column not in gone]
                if is_sequence
                else _kept(listed, gone, names, by_position)
            )
            model.set_params(**{name: kept})


def _draw_as_many(model: Any, n_columns: int, n_left: int) -> None:
    """Let a forest draw as many columns at a node as with all of them, or all that are left.

    Within an ensemble that draws columns itself the learners see some of them, so that a share or a
    root stays what it is there.
    """
    if hasattr(model, "steps"):
        first = model.steps[0][1]
        if hasattr(first, "get_params"):
            _draw_as_many(first, n_columns, n_left)
        return
    parameters = model.get_params(deep=False)
    drawn = _n_drawn(parameters.get("max_features"), n_columns)
    if drawn is None:
        for part in parameters.values():
            if hasattr(part, "get_params") and not isinstance(part, type):
                _draw_as_many(part, n_columns, n_left)
    # Histogram boosting, which has max_iter, takes shares only.
    elif "max_iter" not in parameters:
        model.set_params(max_features=min(drawn, n_left))


def _n_drawn(most: Any, n_columns: int) -> int | None:
    """The number of columns that ``max_features`` stands for; None for all, and if unknown."""
    if isinstance(most, str):
        most = {"sqrt": int(np.sqrt(n_columns)), "log2": int(np.log2(n_columns))}.get(most)
    if isinstance(most, bool) or not isinstance(most, numbers.Real):
        return None
    if isinstance(most, numbers.Integral):
        return max(1, int(most))
    share = float(most)
    return None if share == 1.0 else max(1, int(share * n_columns))


def _kept(listed: Any, gone: set[int], names: tuple[str, ...], by_position: bool) -> Any:
    """A list of columns (names, positions, a mask or a slice) without those that are gone."""
    if callable(listed):
        return listed
    if isinstance(listed, slice):
        listed = _sliced(listed, names)
    if isinstance(listed, str):
        return [] if listed in {names[column] for column in gone} else listed
    if isinstance(listed, int | np.integer):
        listed = [listed]
    values = np.asarray(listed)
    if values.dtype == bool:
        return [bool(keep) for column, keep in enumerate(listed) if column not in gone]
    if values.dtype.kind in "iu":
        if not by_position:
            return listed
        moved = {
            column: column - sum(other < column for other in gone) for column in range(len(names))
        }
        at = [int(column) % len(names) for column in listed]
        return [moved[column] for column in at if column not in gone]
    left = {names[column] for column in gone}
    return [column for column in listed if str(column) not in left]


def _sliced(listed: slice, names: tuple[str, ...]) -> list[Any]:
    """The columns of a slice; one of names includes its end, as in pandas."""
    if not (isinstance(listed.start, str) or isinstance(listed.stop, str)):
        return list(range(len(names))[listed])
    first = 0 if listed.start is None else names.index(listed.start)
    last = len(names) - 1 if listed.stop is None else names.index(listed.stop)
    return list(names[first : last + 1])


def _is_empty(listed: Any) -> bool:
    return not callable(listed) and not isinstance(listed, str) and len(listed) == 0
