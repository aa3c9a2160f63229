"""The legend: which arrays the compiled tree grower reads and writes, their shapes and units.

Sizes, as in the paper:

=============  ==================================================================================
``N``, ``P``   rows and features of the training sample
``n``          rows of a tree's sample or of a node; rows drawn twice are one row with count 2
``G``, ``K``   patterns of adjustment features that occur in a node, classes (levels that occur)
``d``          columns of the design that a propensity is regressed on, its column of ones included
=============  ==================================================================================

Letters in the kernels:

=============  ==================================================================================
``p``          position of a feature among those of its kind (continuous or discrete)
``c``          count of an in-bag row: how often the bootstrap drew it
``y``          response of a row, centred, in its own unit; ``cy`` is count times response
``pair``       the two of them, c and c y, of each in-bag row
``w``, ``v``   weight of a row (or cell), before and after the cap; only ratios of weights count
``x``, ``z``   value of a target; z in units of the training sample's standard deviation
``a``          adjustment features of a row
``g``, ``k``   pattern of adjustment features, class
=============  ==================================================================================

Arrays are made once per batch of trees (:mod:`losaw.forest.growing.workspace`), since kernels may
not allocate. Those of a logit are in :class:`losaw.kernels.logit.terms.Logit`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.kernels.logit.terms import Logit

LEAF = -1
MAX_LEVELS = 63  # a set of levels is a word of 64 bits
UNSEEN = 63  # the code of a level that the training sample does not have
# A logit ends a thousandth of a standard error from its optimum; this is squared.
PRECISION = 1e-6
STACK = 80  # the smaller child is grown first: at most log2(rows) nodes are pending


class ForestData(NamedTuple):
    """The training sample as the trees read it; shared by all trees, never written to.

    P features split into continuous and discrete ones; ``position`` counts within the kind.
    ``design`` holds what propensities are regressed on: a column of ones, the standardised
    continuous adjustment features, orthonormal contrasts of the discrete ones; its width is
    padded with zeros to a multiple of 8.
    """

    response: NDArray[np.float64]  # (N,), centred
    labels: NDArray[np.uint32]  # (N,), classes where there are more than two, else zeros
    has_several_classes: bool  # three and more; two are a regression on one's indicator
    n_classes: int  # 0 unless there are several
    is_discrete: NDArray[np.bool_]  # (P,)
    is_nominal: NDArray[np.bool_]  # (P,), discrete and split into sets of levels
    position: NDArray[np.int64]  # (P,)
    values: NDArray[np.float64]  # (P_continuous, N)
    presorted: NDArray[np.uint32]  # (P_continuous, N), rows in increasing order
    has_ties: NDArray[np.bool_]  # (P_continuous,)
    location: NDArray[np.float64]  # (P_continuous,), mean of the full training sample
    scale: NDArray[np.float64]  # (P_continuous,), its standard deviation (1/N)
    codes: NDArray[np.uint8]  # (N, P_discrete padded with zeros to a multiple of 8), ranks
    n_levels: NDArray[np.int64]  # (P_discrete,)
    level_values: NDArray[np.float64]  # (P_discrete, MAX_LEVELS), of the levels in their order
    frequency: NDArray[np.float64]  # (P_discrete, MAX_LEVELS), stabilising: class frequencies
    design: NDArray[np.float64]  # (N, padded d)
    design_width: int  # d
    design_column: NDArray[np.int64]  # (P,), of a continuous target, or -1
    columns_start: NDArray[np.int64]  # (P + 1,), adjustment of target p:
    columns: NDArray[np.int64]  # design columns [columns_start[p], columns_start[p + 1])
    factors_start: NDArray[np.int64]  # (P + 1,), for discrete targets as well:
    factors: NDArray[np.int64]  # positions of discrete adjustment features
    pattern_slot: NDArray[np.int64]  # (P,), row of ``patterns`` of a discrete target, or -1
    patterns: NDArray[np.uint32]  # (n_slots, N), id of the row's adjustment pattern
    n_patterns: int  # largest number of patterns of any slot


class Settings(NamedTuple):
    """Hyperparameters of a tree, and the rules by which forests differ; the defaults: losawRF's."""

    max_depth: int
    min_samples_leaf: int
    max_features: int
    eta: float
    bootstrap: bool
    min_samples_split: int = 2  # smaller nodes, counted with multiplicity, are not split
    counts_rows_once: bool = False  # in leaf sizes: a row that was drawn twice is one row
    splits_half_way: bool = False  # thresholds lie between two values, not at the lower one
    needs_gain: bool = True  # a split has to lower the impurity
    redraws: bool = True  # drawing goes on while only constant features were drawn
    precision: float = PRECISION


