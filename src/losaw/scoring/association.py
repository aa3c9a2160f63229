"""How strongly features are associated with each other, numbers and levels alike."""

import numpy as np

from losaw.data import FloatArray
from losaw.forest.adjustment import association
from losaw.tables import Table

_MOST_ROWS = 10_000


def association_strengths(table: Table, rng: np.random.Generator) -> FloatArray:
    """Return associations from 0 to 1 of all pairs of columns, (n_features, n_features).

    Numbers by Spearman's rank correlation; a number and levels by the correlation ratio of the
    ranks, corrected for the number of levels; levels by Cramér's V, bias-corrected. Missing numbers
    are set to the median.

    Parameters
    ----------
    table : Table
        Of which at most 10,000 rows are used.
    rng : Generator
        Draws these rows.
    """
    from scipy.stats import rankdata

    codes = table.codes
    if len(codes) > _MOST_ROWS:
        codes = codes[np.sort(rng.choice(len(codes), _MOST_ROWS, replace=False))]
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    columns = codes.copy()
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
