"""The moments of the outcomes in the nodes of a forest's trees, in the bag and out of it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.compiled import kernel
from losaw.trees.flat import GrownTree


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


def tree_nodes(tree: GrownTree, outcomes: FloatArray) -> TreeNodes:
    """The moments of one tree's nodes, for the outcomes (n_samples, n_outcomes) of the rows."""
    sums = np.zeros((2, len(tree.size), outcomes.shape[1] + 2))
    add_rows(tree.leaf, tree.in_bag, outcomes, sums)
    left, right, splits = tree.nodes.left, tree.nodes.right, tree.nodes.splits
    add_children(left, right, sums)
    in_bag, out_of_bag = (Moments(of_bag[:, 0], of_bag[:, 2:], of_bag[:, 1]) for of_bag in sums)
    return TreeNodes(splits, (left[splits], right[splits]), in_bag, out_of_bag)


@kernel()
def add_rows(leaf: np.ndarray, counts: np.ndarray, outcomes: np.ndarray, sums: np.ndarray) -> None:
    """Add every row to its leaf: to ``sums[0]`` as often as it is in the bag, else ``sums[1]``."""
    for row in range(len(leaf)):
        bag = 0 if counts[row] > 0 else 1
        weight = max(counts[row], 1)
        node = sums[bag, leaf[row]]
        node[0] += weight
        for k in range(outcomes.shape[1]):
            node[1] += weight * outcomes[row, k] ** 2
            node[2 + k] += weight * outcomes[row, k]


@kernel()
def add_children(left: np.ndarray, right: np.ndarray, sums: np.ndarray) -> None:
    """Sums of inner nodes from their children, which stand behind them."""
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            for bag in range(sums.shape[0]):
                for k in range(sums.shape[2]):
                    sums[bag, node, k] = sums[bag, left[node], k] + sums[bag, right[node], k]
