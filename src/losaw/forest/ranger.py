"""Random forests by the rules of the R package ranger (Wright & Ziegler 2017)."""

from dataclasses import dataclass

import numpy as np

from losaw.data import FloatArray
from losaw.forest.ensemble import Forest, draw_seeds
from losaw.forest.growing.arrays import Settings
from losaw.forest.plain import grow_plain_forest
from losaw.forest.validation import UNLIMITED
from losaw.support.arguments import truth_value


@dataclass(frozen=True)
class RangerTrees:
    """Bootstrapped trees that split by the largest decrease of the sum of squares.

    For classes 0 and 1 this is the Gini criterion, and a leaf's mean the share of class 1.

    ranger and scikit-learn differ where all candidates of a node are constant in it: ranger makes
    the node a leaf, scikit-learn draws further candidates. With few columns, or many dummies, this
    happens often and makes ranger's trees much smaller.
    """

    n_estimators: int
    min_node_size: int  # nodes with at most so many rows are not split
    seed: int
    n_candidates: int | None = None  # columns drawn at a node; None: the root of their number
    redraw: bool = False  # whether to draw on while all candidates are constant
    n_threads: int = 1

    def fit(self, X: FloatArray, y: FloatArray) -> Forest:
        """Grow the trees on X (n_samples, n_columns) and y (n_samples,)."""
        settings = Settings(
            max_depth=UNLIMITED,
            min_samples_leaf=1,
            max_features=self.n_candidates or int(np.sqrt(X.shape[1])),
            eta=1.0,
            bootstrap=True,
            min_samples_split=self.min_node_size + 1,
            counts_rows_once=True,
            splits_half_way=True,
            needs_gain=False,
            redraws=truth_value("redraw", self.redraw),
        )
        columns, response = (np.ascontiguousarray(array, dtype=float) for array in (X, y))
        seeds = draw_seeds(np.random.default_rng(self.seed), self.n_estimators)
        return grow_plain_forest(columns, response, settings, seeds, self.n_threads)
