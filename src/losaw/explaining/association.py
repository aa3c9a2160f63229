"""Associations between all pairs of features, and the groups of associated features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.scoring.association import association_strengths, average_linkage
from losaw.scoring.group_tree import group_name
from losaw.support.errors import LosawError
from losaw.support.words import unknown
from losaw.tables import read_table

MEASURE = (
    "numbers: Spearman's rank correlation; a number and a factor: correlation ratio of the ranks, "
    "corrected for the number of levels; two factors: Cramér's V, bias-corrected; all from 0 to 1"
)
# Features with a larger association on average are one group.
GROUPED_ABOVE = 0.5
# A partner is named if its association is at least this.
_NAMED_FROM = 0.3


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
        Clusters of two or more features at a mean association above ``GROUPED_ABOVE``, or own ones.
    own : bool
        Whether the user has named the groups.
    """

    names: tuple[str, ...]
    strength: FloatArray
    linkage: FloatArray
    groups: dict[str, list[str]]
    own: bool = False

    def with_groups(self, groups: Mapping[str, Sequence[str]] | None) -> "Associations":
        """Return the same with the user's groups, if there are any."""
        if groups is None:
            return self
        for name, members in groups.items():
            for member in members:
                if member not in self.names:
                    raise LosawError(f"groups: {name}: {unknown('feature', member, self.names)}")
            if len(set(members)) < max(2, len(members)):
                raise LosawError(f"groups: {name!r} needs two features or more, each once")
        return replace(self, groups={n: list(m) for n, m in groups.items()}, own=True)

    def partners(self, name: str) -> list[tuple[str, float]]:
        """Return the one or two features that are most associated with one, strongest first."""
        row = self.strength[self.names.index(name)].copy()
        row[self.names.index(name)] = 0.0
        order = np.argsort(-row, kind="stable")[:2]
        strongest = row[order[0]] if len(order) else 0.0
        # A second one is named only where it is nearly as close as the first.
        least = max(_NAMED_FROM, 0.9 * strongest)
        return [(self.names[j], float(row[j])) for j in order if row[j] >= least]


def associations(
    X: object, kinds: Sequence[str], random_state: int | np.random.Generator | None = None
) -> Associations:
    """Associations and groups of the columns of a frame, from at most 10,000 rows.

    Missing numbers are set to the median.
    """
    from scipy.cluster.hierarchy import fcluster

    table = read_table(X, kinds=kinds)  # type: ignore[arg-type]
    strength = association_strengths(table, as_generator(random_state))
    if len(strength) < 2:
        return Associations(table.names, strength, np.empty((0, 4)), {})
    linkage = average_linkage(strength)
    cluster: NDArray[np.int32] = fcluster(linkage, 1.0 - GROUPED_ABOVE, criterion="distance")
    groups = {}
    for number in dict.fromkeys(cluster.tolist()):
        members = [table.names[j] for j in np.flatnonzero(cluster == number)]
        if len(members) > 1:
            groups[group_name(members)] = members
    return Associations(table.names, strength, np.asarray(linkage), groups)
