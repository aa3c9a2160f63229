"""An unfitted copy of a model for rows that lack some columns."""

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from losaw.tables.groups import columns_of_slice, made_columns, places_of

# Parameters of a learner that list columns of X, by position, by name or as a mask.
COLUMN_PARAMETERS = (
    "nominal",
    "one_hot",
    "nominal_features",
    "discrete_features",
    "categorical_features",
    "monotonic_cst",
)


class _Columns(NamedTuple):
    """The columns that a part of a model sees, and which of them go; None: that is not known."""

    names: tuple[str, ...]
    gone: frozenset[int] | None


def without(model: Any, columns: Sequence[int], names: Sequence[str]) -> Any:
    """An unfitted copy of a fitted ``model`` for X without some of its columns.

    Parameters that name columns lose them, positions behind them move up, and a forest draws as
    many columns at a node as with all of them, or all that are left: half of four columns are two,
    but half of three would be one, and the forest worse for that alone. This holds within a
    Pipeline, a ColumnTransformer and a list of models too. A later step of a Pipeline loses the
    columns that the steps before it made of those that go; behind a step that mixes or selects
    columns a share stays a share.

    Parameters
    ----------
    model : fitted model
    columns : sequence of int
        Positions of the columns that are left out.
    names : sequence of str
        Of all columns.

    Raises
    ------
    ValueError
        If a step of a Pipeline lists columns by position, and what the steps before it make of
        which column is not known: they mix or select columns, or are not fitted.
    """
    from sklearn.base import clone

    copy = clone(model)
    _adapt(copy, model, _Columns(tuple(names), frozenset(columns)))
    return copy


def _adapt(model: Any, fitted: Any, seen: _Columns) -> None:
    """Let an unfitted model, or a part of one, be fitted to what is left of its columns.

    ``fitted`` is the same model or part, fitted, or None.
    """
    if hasattr(model, "steps"):
        _adapt_steps(model, fitted, seen)
        return
    if hasattr(model, "transformers"):
        _adapt_transformers(model, fitted, seen)
        return
    parameters = model.get_params(deep=False)
    for name in COLUMN_PARAMETERS:
        listed = parameters.get(name)
        if listed is not None and not isinstance(listed, str) and len(listed):
            model.set_params(**{name: _left_of(name, listed, model, seen)})
    n_columns = len(seen.names)
    drawn = _n_drawn(parameters.get("max_features"), n_columns)
    if drawn is None:
        for part, its_fit in _parts(parameters, fitted):
            _adapt(part, its_fit, seen)
    # Learners within an ensemble that draws columns itself see some of them, so that a share or a
    # root stays what it is there. Histogram boosting, which has max_iter, takes shares only.
    elif seen.gone is not None and "max_iter" not in parameters:
        model.set_params(max_features=min(drawn, n_columns - len(seen.gone)))


def _adapt_steps(model: Any, fitted: Any, seen: _Columns) -> None:
    fits = [None] * len(model.steps) if fitted is None else [step for _, step in fitted.steps]
    for (_, step), its_fit in zip(model.steps, fits, strict=True):
        if not hasattr(step, "get_params"):  # left out, or "passthrough"
            continue
        _adapt(step, its_fit, seen)
        if step is not model.steps[-1][1]:
            seen = _behind(its_fit, seen)


def _behind(step: Any, seen: _Columns) -> _Columns:
    """The columns that a fitted step makes, and which of them are made of columns that go."""
    nothing_known = _Columns(seen.names, None)
    # What is selected without a column may be another selection.
    if seen.gone is None or step is None or hasattr(step, "get_support"):
        return nothing_known
    try:
        made, sources = made_columns(step, seen.names)
    except (AttributeError, TypeError, ValueError):
        return nothing_known
    gone = [place for place, source in enumerate(sources) if source in seen.gone]
    return _Columns(tuple(made), frozenset(gone))


