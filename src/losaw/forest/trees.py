"""A fitted tree, as its forest shows it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import LEAF


@dataclass(frozen=True, eq=False)
class Tree:
    """One fitted tree; all arrays have one entry per node, node 0 is the root.

    Attributes
    ----------
    feature : int array
        Split feature, -1 in a leaf.
    threshold : float array
        A training value (in the plain forest half way between two of them); rows with
        ``x <= threshold`` go left. NaN in a leaf and at a split into sets of levels.
    children_left, children_right : int array
        Node numbers, -1 in a leaf; children come after their parent.
    left_levels : uint64 array
        Bit k: level k of the nominal split feature goes left, bit 63 decides on levels that the
        training sample does not have. 0 in a leaf and at other splits.
    value : float array
        Unweighted mean of the response over the node's in-bag rows; of more than two classes, of
        their numbers 0, 1, …, which says little.
    n_samples : float array
        In-bag rows, counted with multiplicity (N_k).
    impurity : float array
        Unweighted variance of the response in the node (MSE_k); of more than two classes, their
        Gini impurity.
    relative_decrease : float array
        Weighted relative impurity decrease of the split taken (losaw, Definition 4.1).
    effective_sample_size, capped_effective_sample_size : float array
        Relative effective sample size of the split's weights before and after the cap;
        1 where the split was not weighted.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> X[:, 1] += X[:, 0]
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> tree = forest.trees_[0]
    >>> bool((tree.children_left[tree.feature == -1] == -1).all())  # leaves have no children
    True
    """

    # In the order of losaw.forest.growing.arrays.Nodes.
    feature: NDArray[np.int32]
    children_left: NDArray[np.int32]
    children_right: NDArray[np.int32]
    threshold: FloatArray
    value: FloatArray
    n_samples: FloatArray
    impurity: FloatArray
    relative_decrease: FloatArray
    effective_sample_size: FloatArray
    capped_effective_sample_size: FloatArray
    left_levels: NDArray[np.uint64]

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask (n_nodes,) of the leaves."""
        return self.feature == LEAF
