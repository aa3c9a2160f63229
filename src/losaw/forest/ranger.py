"""Random forests by the rules of the R package ranger (Wright & Ziegler 2017)."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.ensemble import Forest, draw_seeds
from losaw.forest.growing.arrays import Settings
from losaw.forest.plain import grow_plain_forest
from losaw.forest.validation import check_max_depth, check_n_jobs
from losaw.kernels.trees import Trees


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
    forest_ : losaw.forest.ensemble.Forest
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
        seeds = draw_seeds(np.random.default_rng(self.seed), self.n_estimators)
        settings = Settings(
            max_depth=check_max_depth(None),
            min_samples_leaf=1,
            max_features=self.n_candidates or int(np.sqrt(X.shape[1])),
            eta=1.0,
            bootstrap=True,
            min_samples_split=self.min_node_size + 1,
            counts_rows_once=True,
            splits_half_way=True,
            needs_gain=False,
            redraws=self.redraw,
        )
        columns = np.ascontiguousarray(X, dtype=float)
        response = np.ascontiguousarray(y, dtype=float)
        self.forest_: Forest = grow_plain_forest(
            columns, response, settings, seeds, check_n_jobs(self.n_jobs)
        )
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Mean over the trees, (n_samples,)."""
        return self.forest_.predict(np.ascontiguousarray(X, dtype=float))

    @property
    def trees_(self) -> Trees:
        """The splits of the trees."""
        return self.forest_.flat_trees

    @property
    def value_(self) -> FloatArray:
        """Mean response of every node, (n_nodes,)."""
        return self.forest_.nodes.value

    def in_bag_counts(self) -> NDArray[np.int64]:
        """Return how often each row was drawn for each tree, (n_estimators, n_samples)."""
        return self.forest_.in_bag_counts()
