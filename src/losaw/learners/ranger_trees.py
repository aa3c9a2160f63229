"""Random forests grown as the R package ranger grows them (Wright & Ziegler 2017), compiled."""

from typing import Any, Self

import numpy as np

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating_kernel
from losaw.kernels.row_order import part_by_threshold
from losaw.kernels.trees import LEAF, Trees, add_values, together

# A node with fewer rows than a column has values, divided by this, sorts its rows; a larger one
# counts them by value.
_COUNTED = 8


class RangerTrees:
    """Bootstrapped trees that split by the largest decrease of the sum of squares.

    For classes 0 and 1 this is the Gini criterion, and a leaf's mean the share of class 1.

    ranger and scikit-learn differ where all candidates of a node are constant in it: ranger makes
    the node a leaf, scikit-learn draws further candidates. With few columns, or many dummies, this
    happens often and makes ranger's trees much smaller.

    Parameters
    ----------
    n_estimators : int
    min_node_size : int
        Nodes with at most so many rows are not split.
    seed : int
    n_candidates : int or None, default None
        Columns drawn at a node; None is the square root of their number, rounded down.
    redraw : bool, default False
        Whether to draw on while all candidates are constant, as scikit-learn does.

    n_jobs : int or None, default None
        Threads that grow trees; the trees do not depend on it.

    Attributes
    ----------
    trees_ : losaw.kernels.trees.Trees
    value_ : array of shape (n_nodes,)
        Mean response of a node.
    gain_ : array of shape (n_nodes,)
        By how much the node's split lowers the sum of squares.
    in_bag_ : array of shape (n_estimators, n_samples)
        Rows drawn for each tree.
    """

    def __init__(
        self,
        n_estimators: int,
        min_node_size: int,
        seed: int,
        n_candidates: int | None = None,
        redraw: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_node_size = min_node_size
        self.seed = seed
        self.n_candidates = n_candidates
        self.redraw = redraw
        self.n_jobs = n_jobs

    def fit(self, X: FloatArray, y: FloatArray) -> Self:
        """Grow the trees on X (n_samples, n_columns) and y (n_samples,)."""
        rng = np.random.default_rng(self.seed)
        n, p = X.shape
        wanted = int(np.sqrt(p)) if self.n_candidates is None else self.n_candidates
        distinct = [np.unique(column, return_inverse=True) for column in X.T]
        offsets = np.cumsum([0, *(len(values) for values, _ in distinct)])
        values = np.concatenate([values for values, _ in distinct])
        codes = np.stack([inverse for _, inverse in distinct]).astype(np.int32)
        y = np.ascontiguousarray(y, dtype=float)
        self.in_bag_ = rng.integers(0, n, (self.n_estimators, n), dtype=np.int32)
        # At most n nodes have candidates: each internal node, and leaves of several rows.
        tries = p if self.redraw else wanted
        draws = ((sample.copy(), rng.random((n, tries))) for sample in self.in_bag_)

        def grow(drawn: tuple[Any, Any]) -> Any:
            return _grow(codes, values, offsets, y, *drawn, wanted, self.min_node_size)

        if self.n_jobs in (None, 1):
            grown = [grow(drawn) for drawn in draws]
        else:
            from sklearn.utils.parallel import Parallel, delayed

            grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(grow)(drawn) for drawn in draws
            )
        self.trees_ = Trees.of(tree[:4] for tree in grown)
        self.value_, self.gain_ = (
            np.concatenate([tree[part] for tree in grown]) for part in (4, 5)
        )
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Mean over the trees, (n_samples,)."""
        total = np.zeros(len(X))
        add_values(
            self.trees_, self.value_, np.ascontiguousarray(X, dtype=float), together(), total
        )
        return total / self.n_estimators

    def impurity_decreases(self, n_columns: int) -> FloatArray:
        """Mean over the trees of a column's share in the tree's gains, (n_columns,)."""
        trees = self.trees_
        total = np.zeros(n_columns)
        for start, end in zip(trees.starts[:-1], trees.starts[1:], strict=True):
            split = np.flatnonzero(trees.feature[start:end] >= 0) + start
            gains = np.bincount(trees.feature[split], self.gain_[split], n_columns)
            total += gains / (gains.sum() or 1.0)
        return total / self.n_estimators


@allocating_kernel()
def _grow(codes, values, offsets, y, sample, draws, wanted, min_node_size):  # type: ignore[no-untyped-def]
    """One tree on the rows of ``sample``, which are rearranged."""
    p, n = codes.shape[0], len(sample)
    features = np.full(2 * n, LEAF, np.int32)
    lefts, rights = np.zeros(2 * n, np.int32), np.zeros(2 * n, np.int32)
    thresholds, means, gains = np.zeros(2 * n), np.zeros(2 * n), np.zeros(2 * n)
    widest = 1
    for j in range(p):
        widest = max(widest, offsets[j + 1] - offsets[j])
    counts, sums = np.zeros(widest, np.int64), np.zeros(widest)
    order, spare = np.arange(p), np.empty(n, sample.dtype)
    waiting = np.empty((n + 1, 3), np.int64)
    waiting[0] = (0, 0, n)
    n_waiting, n_nodes, n_tried = 1, 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node, start, end = waiting[n_waiting]
        total, is_pure = 0.0, True
        for i in sample[start:end]:
            total += y[i]
            is_pure &= y[i] == y[sample[start]]
        means[node] = total / (end - start)
        if end - start <= min_node_size or is_pure:
            continue
        best, feature, below, above = -np.inf, -1, 0, 0
        for k in range(draws.shape[1]):
            if k >= wanted and feature >= 0:
                break
            other = k + int(draws[n_tried, k] * (p - k))
            order[k], order[other] = order[other], order[k]
            j = order[k]
            split = _best_split(
                codes[j], y, sample[start:end], total, offsets[j + 1] - offsets[j], counts, sums
            )
            if split[0] > best:
                best, below, above = split
                feature = j
        n_tried += 1
        if feature < 0:
            continue
        middle = part_by_threshold(sample, start, end, codes[feature], below, spare)
        low, high = values[offsets[feature] + below], values[offsets[feature] + above]
        threshold = (low + high) / 2
        features[node] = feature
        thresholds[node] = low if threshold >= high else threshold
        gains[node] = best - total * total / (end - start)
        lefts[node], rights[node] = n_nodes, n_nodes + 1
        waiting[n_waiting] = (n_nodes, start, middle)
        waiting[n_waiting + 1] = (n_nodes + 1, middle, end)
        n_waiting += 2
        n_nodes += 2
    return (
        features[:n_nodes].copy(),
        thresholds[:n_nodes].copy(),
        lefts[:n_nodes].copy(),
        rights[:n_nodes].copy(),
        means[:n_nodes].copy(),
        gains[:n_nodes].copy(),
    )


@allocating_kernel()
def _best_split(codes, y, rows, total, n_values, counts, sums):  # type: ignore[no-untyped-def]
    """Largest sum of (sum y)^2 / n over both children, and the values on either side of the cut.

    Minus infinity if the column is constant in the node. ``counts`` and ``sums`` are zeros.
    """
    n = len(rows)
    best, below, above = -np.inf, 0, 0
    n_left, sum_left, last = 0, 0.0, -1
    if n_values <= _COUNTED * n:
        for i in rows:
            counts[codes[i]] += 1
            sums[codes[i]] += y[i]
        for value in range(n_values):
            if counts[value] == 0:
                continue
            if n_left > 0:
                gain = sum_left**2 / n_left + (total - sum_left) ** 2 / (n - n_left)
                if gain > best:
                    best, below, above = gain, last, value
            n_left += counts[value]
            sum_left += sums[value]
            last = value
            counts[value], sums[value] = 0, 0.0
        return best, below, above
    keys = np.empty(n, np.int64)
    for k in range(n):
        keys[k] = (np.int64(codes[rows[k]]) << 32) | k
    keys.sort()
    for key in keys:
        value = key >> 32  # type: ignore[assignment]
        if n_left > 0 and value != last:
            gain = sum_left**2 / n_left + (total - sum_left) ** 2 / (n - n_left)
            if gain > best:
                best, below, above = gain, last, value
        n_left += 1
        sum_left += y[rows[key & 0xFFFFFFFF]]
        last = value
    return best, below, above
