"""An unfitted copy of a model for rows that lack some columns."""

import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from losaw.scoring.folds import unfitted
from losaw.tables.groups import places_of

# English words in names of parameters, of any library, that can name columns of X;
_SPEAKS_OF_COLUMNS = re.compile(
    r"categor|column|feature(?!_range)|variable|monoton|interact|constrai|nominal|one_hot"
    r"|(^|_)(cat|col)s?(_|$)"
)
# under these a whole number is a place, and under others a number of columns.
_ONE_COLUMN = re.compile(r"^(?!n_|num_|max_|min_).*(feature|column|variable|(^|_)col)s?$")
_PLACES_AS_TEXT = re.compile(r"[\d:,]")  # "(1, 0)" of xgboost, "0,2" and "name:age" of lightgbm


class _Part(NamedTuple):
    """An unfitted part of a model, its fit or None, the columns that it sees, and which go."""

    model: Any
    fitted: Any
    names: tuple[str, ...]
    gone: frozenset[str]
    behind: bool = False  # another step, so that places and numbers are of the columns it makes
    shares: bool = True  # max_features is of all columns, not of those that an ensemble draws


def without(
    model: Any, columns: Sequence[int], names: Sequence[str], seed: int | None = None
) -> Any:
    """An unfitted copy of a fitted ``model`` for X without some of its ``columns`` (positions).

    Parameters lose the names of columns that go, and a forest draws as many columns at a node as
    with all of them, or all that are left: half of four columns are two, but half of three would
    be one, and the forest worse for that alone. This holds within a Pipeline, a ColumnTransformer,
    which loses the columns themselves, and a list of models too. ``seed`` is that of every part
    that has none. A ValueError where a parameter names columns by place: others are there then.
    """
    copy = unfitted(model, seed)
    gone = frozenset(names[column] for column in columns)
    for part in list(_parts(_Part(copy, model, tuple(names), gone))):
        part.model.set_params(**_changes(part))
    return copy


def require_names(model: Any, names: Iterable[str], reason: str) -> None:
    """Raise a ValueError for a part of an unfitted model that names columns by place."""
    try:
        for part in _parts(_Part(model, None, tuple(names), frozenset(), behind=True)):
            _changes(part)
    except ValueError as error:
        raise ValueError(f"{error}; {reason}") from error


def _parts(part: _Part) -> Iterator[_Part]:
    """All parts of a model whose parameters may name columns, those within others last."""
    model, fitted = part.model, part.fitted
    if hasattr(model, "steps"):
        for place, (_, step) in enumerate(model.steps):
            its_fit = None if fitted is None else fitted.steps[place][1]
            if _is_model(step):
                its = part._replace(model=step, fitted=its_fit, behind=part.behind or place > 0)
                yield from _parts(its)
        return
    yield part
    if hasattr(model, "transformers"):
        for _, transformer, its_fit, _, own in _transformers(part):
            gone = part.gone.intersection(own)
            if _is_model(transformer) and 0 < len(gone) < len(own):
                yield from _parts(_Part(transformer, its_fit, own, gone))
        return
    parameters = model.get_params(deep=False)
    shares = part.shares and _n_drawn(part) is None
    for name, value in parameters.items():
        if name == "final_estimator" and not parameters.get("passthrough"):
            continue  # of stacking: it sees predictions only
        fits = dict(getattr(fitted, "named_estimators_", {}))
        fits[name] = getattr(fitted, f"{name}_", getattr(fitted, "best_estimator_", None))
        for one in value if isinstance(value, list) else [value]:
            key, inner = one[:2] if isinstance(one, tuple) and len(one) > 1 else (name, one)
            if _is_model(inner):
                yield from _parts(part._replace(model=inner, fitted=fits.get(key), shares=shares))


def _transformers(part: _Part) -> Iterator[tuple[str, Any, Any, Any, tuple[str, ...]]]:
    """Of a ColumnTransformer: name, transformer, its fit, what it lists, and the names of that."""
    fits = {name: (fit, of) for name, fit, of in getattr(part.fitted, "transformers_", ())}
    rest = ("remainder", part.model.remainder, None)
    for name, transformer, listed in (*part.model.transformers, rest):
        its_fit, found = fits.get(name, (None, ()))
        is_found = listed is None or callable(listed)
        if any(isinstance(one, str) and one not in part.names for one in _leaves(listed)):
            raise _by_place("transformers", part.model)
        places = places_of(found if is_found else listed, part.names)
        yield name, transformer, its_fit, listed, tuple(part.names[place] for place in places)


