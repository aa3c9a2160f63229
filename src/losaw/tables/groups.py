"""Groups of columns that are one feature: the one format, and the groups that an encoder makes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.support.arguments import ArgumentTypeError
from losaw.support.words import unknown

Groups = Mapping[str, Sequence[Any]] | None


def named_column(column: Any, names: Sequence[str]) -> int | None:
    """Return the place of a column that a user names by its label, or by its place; None: unknown.

    A number is a label first: it is a place only where no label is a whole number.
    """
    if str(column) in names:
        return list(names).index(str(column))
    is_number = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if not is_number or any(name.lstrip("-").isdigit() for name in names):
        return None
    return int(column) if 0 <= column < len(names) else None


class Units(NamedTuple):
    """The scored units: names, and the columns that belong to each."""

    names: tuple[str, ...]
    members: tuple[NDArray[np.intp], ...]

    @property
    def of_columns(self) -> NDArray[np.intp]:
        """The unit of every column."""
        units = np.empty(sum(map(len, self.members)), dtype=np.intp)
        for unit, columns in enumerate(self.members):
            units[columns] = unit
        return units


def units_of(names: Sequence[str], groups: Groups = None) -> Units:
    """Return every group as one unit, in the place of its first column, and all other columns.

    Parameters
    ----------
    names : sequence of str
        The columns.
    groups : dict of group name to columns (see :func:`named_column`), or None
    """
    group_of: dict[int, str] = {}
    if groups is not None and not isinstance(groups, Mapping):
        raise TypeError(
            "groups must be a dict of group name to its columns, as in "
            f"{{'address': ['street', 'town']}}, got {type(groups).__name__}"
        )
    for group, columns in (groups or {}).items():
        if isinstance(columns, str) or not isinstance(columns, Sequence | np.ndarray):
            raise TypeError(f"group {group!r} must be a list of columns, got {columns!r}")
        if not len(columns):
            raise ValueError(f"group {group!r} has no columns")
        if str(group) in group_of.values():
            raise ValueError(f"two groups are called {str(group)!r}; give each a name of its own")
        for column in columns:
            index = named_column(column, names)
            if index is None:
                raise ValueError(f"group {group!r}: {unknown('feature', column, names)}")
            if index in group_of:
                raise ValueError(
                    f"column {names[index]!r} is in the groups {group_of[index]!r} and {group!r}"
                )
            group_of[index] = str(group)
    units: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        unit = group_of.get(index, name)
        if index not in group_of and unit in group_of.values():
            raise ValueError(
                f"group {unit!r} has the name of a column that is not in it; give it another name"
            )
        units.setdefault(unit, []).append(index)
    return Units(
        tuple(units), tuple(np.array(columns, dtype=np.intp) for columns in units.values())
    )


def chosen_units(
    units: Units, features: Sequence[str] | None, argument: str = "features"
) -> NDArray[np.intp]:
    """Positions of the units that an argument names, in its order; None: all."""
    if features is None:
        return np.arange(len(units.names))
    if isinstance(features, str):
        features = [features]
    if not hasattr(features, "__len__"):
        raise ArgumentTypeError(
            f"{argument} must be names of features, as in ['{units.names[0]}'], or None for all, "
            f"got {features!r}"
        )
    if not len(features) and argument == "features":
        raise ValueError("features names no feature; None scores all")
    places = [named_column(feature, units.names) for feature in features]
    if None in places:
        raise ValueError(
            f"{argument}: {unknown('feature', features[places.index(None)], units.names)}"
        )
    twice = [units.names[p] for p in places if p is not None and places.count(p) > 1]
    if twice:
        raise ValueError(f"{argument} names {twice[0]!r} twice; name each feature once")
    return np.array(places, dtype=np.intp)


def units_outside(
    given: Sequence[str], names: Sequence[str], features: Sequence[str] | None, groups: Groups
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the places of given columns, and the names of the units that are scored.

    These are outside of the given columns; where ``features`` is None, all that are.
    """
    places, units = chosen_units(units_of(names), given, "given"), units_of(names, groups)
    inside = [np.isin(columns, places) for columns in units.members]
    if features is None:
        features = [n for n, of_unit in zip(units.names, inside, strict=True) if not of_unit.all()]
        if not features:
            raise ValueError("given names every feature, and none is left to score")
    scored = [int(unit) for unit in chosen_units(units, features)]
    for unit in scored:
        if inside[unit].any():
            column, name = names[units.members[unit][inside[unit].argmax()]], units.names[unit]
            what = f"{name!r}" if column == name else f"{column!r}, of the group {name!r},"
            raise ValueError(f"given: {what} is scored and given at once; name it in one of both")
    return places, [units.names[unit] for unit in scored]


def groups_of(encoder: Any) -> dict[str, list[str]]:
    """The columns that a fitted encoder made of each of its own, as ``groups=`` wants them.

    For a model that was fitted to the encoded columns (dummies) instead of a Pipeline.

    Parameters
    ----------
    encoder : fitted transformer
        A OneHotEncoder, a ColumnTransformer or a Pipeline of such, or any transformer that makes
        one column of one.

    Returns
    -------
    dict of str to list of str
        Input column -> names of the columns made of it (``encoder.get_feature_names_out()``).

    Raises
    ------
    ValueError
        If a transformer mixes its columns, as principal components do.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from losaw.importance import groups_of
    >>> frame = pd.DataFrame({"town": ["a", "b", "a"], "size": ["s", "m", "l"]})
    >>> groups_of(OneHotEncoder().fit(frame))["town"]
    ['town_a', 'town_b']
    """
    inputs, outputs, sources = _map(encoder)
    groups: dict[str, list[str]] = {name: [] for name in inputs}
    for output, source in zip(outputs, sources, strict=True):
        groups[inputs[source]].append(output)
    return {name: columns for name, columns in groups.items() if columns}


