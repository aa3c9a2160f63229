"""The importances that a clone of a user's model gives its columns, as Boruta compares them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.importance.per_tree_permutation import tree_permutation
from losaw.importance.residual_algorithms import seeded_clone

IMPORTANCES = ("permutation", "reported")


def importances_of(
    estimator: Any,
    columns: FloatArray,
    y: FloatArray,
    units: Sequence[NDArray[np.intp]],
    importance: str | None,
    rng: np.random.Generator,
) -> FloatArray:
    """Importances (n_units,) of an estimator cloned and fitted to columns.

    Parameters
    ----------
    units : sequence of int arrays
        Columns of every unit.
    importance : {"permutation", "reported"} or None
        The mean over trees of the out-of-bag loss increase over its standard error, or the sum of
        ``feature_importances_``. None: the first of forests with bootstrap samples.

    Raises
    ------
    TypeError
        If the model reports no ``feature_importances_``, or is no forest with bootstrap samples.
    """
    model = seeded_clone(estimator, rng).fit(columns, y)
    if importance == "permutation" or (importance is None and _is_bagged(model)):
        groups = {str(unit): places.tolist() for unit, places in enumerate(units)}
        names = [f"column {place}" for place in range(columns.shape[1])]
        found = tree_permutation(
            model, columns, y, groups=groups, feature_names=names, random_state=rng
        )
        z_scores = _over_error(found.scores, found.std_error)
        z_of = dict(zip(found.feature_names, z_scores, strict=True))
        return np.array([z_of[str(unit)] for unit in range(len(units))])
    reported = getattr(model, "feature_importances_", None)
    if reported is None:
        raise TypeError(
            f"{type(model).__name__} has no feature_importances_; give a forest or boosted trees, "
            "or model=None for the forests of the paper"
        )
    return np.array([np.asarray(reported)[places].sum() for places in units])


def _is_bagged(model: Any) -> bool:
    is_forest = hasattr(model, "in_bag_counts") or (
        hasattr(type(model), "estimators_samples_") and hasattr(model, "feature_importances_")
    )
    return is_forest and bool(getattr(model, "bootstrap", False))


def _over_error(scores: FloatArray, error: FloatArray | None) -> FloatArray:
    if error is None:
        return scores
    return np.divide(scores, error, out=np.zeros_like(scores), where=error > 0)
