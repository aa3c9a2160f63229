"""Scores that are means over the trees of a forest, and the moments of nodes they are made of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import kernel
from losaw.scoring.importance_result import ImportanceResult
from losaw.trees.forests import GrownTree
from losaw.trees.view import ForestRows, ForestView

ERROR_KIND = "over trees, the training sample held fixed"


@dataclass(frozen=True)
class Moments:
    """Rows, sums and squares of the outcomes over the rows of every node."""

    size: FloatArray  # (n_nodes,), number of rows, counted with multiplicity
    total: FloatArray  # (n_nodes, n_outcomes)
    square: FloatArray  # (n_nodes,), over rows and outcomes

    @property
    def mean(self) -> FloatArray:
        """Mean outcomes (or class shares) of every node; NaN in a node without rows."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.total / self.size[:, None]

    def mean_square_distance(self, centre: FloatArray) -> FloatArray:
        """Mean over the node's rows of the squared distance to ``centre`` (n_nodes, n_outcomes)."""
        cross = (centre * self.total).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (self.square - 2 * cross) / self.size + (centre**2).sum(axis=1)


@dataclass(frozen=True)
class TreeNodes:
    """A tree with the moments of its in-bag and out-of-bag rows."""

    splits: NDArray[np.intp]  # numbers of the inner nodes
    children: tuple[NDArray[np.int32], NDArray[np.int32]]  # of their left and right children
    in_bag: Moments
    out_of_bag: Moments

    def decrease(self, impurity: FloatArray) -> FloatArray:
        """w_m H(m) - w_l H(l) - w_r H(r) of every split m, w the share of in-bag rows."""
        weighted = self.in_bag.size / self.in_bag.size[0] * impurity
        left, right = self.children
        return weighted[self.splits] - weighted[left] - weighted[right]


# From the nodes of a tree to one value for each of ``nodes.splits``.
Rule = Callable[[TreeNodes], FloatArray]


def mean_over_trees(method: str, rule: Rule, forest: ForestView) -> ImportanceResult:
    """The mean over trees of a rule's sums over the splits on every feature."""
    n_features = len(forest.sample.names)
    of_trees = np.zeros((len(forest.trees), n_features))
    for own, tree in zip(of_trees, forest.trees, strict=True):
        of_splits = rule(tree_nodes(tree, forest.outcomes))
        own += np.bincount(forest.units_of(tree), of_splits, minlength=n_features)
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


def tree_nodes(tree: GrownTree, outcomes: FloatArray) -> TreeNodes:
    """The moments of one tree's nodes, for the outcomes (n_samples, n_outcomes) of the rows."""
    sums = np.zeros((2, len(tree.size), outcomes.shape[1] + 2))
    add_rows(tree.leaf, tree.in_bag, outcomes, sums)
    left, right, splits = tree.nodes.left, tree.nodes.right, tree.nodes.splits
    add_children(left, right, sums)
    in_bag, out_of_bag = (Moments(part[:, 0], part[:, 2:], part[:, 1]) for part in sums)
    return TreeNodes(splits, (left[splits], right[splits]), in_bag, out_of_bag)


@kernel()
def add_rows(leaf: np.ndarray, counts: np.ndarray, outcomes: np.ndarray, sums: np.ndarray) -> None:
    """Add every row to its leaf: to ``sums[0]`` as often as it is in the bag, else ``sums[1]``."""
    for row in range(len(leaf)):
        part = 0 if counts[row] > 0 else 1
        weight = max(counts[row], 1)
        place = sums[part, leaf[row]]
        place[0] += weight
        for k in range(outcomes.shape[1]):
            place[1] += weight * outcomes[row, k] ** 2
            place[2 + k] += weight * outcomes[row, k]


@kernel()
def add_children(left: np.ndarray, right: np.ndarray, sums: np.ndarray) -> None:
    """Sums of inner nodes from their children, which stand behind them."""
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            for part in range(sums.shape[0]):
                for k in range(sums.shape[2]):
                    sums[part, node, k] = sums[part, left[node], k] + sums[part, right[node], k]
