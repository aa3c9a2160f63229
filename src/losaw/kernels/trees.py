"""Binary trees as flat arrays, and the way of a row to its leaf: written once, for all forests.

What else a node holds (its value, its number of rows) stands in arrays of its own, in the same
order; the readers of fitted models say which.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import compiled, inlined
from losaw.kernels.level_sets import bit

LEAF = -1


class Trees(NamedTuple):
    """Splits of many trees, one tree after the other: tree t is ``starts[t] : starts[t + 1]``.

    The first node of a tree is its root; children stand behind their parent. A split into sets of
    levels has the threshold NaN; bit k says whether level k, the code in its column, goes left.
    """

    feature: NDArray[np.int32]  # (n_nodes,), column that a node splits on, LEAF where it does not
    threshold: NDArray[np.float64]  # (n_nodes,), rows with x <= threshold go left
    # (n_nodes,), places of the children among all nodes, LEAF in a leaf. Two arrays: on one array
    # (n_nodes, 2) the walk to a leaf takes a fifth longer.
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    starts: NDArray[np.int64]  # (n_trees + 1,)
    left_levels: NDArray[np.uint64]  # (n_nodes,), or empty where no split has a set of levels

    @classmethod
    def of(cls, trees: Iterable[tuple[Any, Any, Any, Any]], left_levels: Any = None) -> Self:
        """Trees given one by one: feature, threshold, left and right, numbered within the tree."""
        parts = [tuple(np.asarray(array) for array in tree) for tree in trees]
        sizes = [len(feature) for feature, *_ in parts]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        feature, threshold, left, right = (
            np.concatenate(arrays) for arrays in zip(*parts, strict=True)
        )
        return cls._of_sides(feature, threshold, (left, right), starts, left_levels)

    @classmethod
    def joined(
        cls, feature: Any, threshold: Any, children: Any, starts: Any, left_levels: Any = None
    ) -> Self:
        """Trees that stand one after the other already, children numbered within the tree."""
        return cls._of_sides(feature, threshold, children.T, starts, left_levels)

    @classmethod
    def _of_sides(
        cls, feature: Any, threshold: Any, sides: Any, starts: Any, left_levels: Any
    ) -> Self:
        """Children, left and right, numbered within the tree become places among all nodes."""
        is_leaf = sides[0] < 0
        # 32 bits throughout, and no wider arrays in between: this is copying, and little else.
        tree_start = np.repeat(starts[:-1].astype(np.int32), np.diff(starts))
        left, right = (
            np.where(is_leaf, np.int32(LEAF), side.astype(np.int32, copy=False) + tree_start)
            for side in sides
        )
        return cls(
            np.where(is_leaf, LEAF, feature).astype(np.int32, copy=False),
            np.ascontiguousarray(threshold, dtype=np.float64),
            left,
            right,
            np.ascontiguousarray(starts, dtype=np.int64),
            np.array([] if left_levels is None else left_levels, dtype=np.uint64),
        )

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.starts) - 1

    @property
    def splits(self) -> NDArray[np.intp]:
        """Numbers of the inner nodes."""
        return np.flatnonzero(self.feature >= 0)

    @property
    def tree(self) -> NDArray[np.int64]:
        """The tree that a node belongs to, (n_nodes,)."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.starts))


@inlined()
def leaf_of(trees: Trees, root: int, X: np.ndarray, row: int) -> int:
    """Leaf of X[row] in the tree with that root. NaN goes right, where a threshold decides."""
    if len(trees.left_levels) > 0:
        return _leaf_by_sets(trees, root, X, row)
    # Places are unsigned: a signed one is tested for counting from the end.
    node = np.uint64(root)
    feature = trees.feature[node]
    while feature >= 0:
        left, right = np.uint64(trees.left[node]), np.uint64(trees.right[node])
        node = left if X[row, np.uint64(feature)] <= trees.threshold[node] else right
        feature = trees.feature[node]
    return int(node)


@inlined()
def _leaf_by_sets(trees: Trees, root: int, X: np.ndarray, row: int) -> int:
    """:func:`leaf_of`, where a split may have a set of levels instead of a threshold."""
    node = np.uint64(root)
    feature = trees.feature[node]
    while feature >= 0:
        x, threshold = X[row, np.uint64(feature)], trees.threshold[node]
        goes_left = x <= threshold
        if np.isnan(threshold):
            goes_left = (trees.left_levels[node] & bit(int(x))) != np.uint64(0)
        left, right = np.uint64(trees.left[node]), np.uint64(trees.right[node])
        node = left if goes_left else right
        feature = trees.feature[node]
    return int(node)


@compiled()
def find_leaves(trees: Trees, X: np.ndarray, out: np.ndarray) -> None:
    """Leaf of every row in every tree, numbered within the tree; ``out`` (n_rows, n_trees)."""
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        for row in range(X.shape[0]):
            out[row, tree] = leaf_of(trees, root, X, row) - root


@compiled()
def add_values(trees: Trees, value: np.ndarray, X: np.ndarray, out: np.ndarray) -> None:
    """Add the values of a row's leaves in all trees to ``out`` (n_rows,)."""
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        for row in range(X.shape[0]):
            out[row] += value[np.uint64(leaf_of(trees, root, X, row))]


@compiled()
def add_shares(trees: Trees, shares: np.ndarray, X: np.ndarray, out: np.ndarray) -> None:
    """Add the class shares of a row's leaves in all trees to ``out`` (n_rows, n_classes)."""
    for tree in range(len(trees.starts) - 1):
        root = trees.starts[tree]
        for row in range(X.shape[0]):
            leaf = leaf_of(trees, root, X, row)
            for k in range(out.shape[1]):
                out[row, k] += shares[leaf, k]
