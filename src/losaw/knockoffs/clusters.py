"""Rows that belong together, left out together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_MOST_PARTS = 10


class Clusters(NamedTuple):
    """Rows that belong together, and the parts of the rows that are left out one at a time."""

    labels: NDArray[np.intp]  # (n_rows,)
    parts: list[NDArray[np.intp]]  # row numbers; a cluster is in one part


def in_parts(labels: NDArray[np.intp], rng: np.random.Generator) -> Clusters:
    """Return clusters in up to ten random parts."""
    numbers = np.unique(labels, return_inverse=True)[1]
    n_clusters = int(numbers.max()) + 1
    n_parts = min(n_clusters, _MOST_PARTS)
    part = (rng.permutation(n_clusters) % n_parts)[numbers]
    return Clusters(numbers, [np.flatnonzero(part == number) for number in range(n_parts)])


def outside(rows: NDArray[np.intp], part: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows that are not in a part; all where none is left."""
    others = np.setdiff1d(rows, part)
    return others if len(others) else rows


def n_independent(rows: NDArray[np.intp], clusters: Clusters | None) -> int:
    """Return the number of the rows, or of their clusters."""
    return len(rows) if clusters is None else len(np.unique(clusters.labels[rows]))
