"""Scores that are means over the trees of a forest, with their error over trees."""

from collections.abc import Callable, Sequence

import numpy as np

from losaw.data import FloatArray
from losaw.scoring.importance_result import ImportanceResult
from losaw.tables.groups import Units, chosen_units
from losaw.trees.node_moments import TreeNodes, scores_of_trees
from losaw.trees.view import ForestRows, ForestView

ERROR_KIND = "over trees, the training sample held fixed"

Rule = Callable[[TreeNodes], FloatArray]


def mean_over_trees(
    method: str,
    rule: Callable[[str], Rule],
    forest: ForestView,
    features: Sequence[str] | None,
) -> ImportanceResult:
    """The mean over trees of a rule's sums over the splits on every feature.

    Parameters
    ----------
    rule : callable
        The task to ``rule(nodes) -> array``, one value for each of ``nodes.splits``.
    """
    of_trees = scores_of_trees(forest, rule(forest.task))
    return result_of_trees(method, of_trees, forest.sample, features)


def result_of_trees(
    method: str,
    of_trees: FloatArray,
    sample: ForestRows,
    features: Sequence[str] | None,
    scores: FloatArray | None = None,
) -> ImportanceResult:
    """The result from each tree's scores (n_trees, n_units), whose mean is the default score."""
    shown = chosen_units(Units(sample.names, ()), features)
    n_trees = len(of_trees)
    if scores is None:
        # One tree after the other, so that the sum is the same whatever else is requested.
        scores = np.add.accumulate(of_trees, axis=0)[-1] / n_trees
    of_trees = of_trees[:, shown]
    error = of_trees.std(axis=0, ddof=1) / np.sqrt(n_trees) if n_trees > 1 else None
    return ImportanceResult(
        scores[shown],
        tuple(sample.names[unit] for unit in shown),
        std_error=error,
        std_error_kind=None if error is None else ERROR_KIND,
        method=method,
        kinds=tuple(sample.kinds[unit] for unit in shown),
        degrees_of_freedom=n_trees - 1 if n_trees > 1 else None,
    )
