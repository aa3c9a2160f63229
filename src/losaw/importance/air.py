"""Actual impurity reduction, AIR (Nembrini, König and Wright 2018): ranger's corrected impurity."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.tree_means import result_of_trees
from losaw.rng import as_generator, seed_integer
from losaw.scoring.result import ImportanceResult, parameter_repr
from losaw.support.arguments import whole_number
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.flat import random_forests
from losaw.trees.view import forest_rows


def air(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_features: int | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Split improvement of a feature minus that of its permuted copy.

    A forest with the parameters of the given one is grown on ``[X, X[pi]]``, pi one random
    permutation of the rows,

        AIR_j = SI_j - SI_{j+p},

    with SI the split improvement that is not normalised. At a node as many columns are drawn
    from all 2p as the given forest draws from p. The dummies of a nominal feature are summed.

    This grows a second forest: the cost of an explanation is about that of a fit.

    Parameters
    ----------
    model : fitted random forest of scikit-learn, or a Pipeline that ends with one
    X, y, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`.
    max_features : int or None, default None
        Columns drawn at a node; None: as many as the given forest. ranger's default is the
        square root of p, rounded down.
    random_state : int, Generator or None
        Draws the permutation and the second forest's seed.

    Returns
    -------
    ImportanceResult
        ``std_error`` over the trees of the second forest.

    Raises
    ------
    TypeError, ValueError
        If the model is not a random forest of scikit-learn, or for ``max_features`` out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import air
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0])
    >>> air(forest, X, X[:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    from sklearn.base import clone

    rng = as_generator(random_state)
    sample = forest_rows(model, X, y, groups, kinds, feature_names)
    forest: Any = sample.forest
    rows = sample.rows
    if not isinstance(forest, random_forests()) or not hasattr(forest, "estimators_"):
        raise TypeError(
            f"{type(forest).__name__} is not a fitted random forest of scikit-learn; the "
            "actual impurity reduction is defined for its impurity and its way to split"
        )
    drawn = int(forest.estimators_[0].max_features_)
    if max_features is not None:
        most = 2 * rows.shape[1]
        drawn = whole_number("max_features", max_features, 1, "the columns that a node draws", most)
    shadowed = clone(forest).set_params(max_features=drawn, random_state=seed_integer(rng))
    if forest.monotonic_cst is not None:  # a permuted copy is held to what its feature is
        shadowed.set_params(monotonic_cst=[*forest.monotonic_cst, *forest.monotonic_cst])
    shadowed.fit(np.hstack([rows, rows[rng.permutation(len(rows))]]), sample.y)
    by_tree = np.stack(
        [tree.tree_.compute_feature_importances(normalize=False) for tree in shadowed.estimators_]
    )

    def of_units(columns: FloatArray) -> FloatArray:
        real, shadows = np.split(columns, 2)
        return sample.summed(real) - sample.summed(shadows)

    shown = parameter_repr("air", max_features=max_features)
    of_trees = np.stack([of_units(decreases) for decreases in by_tree])
    return result_of_trees(shown, of_trees, sample, of_units(np.mean(by_tree, axis=0)))
