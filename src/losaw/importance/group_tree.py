"""A tree of groups of features, by their associations or as given, and its tests from the top."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.adjustment import association
from losaw.tables import Table
from losaw.tables.groups import Groups, units_of

_MOST_ROWS = 10_000


class FeatureGroup(NamedTuple):
    """A group of features: its name, members (columns), parent (a position, -1 for the first)."""

    name: str
    members: NDArray[np.intp]
    parent: int


def tree_of_linkage(names: Sequence[str], linkage: FloatArray) -> tuple[FeatureGroup, ...]:
    """Return the groups of a clustering, a linkage of scipy, parents before children."""
    n_features = len(names)
    members: list[list[int]] = [[j] for j in range(n_features)]
    for first, second, *_ in linkage:
        members.append(sorted(members[int(first)] + members[int(second)]))
    nodes: list[FeatureGroup] = []
    waiting = [(len(members) - 1, -1)]
    while waiting:
        cluster, parent = waiting.pop()
        group = np.array(members[cluster], dtype=np.intp)
        nodes.append(FeatureGroup(group_name([names[j] for j in group]), group, parent))
        if cluster >= n_features:
            children = [int(child) for child in linkage[cluster - n_features, :2]]
            children.sort(key=lambda child: members[child], reverse=True)
            waiting += [(child, len(nodes) - 1) for child in children]
    return tuple(nodes)


def tree_of_groups(names: Sequence[str], groups: Groups) -> tuple[FeatureGroup, ...]:
    """Return all features, their groups as a user gave them, and the features of each alone."""
    units = units_of(names, groups)
    if not groups:
        raise ValueError("groups has no features; None clusters the features")
    members_of = dict(zip(units.names, units.members, strict=True))
    nodes = [FeatureGroup(group_name(names), np.arange(len(names)), -1)]
    for name in dict.fromkeys([*map(str, groups), *units.names]):
        parent, members = len(nodes), members_of[name]
        if len(members) == len(names):  # no second test of all features
            nodes, parent = [FeatureGroup(name, members, -1)], 0
        else:
            nodes.append(FeatureGroup(name, members, 0))
        if len(members) > 1:
            nodes += [FeatureGroup(names[j], np.array([j]), parent) for j in members]
    return tuple(nodes)


def top_down_tests(
    tree: Sequence[FeatureGroup],
    p_values: Callable[[list[int]], FloatArray],
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Test groups of a tree, parents before children, with a bound of the family-wise error.

    The levels are those of :func:`losaw.importance.hierarchy`; rejections are repeated with the
    smaller L until nothing more is rejected. The largest groups without effect have disjoint
    features, all of them in L, so that their levels add up to ``level`` at most.

    ``p_values`` is called with positions of groups, none of which contains another. Returns the
    p-values (n_nodes,), and the smallest level at which a group is rejected (of groups that are not
    rejected some value above ``level``); NaN for groups that were not tested.
    """
    raw, adjusted = np.full(len(tree), np.nan), np.full(len(tree), np.nan)
    children: dict[int, list[int]] = {}
    for number, node in enumerate(tree):
        children.setdefault(node.parent, []).append(number)
    left, reached = len(tree[0].members), 0.0
    waiting = list(children[-1])
    raw[waiting] = p_values(waiting)
    while waiting:
        sizes = np.array([len(tree[number].members) for number in waiting])
        needed = np.minimum(raw[waiting] * left / sizes, 1.0)
        first = int(needed.argmin())
        if max(reached, needed[first]) > level:
            adjusted[waiting] = np.maximum(needed, reached)
            break
        number = waiting.pop(first)
        reached = adjusted[number] = max(reached, needed[first])
        if not children.get(number):
            left -= len(tree[number].members)
        else:
            raw[children[number]] = p_values(children[number])
            waiting += children[number]
    return raw, adjusted


def group_name(members: Sequence[str]) -> str:
    """Return a name for several features together."""
    shown = " + ".join(members[:3])
    return shown if len(members) <= 3 else f"{shown} + {len(members) - 3} more"


def association_strengths(table: Table, rng: np.random.Generator) -> FloatArray:
    """Return associations from 0 to 1 of all pairs of columns, (n_features, n_features).

    Numbers by Spearman's rank correlation; a number and levels by the correlation ratio of the
    ranks, corrected for the number of levels; levels by Cramér's V, bias-corrected. Missing numbers
    are set to the median. At most 10,000 rows are used, which ``rng`` draws.
    """
    from scipy.stats import rankdata

    codes = table.codes
    if len(codes) > _MOST_ROWS:
        codes = codes[np.sort(rng.choice(len(codes), _MOST_ROWS, replace=False))]
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    columns = np.where(np.isnan(codes), -1.0, codes)  # of levels, missing is one more
    for j in np.flatnonzero(~nominal):
        known = codes[~np.isnan(codes[:, j]), j]
        centre = np.median(known) if len(known) else 0.0
        columns[:, j] = rankdata(np.where(np.isnan(codes[:, j]), centre, codes[:, j]))
    # A feature of two levels counts as a number, so that naming its levels changes nothing.
    several = np.array([n and len(np.unique(columns[:, j])) > 2 for j, n in enumerate(nominal)])
    strength = _of_numbers(columns)
    for factor in np.flatnonzero(several):
        for other in range(columns.shape[1]):
            if other != factor and (not several[other] or other < factor):
                between = association(
                    columns[:, factor], columns[:, other], True, bool(several[other])
                )
                strength[factor, other] = strength[other, factor] = min(1.0, between)
    return strength


def _of_numbers(columns: FloatArray) -> FloatArray:
    """Absolute correlations of all pairs of columns by one product; 0 with a constant one."""
    centred = columns - columns.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(length > 0.0, length, 1.0)
    strength = np.minimum(np.abs(scaled.T @ scaled), 1.0)
    np.fill_diagonal(strength, 1.0)
    return np.asarray(strength)


def average_linkage(strength: FloatArray) -> FloatArray:
    """Cluster features at the distance 1 - strength: scipy's linkage, (n_features - 1, 4)."""
    from scipy.cluster.hierarchy import average
    from scipy.spatial.distance import squareform

    if len(strength) < 2:
        return np.empty((0, 4))
    return np.asarray(average(squareform(1.0 - strength, checks=False)))
