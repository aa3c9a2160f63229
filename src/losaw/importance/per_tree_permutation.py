"""Permutation importance tree by tree, on the rows out of (or in) each tree's bag."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import ForestView, TreeView, view_forest
from losaw.fitted_trees.node_moments import tree_nodes
from losaw.importance.described import Described, described
from losaw.importance.explained import of_dataset, require_complete
from losaw.importance.jobs import checked_jobs
from losaw.importance.over_trees import result_of_trees, scores_only
from losaw.importance.result import ImportanceResult
from losaw.kernels.trees import find_leaves
from losaw.rng import as_generator
from losaw.tables.groups import Groups
from losaw.tables.kinds import Kinds
from losaw.words import unknown

ROWS = ("out-of-bag", "in-bag")


def tree_permutation(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    rows: str = "out-of-bag",
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Permutation importance of every tree, see :class:`TreePermutationImportance`.

    Parameters
    ----------
    model, X, y, features, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`; columns of one feature are permuted together.
    rows : {"out-of-bag", "in-bag"}, default "out-of-bag"
        In-bag rows count as often as they are in the bag.
    verbose : bool, default False
        Show a progress bar.
    random_state : int, Generator or None

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.ufi`, and for missing values.

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
    if rows not in ROWS:
        raise ValueError(unknown("rows", rows, ROWS))
    rng = as_generator(random_state)
    forest, sample = view_forest(model, X, y, groups, kinds, feature_names)
    if np.isnan(forest.rows).any():
        require_complete(sample.table, "Rows cannot be led through the trees", "impute them first")
        raise ValueError("the steps before the forest leave missing values")

    def of_tree(pair: tuple[TreeView, NDArray[np.int64]]) -> FloatArray:
        tree, counts = pair
        weights = (counts == 0).astype(float) if rows == "out-of-bag" else counts
        drawn = np.flatnonzero(weights)
        if len(drawn) == 0:
            return np.zeros(forest.n_features)
        value = tree_nodes(tree, counts, forest).in_bag.mean
        return _tree_scores(forest, tree, value, drawn, weights[drawn], rng)

    # One after the other: every tree draws from the same stream.
    trees = zip(forest.trees, forest.in_bag_counts, strict=True)
    jobs = checked_jobs(None, verbose)
    of_trees = np.stack(list(jobs.each(of_tree, trees, len(forest.trees), "trees")))
    return result_of_trees(described("tree_permutation", rows=rows), of_trees, sample, features)


class TreePermutationImportance(Described):
    """Mean over trees of the increase in loss when a feature is permuted within the tree's rows,

        PFI_j = mean over trees of mean over rows i of l(y_i, t(x_i^(pi, j))) - l(y_i, t(x_i)),

    with l the squared error, or 1 for a wrong class (Breiman 2001, Section 10). The dummies of a
    nominal feature are permuted together.

    Parameters
    ----------
    rows : {"out-of-bag", "in-bag"}, default "out-of-bag"
        In-bag rows count as often as they are in the bag.
    """

    def __init__(self, rows: str = "out-of-bag") -> None:
        if rows not in ROWS:
            raise ValueError(unknown("rows", rows, ROWS))
        self.rows = rows

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the forest ``model`` fitted on ``data.train``; ``rng`` permutes."""
        columns = of_dataset(model, data)
        return scores_only(
            tree_permutation(model, *data.train, rows=self.rows, random_state=rng, **columns)
        )


def _tree_scores(
    forest: ForestView,
    tree: TreeView,
    value: FloatArray,
    drawn: NDArray[np.intp],
    weights: NDArray[Any],
    rng: np.random.Generator,
) -> FloatArray:
    scores = np.zeros(forest.n_features)
    rows, outcomes = forest.rows[drawn], forest.outcomes[drawn]
    reference = _losses(value[tree.leaf[drawn]], outcomes, forest.task)
    leaf = np.empty((len(rows), 1), dtype=np.int32)
    for feature in np.unique(tree.feature[tree.splits]):
        columns = forest.feature_of_column == feature
        permuted = rows.copy()
        permuted[:, columns] = rows[rng.permutation(len(rows))][:, columns]
        find_leaves(tree.nodes, permuted, leaf)
        losses = _losses(value[leaf[:, 0]], outcomes, forest.task)
        scores[feature] = np.average(losses - reference, weights=weights)
    return scores


def _losses(value: FloatArray, outcomes: FloatArray, task: str) -> FloatArray:
    if task == "regression":
        return ((outcomes - value) ** 2).sum(axis=1)
    # Classes that tie share the guess, whatever their order.
    best = value >= value.max(axis=1, keepdims=True)
    return np.asarray(1.0 - (best * outcomes).sum(axis=1) / best.sum(axis=1))
