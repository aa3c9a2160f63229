"""An unfitted copy of a model for rows that lack some columns."""

import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    copy, gone = unfitted(model, seed), {names[column] for column in columns}
    stay = [name for name in names if name not in gone]
    changes: dict[str, Any] = {}
    for path, part, name, value in _parameters(copy):
        if _names_places(name, value, names):
            if part is not copy or not type(part).__module__.startswith("losaw."):
                raise _by_place(name, part)
            # A mask: what is left of labels 0, 1, … are other numbers than the places.
            named = {names[place] for place in places_of(value, names)}
            mask = [n in named for n in stay]
            changes[path] = mask if "features" in name else np.flatnonzero(mask).tolist()
        elif name == "transformers":
            changes[path] = [(key, step, _left_of(of, gone, names)) for key, step, of in value]
        elif name == "max_features":
            drawn = _n_drawn(path, copy, model, len(names), len(stay))
            changes[path] = value if drawn is None else drawn
        elif _SPEAKS_OF_COLUMNS.search(name):
            changes[path] = _left_of(value, gone, names)
    return copy.set_params(**changes)


def require_names(model: Any, names: Sequence[str], reason: str) -> None:
    """Raise a ValueError for a part of an unfitted model that names columns by place."""
    for _, part, name, value in _parameters(model):
        if _names_places(name, value, names):
            raise ValueError(f"{_by_place(name, part)}; {reason}")


def _by_place(parameter: str, part: Any) -> ValueError:
    return ValueError(
        f"{parameter} of {type(part).__name__} names columns by place, or by names that are not "
        "of X: without a column others are there; give names of columns of X"
    )


def _parameters(model: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Of a model and all its parts each parameter: its path, the part, its name and its value."""
    every = model.get_params()
    for path, value in every.items():
        above, _, name = path.rpartition("__")
        # The last model of stacking sees predictions, and no columns.
        if "final_estimator" not in path.split("__") and not _is_model(value):
            yield path, every.get(above, model), name, value


def _names_places(parameter: str, value: Any, names: Sequence[str]) -> bool:
    """Return whether a parameter speaks of columns otherwise than by their names."""
    if parameter == "transformers":  # of a ColumnTransformer: name, transformer, columns
        return any(_names_places("columns", columns, names) for *_, columns in value)
    if isinstance(value, Mapping):  # the grid of a search, or arguments of a function
        for key, of_key in value.items():
            last = str(key).rpartition("__")[2]
            listed = of_key if isinstance(of_key, list | tuple) else [of_key]
            if any(_names_places(last, item, names) for item in listed):
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


def _is_model(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _leaves(value: Any) -> Iterator[Any]:
    """What a parameter lists, however deep; of a mapping its keys, of a slice its ends."""
    if isinstance(value, slice):
        yield from (0 if value.start is None else value.start, value.stop or 0)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            yield from _leaves(item)
    elif not callable(value):
        yield value


def _left_of(value: Any, gone: set[str], names: Sequence[str]) -> Any:
    """What names columns, however deep, without those that are gone and what is empty then."""
    if not gone.intersection(_leaves(value)):
        return value
    if isinstance(value, Mapping):
        return {name: of_it for name, of_it in value.items() if name not in gone}
    if isinstance(value, slice):
        value = [names[place] for place in places_of(value, names)]
    kept = [] if isinstance(value, str) else (_left_of(item, gone, names) for item in value)
    return [item for item in kept if len(item)]


def _n_drawn(path: str, copy: Any, model: Any, n_columns: int, n_left: int) -> int | None:
    """The number of columns that ``max_features`` stands for; None where it stays as it is.

    It stays where it stands for all, where an ensemble around it draws columns itself, and in
    histogram boosting, which has ``max_iter`` and takes shares only.
    """
    fitted, parts = {"": model, **model.get_params()}, {"": copy, **copy.get_params()}
    if (best := getattr(model, "best_estimator_", None)) is not None:  # of a search
        fitted |= {f"estimator__{inner}": value for inner, value in best.get_params().items()}
    *above, _ = path.split("__")
    around = ["__".join(above[:length]) for length in range(len(above), -1, -1)]  # itself first
    if not hasattr(parts[around[0]], "predict") or hasattr(parts[around[0]], "max_iter"):
        return None
    known = (getattr(fitted[at], "n_features_in_", None) for at in around)
    n_seen = next((n for n in known if n is not None), n_columns)
    drawn, *outer = (_as_number(getattr(parts[at], "max_features", 1.0), n_seen) for at in around)
    if drawn is None or any(n is not None for n in outer):
        return None
    return min(drawn, n_left) if n_seen == n_columns else drawn


def _as_number(most: Any, n_columns: int) -> int | None:
    """``max_features`` as a number of columns; None for all, and if unknown."""
    if isinstance(most, str):
        most = {"sqrt": int(np.sqrt(n_columns)), "log2": int(np.log2(n_columns))}.get(most)
    if isinstance(most, numbers.Integral):
        return max(1, int(most))
    share = float(most) if isinstance(most, numbers.Real) else 1.0
    return None if share == 1.0 else max(1, int(share * n_columns))
