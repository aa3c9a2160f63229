"""Results that are means over the trees of a forest."""

import numpy as np

from losaw.data import FloatArray
from losaw.scoring.result import ImportanceResult
from losaw.trees.over_trees import Rule, tree_nodes
from losaw.trees.view import ForestRows, ForestView

ERROR_KIND = "over trees, the training sample held fixed"


def mean_over_trees(method: str, rule: Rule, forest: ForestView) -> ImportanceResult:
    """The mean over trees of a rule's sums over the splits on every feature."""
    n_features = len(forest.sample.names)
    of_trees = np.zeros((len(forest.trees), n_features))
    for scores_of_tree, tree in zip(of_trees, forest.trees, strict=True):
        of_splits = rule(tree_nodes(tree, forest.outcomes))
        scores_of_tree += np.bincount(forest.units_of(tree), of_splits, minlength=n_features)
    return result_of_trees(method, of_trees, forest.sample)


def result_of_trees(
    method: str, of_trees: FloatArray, sample: ForestRows, scores: FloatArray | None = None
) -> ImportanceResult:
    """The result from each tree's scores (n_trees, n_units), whose mean is the default score."""
    n_trees = len(of_trees)
    if scores is None:
        # One tree after the other, so that the sum is the same for any number of units.
        scores = np.add.accumulate(of_trees, axis=0)[-1] / n_trees
    of_trees = np.asfortranarray(of_trees)  # errors have the last bits of sums down its columns
    error = of_trees.std(axis=0, ddof=1) / np.sqrt(n_trees) if n_trees > 1 else None
    return ImportanceResult(
        scores,
        sample.names,
        std_error=error,
        std_error_kind=None if error is None else ERROR_KIND,
        method=method,
        kinds=sample.kinds,
        degrees_of_freedom=n_trees - 1 if n_trees > 1 else None,
    )
