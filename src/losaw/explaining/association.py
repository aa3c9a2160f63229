"""Associations between all pairs of features, and the groups of associated features."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.adjustment import association
from losaw.rng import as_generator
from losaw.tables import read_table

MEASURE = (
    "numbers: Spearman's rank correlation; a number and a factor: correlation ratio of the ranks, "
    "corrected for the number of levels; two factors: Cramér's V, bias-corrected; all from 0 to 1"
)
# Features with a larger association on average are one group.
GROUPED_ABOVE = 0.5
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Associations:
    """Associations of all pairs of features.

    Attributes
    ----------
    names : tuple of str
    strength : array of shape (n_features, n_features)
        From 0 to 1, see ``MEASURE``.
    linkage : array of shape (n_features - 1, 4)
        Average linkage of the distance 1 - strength, as scipy has it.
    groups : dict of group name to names
        Clusters of two or more features at a mean association above ``GROUPED_ABOVE``.
    """

    names: tuple[str, ...]
    strength: FloatArray
    linkage: FloatArray
    groups: dict[str, list[str]]

    def partners(self, name: str, least: float, most: int = 2) -> list[tuple[str, float]]:
        """Return the features with the strongest association with one, strongest first."""
        row = self.strength[self.names.index(name)].copy()
        row[self.names.index(name)] = 0.0
        order = np.argsort(-row, kind="stable")[:most]
        strongest = row[order[0]] if len(order) else 0.0
        # A second one is named only where it is nearly as close as the first.
        return [
            (self.names[j], float(row[j])) for j in order if row[j] >= max(least, 0.9 * strongest)
        ]


def associations(
    X: object, kinds: Sequence[str], random_state: int | np.random.Generator | None = None
) -> Associations:
    """Associations and groups of the columns of a frame, from at most 10,000 rows.

    Missing numbers are set to the median.
    """
    from scipy.cluster.hierarchy import average, fcluster
    from scipy.spatial.distance import squareform
    from scipy.stats import rankdata

    table = read_table(X, kinds=kinds)  # type: ignore[arg-type]
    codes = table.codes
    if len(codes) > _MOST_ROWS:
        rows = as_generator(random_state).choice(len(codes), _MOST_ROWS, replace=False)
        codes = codes[np.sort(rows)]
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    columns = codes.copy()
    for j in np.flatnonzero(~nominal):
        known = codes[~np.isnan(codes[:, j]), j]
        centre = np.median(known) if len(known) else 0.0
        columns[:, j] = rankdata(np.where(np.isnan(codes[:, j]), centre, codes[:, j]))
    strength = np.eye(columns.shape[1])
    for b in range(columns.shape[1]):
        for a in range(b):
            between = association(columns[:, a], columns[:, b], nominal[a], nominal[b])
            strength[a, b] = strength[b, a] = min(1.0, between)
    if len(strength) < 2:
        return Associations(table.names, strength, np.empty((0, 4)), {})
    linkage = average(squareform(1.0 - strength, checks=False))
    cluster: NDArray[np.int32] = fcluster(linkage, 1.0 - GROUPED_ABOVE, criterion="distance")
    groups = {}
    for number in dict.fromkeys(cluster.tolist()):
        members = [table.names[j] for j in np.flatnonzero(cluster == number)]
        if len(members) > 1:
            groups[group_name(members)] = members
    return Associations(table.names, strength, np.asarray(linkage), groups)


def group_name(members: Sequence[str]) -> str:
    """A name for several features together."""
    shown = " + ".join(members[:3])
    return shown if len(members) <= 3 else f"{shown} + {len(members) - 3} more"