class Nodes(NamedTuple):
    """Nodes of many trees, one tree after the other.

    Nodes are numbered within their tree; children come after their parent.
    """

    feature: NDArray[np.int32]  # split feature, or LEAF
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    threshold: NDArray[np.float64]  # the data value; x <= threshold goes left; NaN: a set decides
    value: NDArray[np.float64]  # unweighted mean of the response
    n_samples: NDArray[np.float64]  # in-bag rows, counted with multiplicity
    impurity: NDArray[np.float64]  # MSE_k, unweighted
    relative_decrease: NDArray[np.float64]  # of the split taken (losaw, Definition 4.1)
    effective_size: NDArray[np.float64]  # of the split's weights, relative, before the cap
    capped_size: NDArray[np.float64]  # after the cap
    left_levels: NDArray[np.uint64]  # bits of the levels that go left at a nominal split, else 0
    distribution: NDArray[np.float64]  # (nodes, classes), unweighted shares; (0, 0) in regression


class Node(NamedTuple):
    """The node that is being split: its rows, and sums of their responses."""

    start: int  # its rows are ``start : end`` of every order
    end: int
    n_samples: float  # rows, counted with multiplicity (N_k)
    size: float  # rows as leaf sizes count them
    mean: float  # of the response, unweighted
    impurity: float  # MSE_k (or the Gini impurity), unweighted
    slot: int  # of its sums: place on the stack of pending nodes


class Candidate(NamedTuple):
    """A feature that was drawn at a node."""

    feature: int
    p: int  # its position within its kind
    row: int  # its row in the table of splits, in the order of drawing


class Split(NamedTuple):
    """Outcome for one candidate."""

    decrease: float  # relative; negative where there is no split
    cut: int  # rows on the left in sorted order, or last level on the left; unused if nominal
    effective_size: float
    capped_size: float
    is_constant: bool


# Columns of ``TreeWorkspace.splits``.
DECREASE, CUT, EFFECTIVE_SIZE, CAPPED_SIZE = range(4)

NO_SPLIT = Split(-1.0, 0, 1.0, 1.0, False)
CONSTANT = Split(-1.0, 0, 1.0, 1.0, True)


class LevelSums(NamedTuple):
    """Sums over levels between which a split is chosen, in the first n entries of arrays."""

    n_entries: int
    size: NDArray[np.float64]  # rows as leaf sizes count them
    weight: NDArray[np.float64]  # sum of v c
    response: NDArray[np.float64]  # sum of v c y
    level: NDArray[np.int64]  # of an entry
    total: float  # of the weights
    mean: float  # of the response, weighted


class TreeSample(NamedTuple):
    """A tree's sample: n distinct in-bag rows, counted; only the first n entries are in use."""

    counts: NDArray[np.int64]  # (N,), how often each training row was drawn
    compact: NDArray[np.uint32]  # (N,), number of a training row among the in-bag rows
    tree_rows: NDArray[np.uint32]  # (n,), row of the training sample
    pair: NDArray[np.float64]  # (n, 2), count c and c * y
    labels: NDArray[np.uint32]  # (n,)
    rows: NDArray[np.uint32]  # (1, n), grouped by node
    order: NDArray[np.uint32]  # (P_continuous, n), grouped by node, sorted within
    design: NDArray[np.float64]  # (n, padded d)
    codes: NDArray[np.uint8]  # (n, P_discrete)
    patterns: NDArray[np.uint32]  # (n_slots, n)


