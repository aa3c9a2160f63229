"""An unfitted copy of a model for rows that lack some columns."""

import ast
import numbers
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from losaw.scoring.folds import unfitted
from losaw.tables.groups import columns_of_slice, made_columns, places_of

# Parameters of a learner that name columns of X, of scikit-learn, xgboost and losaw:
# some columns, by position, by name or as a mask;
LISTS = ("nominal", "one_hot", "nominal_features", "discrete_features", "categorical_features")
_OF_OURS = ("nominal_features", "discrete_features")
# a value for each column, or for some by name;
VALUES = (
    "monotonic_cst", "monotone_constraints", "feature_types", "feature_weights", "categories",
    "drop", "min_categories", "min_value", "max_value", "n_bins",
)  # fmt: skip
# sets of columns.
SETS = ("interaction_cst", "interaction_constraints")

# Names of parameters of any library that may hold places of columns.
_SPEAKS_OF_COLUMNS = re.compile(r"categor|cat_|column|feature(?!_range)|monoton|interact|constrai")


class _Columns(NamedTuple):
    """The columns that a part of a model sees, and which of them go; None: that is not known."""

    names: tuple[str, ...]
    gone: frozenset[int] | None


def without(
    model: Any, columns: Sequence[int], names: Sequence[str], seed: int | None = None
) -> Any:
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
    seed : int or None, default None
        Of every part of the model that has none.
    """
    copy = unfitted(model, seed)
    _adapt(copy, model, _Columns(tuple(names), frozenset(columns)))
    return copy


def require_no_named_columns(model: Any, reason: str, by_position: bool = False) -> None:
    """Raise a ValueError for a parameter that names columns, or one that names them by position.

    What a ColumnTransformer hands on is not looked at.
    """
    for parameter, named, part in _named(model):
        if not by_position or _is_by_position(parameter, named):
            how = " by position" if by_position else ""
            raise ValueError(
                f"{parameter} of {type(part).__name__} names columns{how}, but {reason}"
            )


def _named(model: Any) -> Iterator[tuple[str, Any, Any]]:
    """Parameters that name columns, with their values and the parts of a model that have them."""
    if hasattr(model, "transformers"):
        yield from (("transformers", listed, model) for *_, listed in model.transformers)
        return
    for _, step in getattr(model, "steps", ()):
        if hasattr(step, "get_params"):
            yield from _named(step)
    if not hasattr(model, "steps"):
        parameters = model.get_params(deep=False)
        for name in (*LISTS, *VALUES, *SETS):
            named = _parsed(parameters.get(name))
            if hasattr(named, "__len__") and not isinstance(named, str) and len(named):
                yield name, named, model
        for part, _ in _parts(parameters, None):
            yield from _named(part)


def _adapt(model: Any, fitted: Any, seen: _Columns) -> None:
    """Let an unfitted model, or a part of one, be fitted to what is left of its columns.

    ``fitted`` is the same model or part, fitted, or None.
    """
    if hasattr(model, "steps"):
        for place, (_, step) in enumerate(model.steps):
            if hasattr(step, "get_params"):  # not left out, nor "passthrough"
                its_fit = None if fitted is None else fitted.steps[place][1]
                _adapt(step, its_fit, _behind(fitted, place, seen) if place else seen)
        return
    if hasattr(model, "transformers"):
        _adapt_transformers(model, fitted, seen)
        return
    parameters = model.get_params(deep=False)
    for name, value in parameters.items():
        is_known = name in (*LISTS, *VALUES, *SETS)
        if not is_known and _SPEAKS_OF_COLUMNS.search(name) and _has_places(value):
            raise ValueError(f"{name} of {type(model).__name__} names columns by place; name them")
    for name, named, part in list(_named(model)):
        if part is model:
            left = _left_of(name, named, model, seen)
            is_text = isinstance(parameters[name], str)
            model.set_params(**{name: str(left) if is_text else left})
    drawn = _n_drawn(parameters.get("max_features"), len(seen.names))
    if drawn is None:
        for part, its_fit in _parts(parameters, fitted):
            _adapt(part, its_fit, seen)
    # Learners within an ensemble that draws columns itself see some of them, so that a share or a
    # root stays what it is there. Histogram boosting, which has max_iter, takes shares only.
    elif seen.gone is not None and "max_iter" not in parameters:
        model.set_params(max_features=min(drawn, len(seen.names) - len(seen.gone)))


def _behind(fitted: Any, place: int, seen: _Columns) -> _Columns:
    """The columns that a fitted Pipeline's first steps make, and which are made of what goes."""
    if seen.gone is not None and fitted is not None:
        before = fitted[:place]
        # What is selected without a column may be another selection.
        if not any(hasattr(step, "get_support") for _, step in before.steps):
            try:
                made, sources = made_columns(before, seen.names)
            except (AttributeError, TypeError, ValueError):
                return _Columns(seen.names, None)
            gone = [at for at, source in enumerate(sources) if source in seen.gone]
            return _Columns(tuple(made), frozenset(gone))
    return _Columns(seen.names, None)