def _adapt_transformers(model: Any, fitted: Any, seen: _Columns) -> None:
    if seen.gone is None and any(_is_by_position(listed) for _, _, listed in model.transformers):
        raise _unknown(model, "transformers")
    fits = getattr(fitted, "named_transformers_", {})
    left = []
    for name, transformer, listed in model.transformers:
        kept = listed if seen.gone is None else _kept(listed, seen)
        if _is_empty(kept):
            continue
        if hasattr(transformer, "get_params") and not callable(listed) and seen.gone is not None:
            places = places_of(listed, seen.names)
            own = frozenset(at for at, place in enumerate(places) if place in seen.gone)
            its_names = tuple(seen.names[place] for place in places)
            _adapt(transformer, fits.get(name), _Columns(its_names, own))
        left.append((name, transformer, kept))
    model.set_params(transformers=left)


def _parts(parameters: Mapping[str, Any], fitted: Any) -> Iterator[tuple[Any, Any]]:
    """Models within a model that see its columns, each with its fit, or None."""
    named = getattr(fitted, "named_estimators_", {})
    for name, value in parameters.items():
        if name == "final_estimator":  # of stacking: it sees predictions
            continue
        listed = value if isinstance(value, list) else [(name, value)]
        for entry in listed:
            is_named = isinstance(entry, tuple) and len(entry) > 1
            key, part = entry[:2] if is_named else (name, entry)
            if hasattr(part, "get_params") and not isinstance(part, type):
                if isinstance(value, list):
                    yield part, named.get(key)
                else:
                    searched = getattr(fitted, "best_estimator_", None)
                    yield part, getattr(fitted, f"{name}_", searched)


def _left_of(parameter: str, listed: Any, model: Any, seen: _Columns) -> Any:
    """A parameter's list of columns, or of values for each, without those that are gone."""
    if seen.gone is None:
        if _is_by_position(listed):
            raise _unknown(model, parameter)
        return listed
    if isinstance(listed, Mapping):
        left = {seen.names[column] for column in seen.gone}
        return {k: v for k, v in listed.items() if k not in left}
    if parameter == "monotonic_cst":
        return [value for column, value in enumerate(listed) if column not in seen.gone]
    return _kept(listed, seen)


def _unknown(model: Any, parameter: str) -> ValueError:
    return ValueError(
        f"{parameter} of {type(model).__name__} lists columns by position behind steps of which it "
        "is not known what they make of which column; list them by name, or put that step first"
    )


def _is_by_position(listed: Any) -> bool:
    """Return whether columns are given by their places: numbers, a mask or a value for each."""
    if callable(listed) or isinstance(listed, str | Mapping):
        return False
    if isinstance(listed, slice):
        return not (isinstance(listed.start, str) or isinstance(listed.stop, str))
    return np.asarray(listed).dtype.kind in "iufb"


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


def _kept(listed: Any, seen: _Columns) -> Any:
    """A list of columns (names, positions, a mask or a slice) without those that are gone."""
    names, gone = seen.names, seen.gone or frozenset()
    if callable(listed):
        return listed
    if isinstance(listed, slice):
        listed = columns_of_slice(listed, names)
    if isinstance(listed, str):
        return [] if listed in {names[column] for column in gone} else listed
    if isinstance(listed, int | np.integer):
        listed = [listed]
    values = np.asarray(listed)
    if values.dtype == bool:
        return [bool(keep) for column, keep in enumerate(listed) if column not in gone]
    if values.dtype.kind in "iu":
        moved = {
            column: column - sum(other < column for other in gone) for column in range(len(names))
        }
        at = [int(column) % len(names) for column in listed]
        return [moved[column] for column in at if column not in gone]
    left = {names[column] for column in gone}
    return [column for column in listed if str(column) not in left]


def _is_empty(listed: Any) -> bool:
    return not callable(listed) and not isinstance(listed, str | slice) and len(listed) == 0