class TreeWorkspace(NamedTuple):
    """Scratch arrays of the tree grower."""

    state: NDArray[np.uint64]  # (1,), the random stream
    stack: NDArray[np.int64]  # (4, STACK), node, first row, last row, depth
    features: NDArray[np.int64]  # a permutation of the P features; the drawn ones first
    splits: NDArray[np.float64]  # (P, 4), of the drawn ones; columns: DECREASE, ...
    left_levels: NDArray[np.uint64]  # (P,), of the drawn ones that are nominal
    # Of a node's rows, in the sorted order of the target:
    w: NDArray[np.float64]  # (n,), weights, before and after the cap
    c: NDArray[np.float64]  # (n,)
    cy: NDArray[np.float64]  # (n,)
    z: NDArray[np.float64]  # (n,), the target
    sorted_values: NDArray[np.float64]  # (n,), written where there are ties
    # Of the rows of a tree's sample, by their number:
    goes_left: NDArray[np.uint8]  # (n,), 1 in the left child
    scratch: NDArray[np.uint32]  # (n,), of the partition
    # Of the regression of a target on its adjustment features:
    gram: NDArray[np.float64]  # (STACK, d, padded d), sum c a a' of pending nodes
    cross: NDArray[np.float64]  # (padded d,), sum c z a
    covariance: NDArray[np.float64]  # (d, padded d), of adjustment features, then its inverse
    diagonal: NDArray[np.float64]  # (padded d,), workspace of the inverse
    side: NDArray[np.float64]  # (padded d,), covariances with the target
    solution: NDArray[np.float64]  # (padded d,), slopes of the adjustment features
    coefficients: NDArray[np.float64]  # (padded d,), of all columns, the intercept first


class LevelWorkspace(NamedTuple):
    """Sums over the levels of discrete features, and scratch arrays of splits between levels."""

    sums: NDArray[np.float64]  # (pending nodes, K, 2, padded P_discrete), counts and responses
    row_sums: NDArray[np.float64]  # (.., K, 1, ..), rows; empty unless leaf sizes count rows once
    rows: NDArray[np.float64]  # (K,), of one feature, as are the others
    counts: NDArray[np.float64]  # (K,), sum of c
    weight: NDArray[np.float64]  # (K,), sum of v c
    response: NDArray[np.float64]  # (K,), sum of v c y
    every_level: NDArray[np.int64]  # (K,), 0, 1, 2, ...
    order: NDArray[np.int64]  # (K,), levels in the order in which they go left
    key: NDArray[np.float64]  # (K,), by which they are put in order


class ClassWorkspace(NamedTuple):
    """Scratch arrays of splits of three and more classes."""

    left: NDArray[np.float64]  # (classes,), weight of each class on the left
    right: NDArray[np.float64]  # (classes,), on the right
    sums: NDArray[np.float64]  # (MAX_LEVELS, classes), weight of each class at each level
    axis: NDArray[np.float64]  # (2, classes), principal component of the levels' shares


class CellWorkspace(NamedTuple):
    """Scratch arrays of the weights of discrete features."""

    local: NDArray[np.int32]  # (n_patterns,), place of a pattern in the node, or -1
    representative: NDArray[np.uint32]  # (rows,), a row of each pattern
    pattern_level: NDArray[np.int64]  # (rows,), level of one adjustment feature
    logit: Logit  # counts and design of the cells; its probabilities become their weights
    response: NDArray[np.float64]  # (K, rows), sum of c y
    square: NDArray[np.float64]  # (K, rows), sum of c y^2
    weight: NDArray[np.float64]  # (rows * K,), of non-empty cells
    multiplicity: NDArray[np.float64]  # (rows * K,)
    recode: NDArray[np.int64]  # (K + 1,), level of each class present in the node
    place: NDArray[np.int64]  # (K,), its inverse
    class_of: NDArray[np.int64]  # (levels,), the same for an adjustment feature
    unfinished: NDArray[np.int64]  # (1,), logits that have not reached their optimum


class Grower(NamedTuple):
    """The records that all kernels of a tree read and write."""

    data: ForestData
    settings: Settings
    sample: TreeSample
    work: TreeWorkspace


def empty_nodes(capacity: int, n_classes: int) -> Nodes:
    """Return arrays for ``capacity`` nodes; memory that no node fills is never touched."""
    # In the order of the fields: three numbers of nodes and features, measures, a set of levels.
    dtypes = [np.int32] * 3 + [np.float64] * (len(Nodes._fields) - 5) + [np.uint64]
    arrays = [np.empty(capacity, dtype=dtype) for dtype in dtypes]
    shape = (capacity, n_classes) if n_classes else (0, 0)
    return Nodes._make([*arrays, np.empty(shape)])


def node_capacity(n_samples: int, settings: Settings) -> int:
    """Return the largest number of nodes that a tree can have."""
    # Neither more leaves than their size allows, nor than the depth does.
    leaves = max(1, n_samples // settings.min_samples_leaf)
    if settings.max_depth < 31:
        leaves = min(leaves, 2**settings.max_depth)
    return 2 * leaves - 1