def _map(
    encoder: Any, names: Sequence[str] | None = None
) -> tuple[list[str], list[str], list[int]]:
    """Input names, output names, and the input of every output."""
    if hasattr(encoder, "steps"):
        inputs: list[str] | None = None
        sources: list[int] = []
        for _, step in encoder.steps:
            if step is None or step == "passthrough":
                continue
            names_in, outputs, from_own = _map(step, names)
            sources = from_own if inputs is None else [sources[place] for place in from_own]
            inputs, names = inputs or names_in, outputs
        if inputs is None:
            raise ValueError("the pipeline has no step that transforms")
        return inputs, list(names or ()), sources
    inputs = [str(name) for name in getattr(encoder, "feature_names_in_", names or ())]
    n_inputs = getattr(encoder, "n_features_in_", len(inputs))
    inputs = inputs or [f"x{place}" for place in range(n_inputs)]
    if not hasattr(encoder, "get_feature_names_out"):
        raise ValueError(
            f"{type(encoder).__name__} does not say what its columns are made of (it has no "
            "get_feature_names_out); name the groups yourself"
        )
    # Fitted to an array, a step knows no names, and would call its columns x0, x1, ...
    known = [] if hasattr(encoder, "feature_names_in_") else [inputs]
    outputs = [str(name) for name in encoder.get_feature_names_out(*known)]
    if hasattr(encoder, "transformers_"):
        return inputs, outputs, _sources_of_transformers(encoder, inputs, len(outputs))
    if hasattr(encoder, "categories_") and hasattr(encoder, "drop_idx_"):
        widths = _widths(encoder)
        return inputs, outputs, [place for place, width in enumerate(widths) for _ in range(width)]
    if any(kind.__name__ == "ClassNamePrefixFeaturesOutMixin" for kind in type(encoder).__mro__):
        words = "mixes its columns, as principal components do; name the groups yourself"
        raise ValueError(f"{type(encoder).__name__} {words}")
    # As many columns of each, in order: names would be ambiguous if one goes on as another does.
    width = len(outputs) // max(len(inputs), 1)
    in_order = [place for place in range(len(inputs)) for _ in range(width)]
    if len(in_order) == len(outputs) and all(
        _is_of(output, inputs[place]) for output, place in zip(outputs, in_order, strict=True)
    ):
        return inputs, outputs, in_order
    return inputs, outputs, [_by_name(output, inputs, encoder) for output in outputs]


def _is_of(output: str, name: str) -> bool:
    return output == name or output.startswith(f"{name}_")


def _by_name(output: str, inputs: list[str], encoder: Any) -> int:
    """Find the input of an output by its name, which may go on after an underscore."""
    bare = output.removeprefix("missingindicator_")
    fitting = [name for name in inputs if _is_of(bare, name)]
    if not fitting:
        raise ValueError(
            f"{type(encoder).__name__} makes the column {output!r}, which is not of a single one "
            "of its columns; name the groups yourself"
        )
    return inputs.index(max(fitting, key=len))


def _widths(encoder: Any) -> list[int]:
    """Columns that a OneHotEncoder makes of each input."""
    widths = [len(levels) for levels in encoder.categories_]
    for place, rare in enumerate(getattr(encoder, "infrequent_categories_", ())):
        widths[place] -= 0 if rare is None else len(rare) - 1
    if encoder.drop_idx_ is not None:
        widths = [w - (d is not None) for w, d in zip(widths, encoder.drop_idx_, strict=True)]
    return widths


def made_columns(encoder: Any, names: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the columns that a fitted encoder makes, and the places of their sources in names."""
    inputs, outputs, sources = _map(encoder, names)
    if not hasattr(encoder, "feature_names_in_"):
        return outputs, np.array(sources, dtype=np.intp)
    for name in inputs:
        if name not in names:
            raise ValueError(f"X lacks the column {name!r}, which the pipeline was fitted to")
    return outputs, np.array([names.index(inputs[source]) for source in sources], dtype=np.intp)


def _sources_of_transformers(encoder: Any, inputs: list[str], n_outputs: int) -> list[int]:
    sources = [-1] * n_outputs
    for name, transformer, columns in encoder.transformers_:
        made = range(n_outputs)[encoder.output_indices_[name]]
        if not len(made):
            continue
        places = places_of(columns, inputs)
        if isinstance(transformer, str):  # passthrough
            from_own = list(range(len(places)))
        else:
            _, _, from_own = _map(transformer, [inputs[place] for place in places])
        for output, own in zip(made, from_own, strict=True):
            sources[output] = places[own]
    return sources


def places_of(columns: Any, inputs: Sequence[str]) -> list[int]:
    """The positions of listed columns: names, numbers, a mask, a slice, or a single one."""
    if isinstance(columns, slice):
        columns = columns_of_slice(columns, inputs)
    if isinstance(columns, str | int):
        columns = [columns]
    selected = np.asarray(columns)
    if selected.dtype == bool:
        return np.flatnonzero(selected).tolist()
    return [
        inputs.index(str(c)) if isinstance(c, str) else int(c) % len(inputs)
        for c in selected.tolist()
    ]


def columns_of_slice(listed: slice, names: Sequence[str]) -> list[Any]:
    """The columns of a slice; one of names includes its end, as in pandas."""
    if not (isinstance(listed.start, str) or isinstance(listed.stop, str)):
        return list(range(len(names))[listed])
    first = 0 if listed.start is None else names.index(listed.start)
    last = len(names) - 1 if listed.stop is None else names.index(listed.stop)
    return list(names[first : last + 1])
