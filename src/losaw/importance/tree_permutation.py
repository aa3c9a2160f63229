"""Permutation importance tree by tree, on the rows out of each tree's bag."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.importance.tree_means import result_of_trees
from losaw.rng import as_generator
from losaw.scoring.losses import squared_error, zero_one
from losaw.scoring.result import ImportanceResult
from losaw.scoring.rows import require_complete
from losaw.support.threads import checked_jobs, each
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.exchanged import exchanged_predictions
from losaw.trees.flat import GrownTree
from losaw.trees.over_trees import tree_nodes
from losaw.trees.view import ForestView, view_forest

# A tree, its out-of-bag rows, and for every feature it uses a permutation of them.
_Drawn = tuple[GrownTree, NDArray[np.intp], NDArray[np.intp], list[NDArray[np.intp]]]


def tree_permutation(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Mean over trees of the increase in loss when a feature is permuted out of the bag,

        PFI_j = mean over trees of mean over rows i of l(y_i, t(x_i^(pi, j))) - l(y_i, t(x_i)),

    with l the squared error, or 1 for a wrong class, shared by classes that tie (Breiman 2001,
    Section 10). The columns of one feature are permuted together.

    Parameters
    ----------
    model, X, y, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`, with its errors; missing values are refused.
    n_jobs, random_state
        As in :func:`losaw.importance.cpi`.

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import tree_permutation
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0])
    >>> tree_permutation(forest, X, X[:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    rng = as_generator(random_state)
    forest = view_forest(model, X, y, groups, kinds, feature_names)
    if np.isnan(forest.rows).any():
        require_complete(
            forest.sample.table, "Rows cannot be led through the trees", "impute them first"
        )
        raise ValueError("the steps before the forest leave missing values")

    def drawn() -> Iterator[_Drawn]:
        """Draw the permutations of all trees, one after the other, from one stream."""
        for tree in forest.trees:
            places = np.flatnonzero(tree.in_bag == 0)
            used = np.unique(forest.units_of(tree)) if len(places) else np.empty(0, np.intp)
            orders = [rng.permutation(len(places)) for _ in used]
            yield tree, places, used, orders

    n_threads = checked_jobs(n_jobs)
    increases = each(lambda permuted: _tree_scores(forest, permuted), drawn(), n_threads)
    return result_of_trees("tree_permutation()", np.stack(list(increases)), forest.sample)


def _tree_scores(forest: ForestView, drawn: _Drawn) -> FloatArray:
    tree, places, used, orders = drawn
    scores = np.zeros(len(forest.sample.names))
    if len(used) == 0:
        return scores
    value = tree_nodes(tree, forest.outcomes).in_bag.mean
    if getattr(forest.sample.forest, "monotonic_cst", None) is not None:
        # Constraints move what nodes predict away from the means of their rows, but for the root.
        value = value[0] + tree.mean - tree.mean[0]
    rows = forest.rows[places]
    units = [np.flatnonzero(forest.sample.unit_of_column == feature) for feature in used]
    copies = rows.copy()
    for unit, order in zip(units, orders, strict=True):
        copies[:, unit] = rows[order][:, unit]
    before, *exchanged = exchanged_predictions(tree.nodes, value, rows, copies[None], units)
    outcomes = forest.outcomes[places]
    reference = _losses(forest.task, outcomes, before)
    for feature, predicted in zip(used, exchanged, strict=True):
        scores[feature] = (_losses(forest.task, outcomes, predicted) - reference).mean()
    return scores


def _losses(task: str, outcomes: FloatArray, predicted: FloatArray) -> FloatArray:
    """Losses of rows from what a tree predicts of them, (n_rows, n_outcomes)."""
    if task == "regression":
        return squared_error(outcomes[:, 0], predicted[:, 0])
    return zero_one(outcomes.argmax(axis=1).astype(float), predicted)
