"""What the compiled tree grower reads and writes: plain arrays, grouped and named."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = -1
MAX_LEVELS = 32


class ForestData(NamedTuple):
    """The training sample as the trees read it; shared by all trees, never written.

    P features split into continuous and discrete ones; ``position`` counts within the kind.
    ``design`` holds what propensities are regressed on: a column of ones, the standardised
    continuous adjustment features, orthonormal contrasts of the discrete ones; its width is
    padded with zeros to a multiple of 8.
    """

    response: NDArray[np.float64]  # (N,), centred
    is_discrete: NDArray[np.bool_]  # (P,)
    position: NDArray[np.int64]  # (P,)
    values: NDArray[np.float64]  # (P_continuous, N)
    presorted: NDArray[np.uint32]  # (P_continuous, N), rows in increasing order
    has_ties: NDArray[np.bool_]  # (P_continuous,)
    location: NDArray[np.float64]  # (P_continuous,), mean of the full training sample
    scale: NDArray[np.float64]  # (P_continuous,), its standard deviation (1/N)
    codes: NDArray[np.uint8]  # (N, P_discrete), rank of the level
    n_levels: NDArray[np.int64]  # (P_discrete,)
    frequency: NDArray[np.float64]  # (P_discrete, MAX_LEVELS), class frequencies of the sample
    design: NDArray[np.float64]  # (N, padded width)
    design_width: int
    design_column: NDArray[np.int64]  # (P,), of a continuous target, or -1
    columns_start: NDArray[np.int64]  # (P + 1,), adjustment of target p:
    columns: NDArray[np.int64]  # design columns [columns_start[p], columns_start[p + 1])
    factors_start: NDArray[np.int64]  # (P + 1,), for discrete targets as well:
    factors: NDArray[np.int64]  # positions of discrete adjustment features
    pattern_slot: NDArray[np.int64]  # (P,), row of ``patterns`` of a discrete target, or -1
    patterns: NDArray[np.uint32]  # (n_slots, N), id of the row's adjustment pattern
    n_patterns: int  # largest number of patterns of any slot


class Settings(NamedTuple):
    """Hyperparameters of a tree."""

    max_depth: int
    min_samples_leaf: int
    max_features: int
    eta: float
    bootstrap: bool


class Nodes(NamedTuple):
    """Nodes of many trees, one tree after the other.

    Nodes are numbered within their tree; children come after their parent.
    """

    feature: NDArray[np.int32]  # split feature, or LEAF
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    threshold: NDArray[np.float64]  # the data value; x <= threshold goes left
    value: NDArray[np.float64]  # unweighted mean of the response
    n_samples: NDArray[np.float64]  # in-bag rows, counted with multiplicity
    impurity: NDArray[np.float64]  # MSE_k, unweighted
    relative_decrease: NDArray[np.float64]  # of the split taken (losaw, Definition 4.1)
    effective_size: NDArray[np.float64]  # of the split's weights, relative, before the cap
    capped_size: NDArray[np.float64]  # after the cap


def empty_nodes(capacity: int) -> Nodes:
    """Room for ``capacity`` nodes; memory that no node fills is never touched."""
    dtypes = [np.int32] * 3 + [np.float64] * (len(Nodes._fields) - 3)
    return Nodes._make(np.empty(capacity, dtype=dtype) for dtype in dtypes)


def node_capacity(n_samples: int, settings: Settings) -> int:
    """Largest number of nodes a tree can have."""
    leaves = max(1, n_samples // settings.min_samples_leaf)
    if settings.max_depth < 31:
        leaves = min(leaves, 2**settings.max_depth)
    return 2 * leaves - 1
