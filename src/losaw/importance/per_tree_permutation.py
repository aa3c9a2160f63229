"""Permutation importance tree by tree, on the rows out of (or in) each tree's bag."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FloatArray
from losaw.fitted_trees.forest_view import ForestView, TreeView, view_forest
from losaw.fitted_trees.node_moments import tree_nodes
from losaw.importance.result import ImportanceResult
from losaw.kernels.compiled import compiled
from losaw.rng import as_generator
from losaw.words import unknown

ROWS = ("out-of-bag", "in-bag")


class TreePermutationImportance:
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
        rng = as_generator(rng)
        forest, _ = view_forest(model, *data.train)
        scores = np.zeros(forest.n_features)
        for tree, counts in zip(forest.trees, forest.in_bag_counts, strict=True):
            weights = (counts == 0).astype(float) if self.rows == "out-of-bag" else counts
            chosen = np.flatnonzero(weights)
            if len(chosen) == 0:
                continue
            value = tree_nodes(tree, counts, forest).in_bag.mean
            scores += _tree_scores(forest, tree, value, chosen, weights[chosen], rng)
        return ImportanceResult(scores / len(forest.trees), data.feature_names)


def _tree_scores(
    forest: ForestView,
    tree: TreeView,
    value: FloatArray,
    chosen: NDArray[np.intp],
    weights: NDArray[Any],
    rng: np.random.Generator,
) -> FloatArray:
    scores = np.zeros(forest.n_features)
    rows, outcomes = forest.rows[chosen], forest.outcomes[chosen]
    reference = _losses(value[tree.leaf[chosen]], outcomes, forest.task)
    leaf = np.empty(len(rows), dtype=np.intp)
    for feature in np.unique(tree.feature[tree.left >= 0]):
        columns = forest.feature_of_column == feature
        permuted = rows.copy()
        permuted[:, columns] = rows[rng.permutation(len(rows))][:, columns]
        find_leaf(permuted, tree.left, tree.right, tree.column, tree.threshold, leaf)
        losses = _losses(value[leaf], outcomes, forest.task)
        scores[feature] = np.average(losses - reference, weights=weights)
    return scores


def _losses(value: FloatArray, outcomes: FloatArray, task: str) -> FloatArray:
    if task == "regression":
        return ((outcomes - value) ** 2).sum(axis=1)
    # Classes that tie share the guess, whatever their order.
    best = value >= value.max(axis=1, keepdims=True)
    return np.asarray(1.0 - (best * outcomes).sum(axis=1) / best.sum(axis=1))


@compiled()
def find_leaf(
    rows: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    column: np.ndarray,
    threshold: np.ndarray,
    leaf: np.ndarray,
) -> None:
    """Write the leaf of every row in one tree."""
    for row in range(len(rows)):
        node = 0
        while left[node] >= 0:
            node = left[node] if rows[row, column[node]] <= threshold[node] else right[node]
        leaf[row] = node
