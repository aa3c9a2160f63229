"""A forest: many trees grown from one preparation, and what is computed from all of them."""

import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import (
    LEAF,
    ForestData,
    Nodes,
    Settings,
    empty_nodes,
    node_capacity,
)
from losaw.forest.growing.bootstrap import draw_in_bag_counts
from losaw.forest.growing.growth import grow_trees
from losaw.forest.growing.workspace import make_cells, make_classes, make_grower, make_levels
from losaw.forest.trees import Tree
from losaw.kernels.trees import Trees, add_values, find_leaves, together
from losaw.support.threads import each

# Trees between two looks at Ctrl-C: at least as many, and of small samples more, up to so many rows
# in all. A batch costs a tenth of a millisecond, as a plain tree of 500 rows does.
_BATCH = 10
_BATCH_ROWS = 100_000


@dataclass(frozen=True)
class Forest:
    """Fitted trees in flat arrays: ``nodes`` of tree t are ``starts[t] : starts[t + 1]``.

    Rows are given with the codes of nominal features' levels.
    """

    nodes: Nodes
    starts: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    n_features: int
    n_samples: int
    bootstrap: bool

    def __len__(self) -> int:
        return len(self.seeds)

    @cached_property
    def flat_trees(self) -> Trees:
        """The splits alone, as rows find their leaves in them."""
        nodes = self.nodes
        sets = nodes.left_levels if nodes.left_levels.any() else None
        sides = (nodes.left, nodes.right)
        return Trees.joined(nodes.feature, nodes.threshold, sides, self.starts, sets)

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """The trees one by one."""
        fields: list[Any] = list(self.nodes[:-1])
        return tuple(
            Tree(*(array[start:end] for array in fields))
            for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)
        )

    @cached_property
    def importances(self) -> FloatArray:
        """Standardised importances of every tree (losaw, Definition 4.6), (n_trees, n_features).

        FI^T_p is the sum over the tree's nodes k that split on p of Delta_k^rel MSE_k N_k,
        divided by the sum over all its nodes. A tree without a split has zeros.
        """
        nodes = self.nodes
        inner = np.flatnonzero(nodes.feature != LEAF)
        tree = np.searchsorted(self.starts, inner, side="right") - 1
        decrease = nodes.relative_decrease * nodes.impurity * nodes.n_samples
        scores = np.bincount(
            tree * self.n_features + nodes.feature[inner],
            weights=decrease[inner],
            minlength=len(self) * self.n_features,
        ).astype(float)  # where no tree has a split, numpy counts in integers
        scores = scores.reshape(len(self), self.n_features)
        total = scores.sum(axis=1, keepdims=True)
        return np.divide(scores, total, out=scores, where=total > 0)

    def predict(self, X: FloatArray) -> FloatArray:
        """Mean over the trees of the leaf's value, (n_rows,)."""
        return self._means(self.nodes.value[:, None], X)[:, 0]

    def predict_shares(self, X: FloatArray) -> FloatArray:
        """Mean over the trees of the leaf's class shares, (n_rows, n_classes)."""
        return self._means(self.nodes.distribution, X)

    def _means(self, values: FloatArray, X: FloatArray) -> FloatArray:
        out = np.zeros((len(X), values.shape[1]))
        add_values(self.flat_trees, values, X, together(), out)
        return out / len(self)

    def apply(self, X: FloatArray) -> NDArray[np.int32]:
        """Leaf of every row in every tree, numbered within the tree, (n_rows, n_trees)."""
        out = np.empty((len(X), len(self)), dtype=np.int32)
        find_leaves(self.flat_trees, X, together(), out)
        return out

    def in_bag_counts(self) -> NDArray[np.int64]:
        """Return how often each training row is in each tree's sample, (n_trees, n_samples)."""
        counts = np.empty((len(self), self.n_samples), dtype=np.int64)
        for tree, row in enumerate(counts):
            self._draw(tree, row)
        return counts

    def _draw(self, tree: int, counts: NDArray[np.int64]) -> None:
        state = self.seeds[tree : tree + 1].copy()
        draw_in_bag_counts(state, self.bootstrap, counts)


def draw_seeds(rng: np.random.Generator, n_trees: int) -> NDArray[np.uint64]:
    """Draw the seeds of the random streams of ``n_trees`` trees."""
    return rng.integers(2**64, size=n_trees, dtype=np.uint64)


def grow_forest(
    data: ForestData,
    settings: Settings,
    seeds: NDArray[np.uint64],
    n_threads: int,
) -> Forest:
    """Grow a tree from every seed, each from a stream of its own; the same for any ``n_threads``.

    Values of nodes are means of the centred response.
    """
    # A unit of the order of the response, a power of two, changes no digit; in any other, products
    # of weights and squares can leave the range of floats. Shares of classes have none.
    unit = 0 if data.has_several_classes else int(np.frexp(np.abs(data.response).max())[1])
    data = data._replace(response=np.ldexp(data.response, -unit))
    n_trees = len(seeds)
    size = max(_BATCH, min(_BATCH_ROWS // len(data.response), -(-n_trees // n_threads)))
    batches = [seeds[i : i + size] for i in range(0, n_trees, size)]
    grown = list(each(partial(_grow_batch, data, settings), batches, n_threads))
    nodes = Nodes._make(
        np.concatenate(arrays) for arrays in zip(*(p[0] for p in grown), strict=True)
    )
    np.ldexp(nodes.value, unit, out=nodes.value)
    np.ldexp(nodes.impurity, 2 * unit, out=nodes.impurity)
    starts = np.concatenate([[0], np.cumsum(np.concatenate([p[1] for p in grown]))])
    if n_unfinished := sum(batch[2] for batch in grown):
        warnings.warn(
            f"{n_unfinished} multinomial logits of nodes have not reached their optimum: the "
            "weights there are those of the last step. Outliers among the adjustment features or "
            "levels with few rows may be the cause",
            stacklevel=4,
        )
    return Forest(
        nodes,
        starts,
        seeds,
        len(data.is_discrete),
        len(data.response),
        settings.bootstrap,
    )


def _grow_batch(
    data: ForestData, settings: Settings, seeds: NDArray[np.uint64]
) -> tuple[Nodes, NDArray[np.int64], int]:
    """Nodes of a tree for every seed, the trees' sizes, logits that did not reach their optimum."""
    nodes = empty_nodes(len(seeds) * node_capacity(len(data.response), settings), data.n_classes)
    sizes = np.empty(len(seeds), dtype=np.int64)
    levels, cells = make_levels(data, settings), make_cells(data)
    grower, classes = make_grower(data, settings), make_classes(data)
    grow_trees(grower, levels, cells, classes, seeds, nodes, sizes)
    grown = Nodes._make(array[: sizes.sum()].copy() for array in nodes)
    return grown, sizes, 0 if cells is None else int(cells.unfinished[0])
