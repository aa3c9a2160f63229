"""The columns that a model was fitted to, among those of a table."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import counted, other_columns
from losaw.tables.table import Table


def require_order_of_fit(fitted: Iterable[Any] | None, table: Table) -> None:
    """Refuse an array, read by place, whose names are those of the fit in another order."""
    of_fit = [] if fitted is None else [str(name) for name in fitted]
    if table.labels is not None or set(of_fit) != set(table.names):
        return
    if differ := other_columns("feature_names", table.names, "the model was fitted to", of_fit):
        raise ValueError(
            f"{differ}; give the columns of an array in the order of the fit, or a data frame"
        )


def places_of_fit(model: Any, names: Sequence[str]) -> NDArray[np.intp]:
    """Places in X of the columns that a model was fitted to, in the order of the fit."""
    known = getattr(model, "feature_names_in_", None)
    fitted = [str(name) for name in (names if known is None else known)]
    for what, some, others in (("lacks", fitted, names), ("has", names, fitted)):
        strange = [name for name in some if name not in others]
        if strange:
            end = "" if what == "lacks" else f", which {type(model).__name__} was not fitted to"
            raise ValueError(
                f"X {what} the column {strange[0]!r}{end}; give X[model.feature_names_in_]"
            )
    return np.array([list(names).index(name) for name in fitted], dtype=np.intp)


def rebuild_for(model: Any, table: Table) -> Callable[[FloatArray], Any]:
    """Codes to rows with exactly the columns that the model was fitted to, in their order."""
    fitted = getattr(model, "feature_names_in_", None)
    require_order_of_fit(fitted, table)
    if table.is_plain or fitted is None:
        n_fitted = getattr(model, "n_features_in_", None)
        if n_fitted is not None and n_fitted != len(table.names):
            raise ValueError(
                f"X has {counted(len(table.names), '[column|columns]')}, but "
                f"{type(model).__name__} was fitted to {n_fitted}"
            )
        return table.rebuild
    order = places_of_fit(model, table.names)
    if np.array_equal(order, np.arange(len(table.names))):
        return table.rebuild
    return lambda codes: table.rebuild(codes).iloc[:, order]