def _listed_without(part: _Part) -> list[tuple[str, Any, Any]]:
    """The transformers of a ColumnTransformer that have columns left, and these."""
    stay, kept = [name for name in part.names if name not in part.gone], []
    for name, transformer, _, listed, own in _transformers(part):
        left: Any = [n for n in own if n not in part.gone]
        if listed is None:
            continue
        if callable(listed):
            left = listed
        elif not all(isinstance(one, str) for one in _leaves(listed)):
            if part.behind:
                raise _by_place("transformers", part.model)
            left = [stay.index(n) for n in left]
        elif len(left) == len(own):
            left = listed
        if callable(left) or isinstance(left, slice) or len(left):
            kept.append((name, transformer, left))
    return kept


def _changes(part: _Part) -> dict[str, Any]:
    """The parameters of a part that are others without the columns that go."""
    if hasattr(part.model, "transformers"):
        return {"transformers": _listed_without(part)}
    stay = [name for name in part.names if name not in part.gone]
    changes: dict[str, Any] = {}
    is_ours = type(part.model).__module__.startswith("losaw.") and not part.behind
    for name, value in part.model.get_params(deep=False).items():
        if not _names_places(name, value, part.names):
            if _SPEAKS_OF_COLUMNS.search(name) and part.gone.intersection(_leaves(value)):
                changes[name] = _left_of(value, part.gone)
        elif is_ours:  # a mask: what is left of labels 0, 1, … are other numbers than the places
            named = {part.names[place] for place in places_of(value, part.names)}
            mask = [n in named for n in stay]
            changes[name] = mask if "features" in name else np.flatnonzero(mask).tolist()
        else:
            raise _by_place(name, part.model)
    # Histogram boosting, which has max_iter, takes shares only.
    drawn = _n_drawn(part)
    if part.shares and drawn is not None and not hasattr(part.model, "max_iter"):
        changes["max_features"] = drawn if part.behind else min(drawn, len(stay))
    return changes


def _by_place(parameter: str, model: Any) -> ValueError:
    return ValueError(
        f"{parameter} of {type(model).__name__} names columns by place, or by names that are not "
        "of X: without a column others are there; give names of columns of X"
    )


def _is_model(part: Any) -> bool:
    return hasattr(part, "get_params") and not isinstance(part, type)


def _names_places(parameter: str, value: Any, names: Sequence[str]) -> bool:
    """Return whether a parameter speaks of columns otherwise than by their names."""
    if isinstance(value, Mapping):  # the grid of a search, or arguments of a function
        for key, of_key in value.items():
            last = str(key).rpartition("__")[2]
            listed = of_key if isinstance(of_key, list | tuple) else [of_key]
            if any(_names_places(last, one, names) for one in listed):
                return True
    if not _SPEAKS_OF_COLUMNS.search(parameter) or parameter == "max_features":
        return False
    if isinstance(value, str):
        return value not in names and bool(_PLACES_AS_TEXT.search(value))
    if isinstance(value, numbers.Integral):
        return not isinstance(value, bool) and bool(_ONE_COLUMN.search(parameter))
    leaves = list(_leaves(value)) if isinstance(value, Iterable | slice) else []
    is_named = all(isinstance(leaf, str) and leaf in names for leaf in leaves)
    return not (is_named or any(map(_is_model, leaves)))


def _leaves(value: Any) -> Iterator[Any]:
    """What a parameter lists, however deep; of a mapping its keys, of a slice its ends."""
    if isinstance(value, slice):
        yield from (0 if value.start is None else value.start, value.stop or 0)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for one in value:
            yield from _leaves(one)
    elif not callable(value):
        yield value


def _left_of(value: Any, gone: frozenset[str]) -> Any:
    """What names columns, however deep, without those that are gone and what is empty then."""
    if isinstance(value, Mapping):
        return {name: of_it for name, of_it in value.items() if name not in gone}
    if isinstance(value, str):
        return [] if value in gone else value
    return [kept for kept in (_left_of(one, gone) for one in value) if len(kept)]


def _n_drawn(part: _Part) -> int | None:
    """The number of columns that ``max_features`` stands for; None for all, and if unknown."""
    most = part.model.get_params(deep=False).get("max_features")
    n_columns = getattr(part.fitted, "n_features_in_", None if part.behind else len(part.names))
    if n_columns is None or isinstance(most, bool):
        return None
    if isinstance(most, str):
        most = {"sqrt": int(np.sqrt(n_columns)), "log2": int(np.log2(n_columns))}.get(most)
    if isinstance(most, numbers.Integral):
        return max(1, int(most))
    share = float(most) if isinstance(most, numbers.Real) else 1.0
    return None if share == 1.0 else max(1, int(share * n_columns))
