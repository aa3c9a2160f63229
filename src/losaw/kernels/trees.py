"""Binary trees as flat arrays, and the descent of rows to their leaves, for all forests.

Other properties of a node (its value, its number of rows) are in arrays of the same order, which
the readers of fitted models provide.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.compiled import inlined_kernel, kernel

LEAF = -1


@inlined_kernel()
def bit(level: int) -> np.uint64:
    """Return the set of one level, as a bit of a word: words are sets of up to 64 levels."""
    return np.uint64(1) << np.uint64(level)


class Trees(NamedTuple):
    """Splits of many trees, one tree after the other: tree t is ``starts[t] : starts[t + 1]``.

    The first node of a tree is its root; children come after their parent. A split into sets of
    levels has the threshold NaN; bit k is set if level k, the code in its column, goes left.
    """

    feature: NDArray[np.int32]  # (n_nodes,), column that a node splits on, LEAF where it does not
    threshold: NDArray[np.float64]  # (n_nodes,), rows with x <= threshold go left
    # (n_nodes,), places of the children among all nodes, LEAF in a leaf. Two arrays: on one array
    # (n_nodes, 2) the descent takes a fifth longer.
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    starts: NDArray[np.int64]  # (n_trees + 1,)
    left_levels: NDArray[np.uint64]  # (n_nodes,), or empty where no split has a set of levels

    @classmethod
    def of(cls, trees: Iterable[tuple[Any, Any, Any, Any]], left_levels: Any = None) -> Self:
        """Join trees that are given one by one, their nodes numbered within the tree."""
        parts = [tuple(np.asarray(array) for array in tree) for tree in trees]
        sizes = [len(feature) for feature, *_ in parts]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # Arrays of one kind for all trees: a forest is a few long arrays in memory.
        feature, threshold, left, right = (
            np.concatenate(arrays) for arrays in zip(*parts, strict=True)
        )
        return cls.joined(feature, threshold, (left, right), starts, left_levels)

    @classmethod
    def joined(
        cls, feature: Any, threshold: Any, sides: Any, starts: Any, left_levels: Any = None
    ) -> Self:
        """Take trees that are joined already, their children numbered within the tree."""
        # The children's places among all nodes.
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
        """The number of trees."""
        return len(self.starts) - 1

    @property
    def splits(self) -> NDArray[np.intp]:
        """The numbers of the inner nodes."""
        return np.flatnonzero(self.feature >= 0)

    @property
    def tree(self) -> NDArray[np.int64]:
        """The tree that a node belongs to, (n_nodes,)."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.starts))


# Rows that descend a tree together: while a row waits for the memory of a node the others go on,
# and no step predicts a branch. Row by row takes two to three times as long.
TOGETHER = 8


def together() -> NDArray[np.int32]:
    """Return the workspace of the kernels below: places of rows that descend together."""
    return np.empty(TOGETHER, dtype=np.int32)


@inlined_kernel()
def _walk(trees: Trees, root: int, X: np.ndarray, first: int, place: np.ndarray) -> int:
    """Find the leaves of rows from ``first`` on, ``place`` (TOGETHER,); return the number of rows.

    NaN goes right, where a threshold decides.
    """
    n_rows = min(len(place), X.shape[0] - first)
    has_sets = len(trees.left_levels) > 0
    # Several rows at once: the steps of one do not wait for those of another.
    for k in range(n_rows):
        place[k] = root
    # One level deeper per turn, until all rows are at leaves.
    n_inner = 1
    while n_inner > 0:
        n_inner = 0
        for k in range(n_rows):
            # Places are unsigned: a signed one is tested for counting from the end.
            node = np.uint64(place[k])
            is_inner = trees.feature[node] >= 0
            # A leaf reads column 0 and stays.
            x = X[first + k, np.uint64(max(trees.feature[node], np.int32(0)))]
            goes_left = x <= trees.threshold[node]
            if has_sets and is_inner and np.isnan(trees.threshold[node]):
                goes_left = (trees.left_levels[node] & bit(int(x))) != np.uint64(0)
            child = trees.left[node] if goes_left else trees.right[node]
            place[k] = child if is_inner else np.int32(node)
            n_inner += is_inner
    return n_rows


@kernel()
def find_leaves(trees: Trees, X: np.ndarray, place: np.ndarray, out: np.ndarray) -> None:
    """Find the leaf of every row in every tree, numbered within it; ``out`` (n_rows, n_trees)."""
    for tree in range(len(trees.starts) - 1):
        # Leaves are numbered within the tree, as its own arrays are.
        root = trees.starts[tree]
        for first in range(0, X.shape[0], len(place)):
            for k in range(_walk(trees, root, X, first, place)):
                out[first + k, tree] = place[k] - root


@kernel()
def add_values(
    trees: Trees, values: np.ndarray, X: np.ndarray, place: np.ndarray, out: np.ndarray
) -> None:
    """Add the values (n_nodes, n_outputs) of a row's leaves to ``out`` (n_rows, n_outputs)."""
    for tree in range(len(trees.starts) - 1):
        for first in range(0, X.shape[0], len(place)):
            for k in range(_walk(trees, trees.starts[tree], X, first, place)):
                for output in range(out.shape[1]):
                    out[first + k, output] += values[np.uint64(place[k]), output]