def _adapt_transformers(model: Any, fitted: Any, seen: _Columns) -> None:
    fits = getattr(fitted, "named_transformers_", {})
    left = []
    for name, transformer, listed in model.transformers:
        kept = listed if callable(listed) else _left_of("transformers", listed, model, seen)
        if not callable(kept) and not isinstance(kept, str | slice) and len(kept) == 0:
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
        if isinstance(value, list):
            entries = [one[:2] if isinstance(one, tuple) else (name, one) for one in value]
            yield from ((part, named.get(key)) for key, part in entries if _is_model(part))
        elif _is_model(value):
            searched = getattr(fitted, "best_estimator_", None)
            yield value, getattr(fitted, f"{name}_", searched)


def _has_places(value: Any) -> bool:
    if not isinstance(value, list | tuple | set | np.ndarray):
        return False
    return any(isinstance(one, numbers.Real) or _has_places(one) for one in value)


def _is_model(part: Any) -> bool:
    return hasattr(part, "get_params") and not isinstance(part, type)


def _parsed(named: Any) -> Any:
    """Constraints of xgboost that are given as text, "(1,0)" or "[[0, 1], [2]]", as numbers."""
    if isinstance(named, str) and named[:1] in "([" and named:
        return ast.literal_eval(named)
    return named


def _left_of(parameter: str, named: Any, model: Any, seen: _Columns) -> Any:
    """What a parameter says of columns, without those that are gone."""
    if seen.gone is None:
        if _is_by_position(parameter, named):
            raise ValueError(
                f"{parameter} of {type(model).__name__} names columns by position behind steps of "
                "which it is not known what they make of which column; name them, or put that "
                "step first"
            )
        return named
    if isinstance(named, Mapping):
        left = {seen.names[column] for column in seen.gone}
        return {k: v for k, v in named.items() if k not in left}
    if parameter in VALUES:
        kept = [value for column, value in enumerate(named) if column not in seen.gone]
        return tuple(kept) if isinstance(named, tuple) else kept
    if parameter in SETS:
        return [own for own in (_kept(list(one), seen) for one in named) if own]
    if parameter in _OF_OURS and np.asarray(named).dtype.kind in "iu":
        # A mask: what is left of labels 0, 1, … are other numbers than the places.
        places = {int(column) % len(seen.names) for column in named}
        return [j in places for j in range(len(seen.names)) if j not in seen.gone]
    return _kept(named, seen)


def _is_by_position(parameter: str, named: Any) -> bool:
    """Return whether columns are given by numbers, by a mask or by one value for each."""
    if parameter in VALUES:
        return not isinstance(named, Mapping)
    if parameter in SETS:
        return any(_is_by_position("", list(one)) for one in named)
    if isinstance(named, slice):
        return not (isinstance(named.start, str) or isinstance(named.stop, str))
    if callable(named) or isinstance(named, str):
        return False
    return np.asarray(named).dtype.kind in "iufb"


def _kept(listed: Any, seen: _Columns) -> Any:
    """A list of columns (names, positions, a mask or a slice) without those that are gone."""
    names, gone = seen.names, seen.gone or frozenset()
    if isinstance(listed, slice):
        listed = columns_of_slice(listed, names)
    if isinstance(listed, str):
        return [] if listed in {names[column] for column in gone} else listed
    values = np.atleast_1d(np.asarray(listed))
    if values.dtype == bool:
        return [bool(keep) for column, keep in enumerate(values) if column not in gone]
    if values.dtype.kind in "iu":
        at = [int(column) % len(names) for column in values]
        return [
            column - sum(other < column for other in gone) for column in at if column not in gone
        ]
    left = {names[column] for column in gone}
    return [column for column in listed if str(column) not in left]


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
